import type { Action, InnerContext } from '../documents/middleware.js';
import { scriptRequest } from '../documents/read/script-request.js';
import type { RenderedEntry } from '../documents/types.js';
import { paramsQuery } from '../query/query.js';
import { objectAt } from '../values/plain-object.js';
import type { Live } from './live.js';
import type { Values } from './types.js';

/** A row as Strapi stores them: one version of a document in one locale. */
export interface WrittenRow {
  readonly lifecycle: 'Create' | 'Update' | 'Delete';
  /** The row as it was; null for one that is created. */
  readonly before: RenderedEntry | null;
  /** The row whose values a new one has; null: it has those of the call. */
  readonly copied: RenderedEntry | null;
  /** Whether the event has the parameters of the call. */
  readonly isCall: boolean;
  readonly isPublished: boolean;
}

type Status = 'draft' | 'published';

const deleted =
  (isPublished: boolean) =>
  (before: RenderedEntry): WrittenRow => ({
    lifecycle: 'Delete',
    before,
    copied: null,
    isCall: false,
    isPublished,
  });
const created =
  (isPublished: boolean) =>
  (copied: RenderedEntry | null): WrittenRow => ({
    lifecycle: 'Create',
    before: null,
    copied,
    isCall: false,
    isPublished,
  });

interface Versions {
  readonly drafts: readonly RenderedEntry[];
  readonly published: readonly RenderedEntry[];
}

/** What Strapi writes for a call that keeps both versions, in its order. */
const ROWS: Readonly<Partial<Record<Action, (versions: Versions) => readonly WrittenRow[]>>> = {
  delete: ({ drafts, published }) => [...drafts.map(deleted(false)), ...published.map(deleted(true))],
  clone: ({ drafts, published }) => (drafts.length > 0 ? drafts : published).map(created(false)),
  publish: ({ drafts, published }) => [...published.map(deleted(true)), ...drafts.map(created(true))],
  unpublish: ({ published }) => published.map(deleted(true)),
  discardDraft: ({ drafts, published }) => [...drafts.map(deleted(false)), ...published.map(created(false))],
};

/**
 * The rows that a call of the Document Service would write in Strapi, in its order: publishing an update, for
 * example, updates the draft, deletes the published row and creates it anew. None if there is no such document.
 */
export async function writtenRows(
  { action, uid, contentType: type, params, reader }: InnerContext,
  { documents }: Pick<Live, 'documents'>,
): Promise<readonly WrittenRow[]> {
  const { documentId, status, locale, version }: Values = { ...params };
  const publishes = type.draftAndPublish && status === 'published';
  const list = async (version: Status, where: Values): Promise<readonly RenderedEntry[]> => {
    const query = paramsQuery(
      { filters: { documentId }, status: version, populate: '*', ...(type.localized && where) },
      'service',
    );
    const { data } = await reader.list(scriptRequest(type, query));
    return data;
  };
  const here = async (version: Status): Promise<readonly RenderedEntry[]> => {
    if (!Array.isArray(locale)) return list(version, locale === undefined ? {} : { locale });
    return (await list(version, { locale: '*' })).filter((row) => locale.includes(row['locale']));
  };
  const call = (before: RenderedEntry | null): WrittenRow => ({
    lifecycle: before ? 'Update' : 'Create',
    before,
    copied: null,
    isCall: true,
    isPublished: !type.draftAndPublish,
  });
  if (action === 'create') return [call(null), ...(publishes ? [created(true)(null)] : [])];
  if (action === 'restore') {
    const of = { documentId: String(documentId), version: String(version), populate: '*' };
    const found = await documents(uid).findVersion?.(of);
    if (!found) return [];
    const replaced = await list(type.draftAndPublish ? 'draft' : 'published', { locale: found.locale });
    const isPublished = !type.draftAndPublish;
    return [...replaced.map(deleted(isPublished)), created(isPublished)(found.entry)];
  }
  const drafts = type.draftAndPublish ? await here('draft') : [];
  const published = await here('published');
  if (action !== 'update') return ROWS[action]?.({ drafts, published }) ?? [];
  const [row = null] = type.draftAndPublish ? drafts : published;
  const exists =
    row !== null || (await list(type.draftAndPublish ? 'draft' : 'published', { locale: '*' })).length > 0;
  if (!exists) return [];
  return [call(row), ...(publishes ? [...published.map(deleted(true)), created(true)(row)] : [])];
}

/** The values of a row that a call creates from another one and from its own data. */
export function createdData({ copied, isPublished }: WrittenRow, data: unknown, action: Action): Values {
  const { id: _, localizations: __, documentId, ...values } = copied ?? {};
  return {
    ...values,
    ...(action !== 'clone' && documentId !== undefined && { documentId }),
    ...objectAt(data),
    publishedAt: isPublished ? new Date() : null,
  };
}
