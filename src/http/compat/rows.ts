import { holdsItems } from '../../documents/plan/items.js';
import type { ContentType, Schema, Status } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import type { EntryHead } from '../../store/transfer/import-entries.js';
import { type EntryKey, eachPair } from './items.js';
import { Lookup } from './lookup.js';
import type { Stored } from './stored.js';

interface WantedVersion {
  readonly status: Status;
  readonly where?: Readonly<Record<string, unknown>>;
}

interface VersionRow extends Omit<EntryHead, '_id'> {
  readonly publishedAt: Date | null;
}

const VERSION = ['id', 'documentId', 'locale', 'publishedAt'];

const versionOf = ({ id, documentId, locale, publishedAt }: Entry): VersionRow => ({
  id: Number(id),
  documentId: String(documentId),
  locale: typeof locale === 'string' ? locale : null,
  publishedAt: publishedAt instanceof Date ? publishedAt : null,
});

/** The entries of one status that match a condition. */
export async function entriesOf(
  stored: Stored,
  type: ContentType,
  { status, where = {} }: WantedVersion,
): Promise<readonly VersionRow[]> {
  const rows = await stored.entries(type, status, where, { fields: VERSION });
  return rows.map(versionOf);
}

/** Whether there is one. */
export const hasEntry = async (stored: Stored, type: ContentType, wanted: WantedVersion): Promise<boolean> =>
  (await entriesOf(stored, type, wanted)).length > 0;

/** All locales of these documents. */
export const siblingsOf = (
  stored: Stored,
  type: ContentType,
  {
    status,
    documentIds,
  }: { readonly status: WantedVersion['status']; readonly documentIds: readonly string[] },
): Promise<readonly VersionRow[]> =>
  entriesOf(stored, type, { status, where: { documentId: { $in: documentIds } } });

/** The numeric id of an entry of a built-in type, by its documentId. */
export async function numericIdOf(
  stored: Stored,
  type: ContentType,
  documentId: string,
): Promise<number | null> {
  const [row] = await entriesOf(stored, type, { status: 'published', where: { documentId } });
  return row?.id ?? null;
}

/** The row that a v4 id refers to. */
interface Row extends EntryKey {
  /** A draft with no published version. */
  readonly draftOnly: boolean;
}

/** The published row with this id, otherwise, if `drafts`, the draft. */
export async function findRow(
  stored: Stored,
  type: ContentType,
  id: number,
  drafts: boolean,
): Promise<Row | null> {
  const [published] = await entriesOf(stored, type, { status: 'published', where: { id } });
  if (published || !type.draftAndPublish || !drafts)
    return published ? { ...published, draftOnly: false } : null;
  const [draft] = await entriesOf(stored, type, { status: 'draft', where: { id } });
  if (!draft) return null;
  const { documentId, locale } = draft;
  const [twin] = await entriesOf(stored, type, { status: 'published', where: { documentId, locale } });
  return { documentId, locale, draftOnly: !twin };
}

export interface Twin {
  readonly id: number;
  readonly publishedAt: string | null;
  /** The id of a component item in the published version, given its id in the draft. */
  item(uid: string, id: unknown): unknown;
}

/** The published versions of drafts, by the numeric ids of the drafts. */
async function publishedTwins(
  { schema, entries }: Stored,
  type: ContentType,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Twin>> {
  if (!type.draftAndPublish || type.storage || ids.length === 0) return new Map();
  const holders = [...type.attributes.values()].filter(holdsItems).map(({ name }) => name);
  const read = (status: WantedVersion['status'], where: NonNullable<WantedVersion['where']>) =>
    entries(type, status, where, { fields: [...VERSION, ...holders] });
  const drafts = await read('draft', { id: { $in: ids } });
  const documentIds = [...new Set(drafts.map(({ documentId }) => documentId))];
  const rows = await read('published', { documentId: { $in: documentIds } });
  const keyOf = ({ documentId, locale }: Entry): string => `${String(documentId)} ${String(locale ?? '')}`;
  const published = new Map(rows.map((row) => [keyOf(row), row]));
  return new Map(
    drafts.flatMap((draft) => {
      const row = published.get(keyOf(draft));
      return row ? [[Number(draft['id']), twinOf(schema, type, [draft, row])] as const] : [];
    }),
  );
}

function twinOf(schema: Schema, type: ContentType, [draft, published]: readonly [Entry, Entry]): Twin {
  const { id, publishedAt } = versionOf(published);
  const items = new Map<string, unknown>();
  eachPair(schema, type, [draft, published], (uid, own, other) => items.set(`${uid} ${String(own)}`, other));
  return {
    id,
    publishedAt: publishedAt?.toISOString() ?? null,
    item: (uid, own) => items.get(`${uid} ${String(own)}`) ?? own,
  };
}

/** The published versions of drafts, by the ids of the drafts. */
export const draftTwins = (stored: Stored): Lookup<number, Twin> =>
  new Lookup(async (uid, ids) => {
    const type = stored.schema.contentTypes.get(uid);
    return type?.origin === 'api' ? publishedTwins(stored, type, ids) : [];
  });
