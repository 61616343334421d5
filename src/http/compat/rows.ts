import { collectionName } from '../../pipeline/collection.js';
import type { ContentType } from '../../schema/types.js';
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
  const rows = await readEntries(store.db, collectionName(type, status), where, [
    'id',
    'documentId',
    'locale',
    'publishedAt',
  ]);
  return rows.map(({ id, documentId, locale, publishedAt }) => ({
    id: Number(id),
    documentId: String(documentId),
    locale: typeof locale === 'string' ? locale : null,
    publishedAt: publishedAt instanceof Date ? publishedAt : null,
  }));
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

/** `documentId locale` of the published versions that the shown drafts have. */
export async function publishedTwins(
  store: Store,
  type: ContentType,
  data: unknown,
): Promise<ReadonlyMap<string, Twin>> {
  const shown = (Array.isArray(data) ? data : [data]) as readonly { readonly documentId?: unknown }[];
  const ids = shown.flatMap((entry) => (typeof entry?.documentId === 'string' ? [entry.documentId] : []));
  if (ids.length === 0) return new Map();
  const rows = await findEntries(store, type, { status: 'published', where: { documentId: { $in: ids } } });
  return new Map(
    rows.map(({ documentId, locale, id, publishedAt }) => [
      `${documentId} ${locale ?? ''}`,
      { id, publishedAt: publishedAt?.toISOString() ?? null },
    ]),
  );
}
