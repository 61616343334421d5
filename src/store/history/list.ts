import type { Db, Document } from 'mongodb';
import { collectionName, historyName, statusesOf } from '../../schema/stored/collections.js';
import type { ContentType, Status } from '../../schema/types.js';
import { idText } from '../../values/id-text.js';
import { differenceIn, isSameEntry } from '../entries/difference.js';
import { FOREVER, type StoredVersion, type VersionCause } from './versions.js';

/** A change of an entry, as its versions tell it. */
export interface KeptChange {
  readonly at: Date;
  /** What was done, and by whom; null: it was not seen. */
  readonly cause: VersionCause | null;
  readonly documentId: string;
  readonly locale: string | null;
  readonly status: Status;
  /** The name of the version that the change made; null: it removed the entry. */
  readonly version: string | null;
  /** The attributes with another value than before; of a new entry those that have one. */
  readonly attributes: readonly string[];
}

interface Listing {
  /** Null: all documents of the type. */
  readonly documentId: string | null;
  /** The most changes. */
  readonly limit: number;
}

/** The changes of a type's entries, the newest first. */
export async function keptChanges(
  db: Db,
  type: ContentType,
  { documentId, limit }: Listing,
): Promise<readonly KeptChange[]> {
  const versions = db.collection<StoredVersion>(historyName(type));
  const own = documentId === null ? {} : { documentId };
  const newest = (filter: object, by: 'from' | 'until') =>
    versions
      .find({ ...own, ...filter })
      .sort({ [`_version.${by}`]: -1 })
      .limit(limit)
      .toArray();
  const [begun, removed] = await Promise.all([
    newest({}, 'from'),
    newest({ '_version.removed': { $exists: true }, '_version.until': { $lt: FOREVER } }, 'until'),
  ]);
  const changes = await Promise.all([
    ...begun.map(async (version): Promise<KeptChange> => {
      const { id, entry, from, made } = version._version;
      const before = await versions.findOne({
        documentId: version['documentId'],
        '_version.until': from,
        '_version.entry': entry,
      });
      return {
        ...placeOf(version),
        at: from,
        cause: made,
        version: String(id),
        attributes: changed(type, before, version),
      };
    }),
    ...removed.map((version): KeptChange => {
      const { until, removed: cause = null } = version._version;
      return { ...placeOf(version), at: until, cause, version: null, attributes: [] };
    }),
  ]);
  return changes.sort((a, b) => b.at.getTime() - a.at.getTime()).slice(0, limit);
}

const placeOf = ({ documentId, locale, _version }: StoredVersion) => ({
  documentId: String(documentId),
  locale: typeof locale === 'string' ? locale : null,
  status: _version.status,
});

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);

/** The names of what differs, but for what every write changes. */
function changed(type: ContentType, before: StoredVersion | null, after: StoredVersion): readonly string[] {
  const own = [...type.attributes.values()].filter(({ system }) => !system).map(({ name }) => name);
  if (!before) return own.filter((name) => !isEmpty(after[name]));
  const difference = differenceIn({ before, after });
  const names = new Set(Object.keys({ ...difference?.before, ...difference?.after }));
  return own.filter((name) => names.has(name));
}

interface Erasing {
  /** The versions of the entries as they are now stay. */
  readonly past: boolean;
}

/** Deletes what is kept of a document. Returns how many versions. */
export const eraseVersions = async (
  db: Db,
  type: ContentType,
  documentId: string,
  { past }: Erasing,
): Promise<number> =>
  (await db.collection(historyName(type)).deleteMany(await erasable(db, type, documentId, past)))
    .deletedCount;

/** How many that would be. */
export const countVersions = async (
  db: Db,
  type: ContentType,
  documentId: string,
  { past }: Erasing,
): Promise<number> =>
  db.collection(historyName(type)).countDocuments(await erasable(db, type, documentId, past));

/**
 * Of the past is also the version that was kept last, if an import, a migration or another program has changed the entry
 * since, which may leave its `_rev` as it was.
 */
async function erasable(db: Db, type: ContentType, documentId: string, past: boolean): Promise<Document> {
  if (!past) return { documentId };
  const found = <T extends Document>(name: string, filter: Document) =>
    db
      .collection(name)
      .find<T>({ documentId, ...filter }, { promoteLongs: false })
      .toArray();
  const last = await found<StoredVersion>(historyName(type), { '_version.until': FOREVER });
  const entries = (
    await Promise.all(statusesOf(type).map((status) => found(collectionName(type, status), {})))
  ).flat();
  const current = last.filter(({ _version, _write, ...version }) => {
    const entry = entries.find(({ _id }) => idText(_id) === idText(version['_id']));
    return entry !== undefined && isSameEntry(version, entry);
  });
  const revisions = current.map(({ _id, _rev }) => ({ '_version.until': FOREVER, _id, _rev }));
  return { documentId, ...(revisions.length > 0 && { $nor: revisions }) };
}
