/** Finds where the kept versions of a type differ from its entries: another program, an import or a migration wrote. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db, Document } from 'mongodb';
import { collectionName, historyName } from '../../schema/stored/collections.js';
import type { ContentType, Status } from '../../schema/types.js';
import { groupBy, inLists } from '../../values/group.js';
import { idText } from '../../values/id-text.js';
import { anyFilter } from '../connection/filter.js';
import { type Entry, revisionOf } from '../entries/changes.js';
import { notedAmong } from '../writes/journal-head.js';
import { FOREVER, isCurrent, OF_OTHERS, placeOf, type StoredVersion, sameDocuments } from './versions.js';

/** Entries that are compared, and documents that are read, at once. */
const AT_ONCE = 500;
/** Milliseconds to wait for a write under way, and between looking for it. */
const [PATIENCE, EVERY] = [20_000, 50];

/** An entry as it is, and the version of it that was kept last; one of them may be missing. */
interface Unkept {
  readonly entry: Entry | null;
  readonly current: StoredVersion | null;
  /** See `missedVersion`. */
  readonly others: readonly StoredVersion[];
}

const byId = async (db: Db, collection: string, ids: readonly unknown[], projection?: Document) => {
  if (ids.length === 0) return new Map<string, Entry>();
  const found = await db
    .collection(collection)
    .find<Entry>(anyFilter({ _id: { $in: ids } }), { promoteLongs: false, ...(projection && { projection }) })
    .toArray();
  return new Map(found.map((one) => [idText(one['_id']), one]));
};

const REVISION = { _rev: 1 };

const isVersionOf = (version: Entry | null | undefined, entry: Entry): boolean =>
  !!version && revisionOf(version) === revisionOf(entry);

/**
 * The entries of a type in one status that no version is like, then the versions whose entries are gone: a list, which
 * may be empty, for each that was compared.
 */
export async function* unkeptIn(
  db: Db,
  type: ContentType,
  status: Status,
): AsyncGenerator<readonly Unkept[]> {
  const [entries, versions] = [collectionName(type, status), historyName(type)];
  const stored = db.collection(entries).find<Entry>({}, { projection: REVISION, batchSize: AT_ONCE });
  for await (const some of inLists(stored, AT_ONCE)) {
    const ids = some.map(({ _id }) => _id);
    const known = await byId(db, versions, ids, REVISION);
    const unkept = some.filter((entry) => !isVersionOf(known.get(idText(entry['_id'])), entry));
    yield pairs(
      db,
      type,
      status,
      unkept.map(({ _id }) => _id),
    );
  }
  const current = db
    .collection(versions)
    .find<Entry>(
      { '_version.until': FOREVER, '_version.status': status },
      { projection: REVISION, batchSize: AT_ONCE },
    );
  for await (const some of inLists(current, AT_ONCE)) {
    const ids = some.map(({ _id }) => _id);
    const known = await byId(db, entries, ids, REVISION);
    yield pairs(
      db,
      type,
      status,
      ids.filter((id) => !known.has(idText(id))),
    );
  }
}

/**
 * When each of these versions ceased to be, whose entries are gone: an import deletes documents and stores them again as
 * other entries, which are kept first. Otherwise nothing tells when, and it is now.
 * @throws if the entries that followed are not written within `PATIENCE`
 */
export async function endsOf(
  db: Db,
  type: ContentType,
  status: Status,
  gone: readonly StoredVersion[],
): Promise<ReadonlyMap<StoredVersion, Date>> {
  const documentIds = gone.map(({ documentId }) => documentId);
  await untilKept(db, type, status, documentIds);
  const kept = await db
    .collection<StoredVersion>(historyName(type))
    .find({ documentId: { $in: documentIds } }, { projection: { documentId: 1, locale: 1, _version: 1 } })
    .toArray();
  const of = (version: StoredVersion): string => `${placeOf(version)} ${version._version.status}`;
  const all = groupBy(kept, of);
  const now = Date.now();
  return new Map(
    gone.map((version) => {
      const since = version._version.from.getTime();
      const later = (all.get(of(version)) ?? []).map(({ _version: { from } }) => from.getTime());
      const end = Math.min(...later.filter((from) => from > since), Math.max(now, since));
      return [version, new Date(end)];
    }),
  );
}

/**
 * Without transactions, a write that keeps the first version of one of these entries may have begun and not ended: when
 * that version began, the one before it ended.
 */
async function untilKept(
  db: Db,
  type: ContentType,
  status: Status,
  documentIds: readonly unknown[],
): Promise<void> {
  const followed = await db
    .collection(collectionName(type, status))
    .find({ documentId: { $in: documentIds } }, { projection: { _id: 1 } })
    .toArray();
  const ids = followed.map(({ _id }) => _id);
  for (let waited = 0; (await notedAmong(db, historyName(type), ids)).size > 0; waited += EVERY) {
    if (waited >= PATIENCE) throw new Error(`${type.uid}: versions are still being written`);
    await sleep(EVERY);
  }
}

/**
 * Deletes the versions of these entries that no longer exist: one that was erased before its version was stored would be
 * back. If Mangrove had deleted it, its version would have ended, and another could not have been stored.
 */
export async function forgetGone(
  db: Db,
  type: ContentType,
  status: Status,
  entries: readonly Entry[],
): Promise<void> {
  const ids = entries.map(({ _id }) => _id);
  const unkept = await pairs(db, type, status, ids);
  const gone = unkept.flatMap(({ entry, current }) => (entry ? [] : (current?._id ?? [])));
  if (gone.length === 0) return;
  const current = { _id: { $in: gone }, '_version.until': FOREVER };
  await db.collection(historyName(type)).deleteMany(anyFilter(current));
}

/** Read again: what Mangrove wrote since they were compared is kept. */
async function pairs(
  db: Db,
  type: ContentType,
  status: Status,
  ids: readonly unknown[],
): Promise<readonly Unkept[]> {
  // The versions first: a write in between changes the version that is compared when this one is kept.
  const versions = await byId(db, historyName(type), ids);
  const entries = await byId(db, collectionName(type, status), ids);
  const unkept = ids
    .map((id) => ({
      id,
      entry: entries.get(idText(id)) ?? null,
      current: (versions.get(idText(id)) as StoredVersion | undefined) ?? null,
    }))
    .filter(({ entry, current }) =>
      // What removed an entry since has ended its version.
      entry ? !isVersionOf(current, entry) : current !== null && isCurrent(current._version),
    );
  if (unkept.length === 0) return [];
  // Without transactions a write may have stored its entry and not yet its version. If its note is gone by now, it has
  // changed the version that was read.
  const writing = await notedAmong(
    db,
    collectionName(type, status),
    unkept.map(({ id }) => id),
  );
  const settled = unkept.filter(({ id }) => !writing.has(idText(id)));
  const fresh = settled.flatMap(({ entry, current }) => (entry && !current ? [entry] : []));
  const others = fresh.length === 0 ? [] : await otherVersions(db, type, fresh);
  return settled.map((one) => ({ ...one, others }));
}

const otherVersions = (db: Db, type: ContentType, entries: readonly Entry[]) =>
  db
    .collection<StoredVersion>(historyName(type))
    .find(sameDocuments(entries), { projection: Object.fromEntries(OF_OTHERS.map((name) => [name, 1])) })
    .toArray();
