import { collectionName } from '../../pipeline/collection.js';
import type { ContentType, Schema } from '../../schema/types.js';
import type { Store } from '../../store/client.js';
import { readEntries } from '../../store/entries.js';

interface Wanted {
  readonly status: 'draft' | 'published';
  readonly where: Readonly<Record<string, unknown>>;
}

interface VersionRow {
  readonly id: number;
  readonly documentId: string;
  readonly locale: string | null;
  readonly publishedAt: Date | null;
}

/** The versions of a type that hold to a condition on their names. */
async function findEntries(
  store: Store,
  type: ContentType,
  { status, where }: Wanted,
): Promise<readonly VersionRow[]> {
  const rows = await readEntries(store.db, collectionName(type, status), where, {
    fields: ['id', 'documentId', 'locale', 'publishedAt'],
  });
  return rows.map(({ id, documentId, locale, publishedAt }) => ({
    id: Number(id),
    documentId: String(documentId),
    locale: typeof locale === 'string' ? locale : null,
    publishedAt: publishedAt instanceof Date ? publishedAt : null,
  }));
}

/** All locales of these documents. */
export const siblingsOf = (
  store: Store,
  type: ContentType,
  { status, documentIds }: { readonly status: Wanted['status']; readonly documentIds: readonly string[] },
): Promise<readonly VersionRow[]> =>
  findEntries(store, type, { status, where: { documentId: { $in: documentIds } } });

/** The number of an entry of a built-in type, by its documentId. */
export async function numberOf(store: Store, type: ContentType, documentId: string): Promise<number | null> {
  const [row] = await findEntries(store, type, { status: 'published', where: { documentId } });
  return row?.id ?? null;
}

/** The row that an id of v4 means. */
export interface Row {
  readonly documentId: string;
  readonly locale: string | null;
  /** It is a draft of which nothing is published. */
  readonly draftOnly: boolean;
}

/** The published row of this id, else the draft. */
export async function findRow(store: Store, type: ContentType, id: number): Promise<Row | null> {
  const [published] = await findEntries(store, type, { status: 'published', where: { id } });
  if (published || !type.draftAndPublish) return published ? { ...published, draftOnly: false } : null;
  const [draft] = await findEntries(store, type, { status: 'draft', where: { id } });
  if (!draft) return null;
  const { documentId, locale } = draft;
  const [twin] = await findEntries(store, type, { status: 'published', where: { documentId, locale } });
  return { documentId, locale, draftOnly: !twin };
}

export interface Twin {
  readonly id: number;
  readonly publishedAt: string | null;
}

/** The published versions of drafts, by the numbers of the drafts. */
async function publishedTwins(
  store: Store,
  type: ContentType,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Twin>> {
  if (!type.draftAndPublish || type.storage || ids.length === 0) return new Map();
  const drafts = await findEntries(store, type, { status: 'draft', where: { id: { $in: ids } } });
  const documentIds = [...new Set(drafts.map(({ documentId }) => documentId))];
  const rows = await findEntries(store, type, {
    status: 'published',
    where: { documentId: { $in: documentIds } },
  });
  const keyOf = ({ documentId, locale }: VersionRow): string => `${documentId} ${locale ?? ''}`;
  const published = new Map(rows.map((row) => [keyOf(row), row]));
  return new Map(
    drafts.flatMap((draft) => {
      const row = published.get(keyOf(draft));
      if (!row) return [];
      return [[draft.id, { id: row.id, publishedAt: row.publishedAt?.toISOString() ?? null }] as const];
    }),
  );
}

/** Notes the entries that a body shows (`meet`), then finds the published versions of the drafts among them (`twins`). */
export function meetTwins({ store, schema }: { readonly store: Store; readonly schema: Schema }) {
  const met = new Map<string, Set<number>>();
  return {
    meet(uid: string, id: unknown): undefined {
      if (typeof id === 'number') met.set(uid, (met.get(uid) ?? new Set()).add(id));
    },
    async twins(): Promise<(uid: string, id: unknown) => Twin | undefined> {
      const found = new Map<string, ReadonlyMap<number, Twin>>();
      for (const [uid, ids] of met) {
        const type = schema.contentTypes.get(uid);
        if (type?.origin === 'api') found.set(uid, await publishedTwins(store, type, [...ids]));
      }
      return (uid, id) => found.get(uid)?.get(Number(id));
    },
  };
}
