import { errors } from '../../errors.js';
import { restViewer } from '../../query/attributes.js';
import type { ContentType } from '../../schema/types.js';
import { isObject, numericId, objectAt, objectsIn, type PlainObject } from '../../values/plain-object.js';
import { plainRequest } from '../content-request.js';
import type { Controller, RequestContext, Route } from '../context.js';
import { type AnswerContext, entryToDelete, idInPath, nameDocument, replaceQuery } from './adapt.js';
import { type DraftItems, draftItems, SAME_ITEMS, withDraftItems } from './items.js';
import { withLookups } from './lookup.js';
import { chooseVersion, unpublishWritten, WRITERS } from './publication.js';
import { draftTwins, entriesOf, findRow } from './rows.js';
import { type Stored, storedFor } from './stored.js';
import { showV4 } from './v4-body.js';
import { dataV4 } from './v4-input.js';
import { queryV4 } from './v4-query.js';
import { withRows } from './v4-rows.js';

/**
 * The routes of a content type for Strapi 4 clients: numeric ids in paths, `publicationState` and
 * `locale=all`, and answers with status 200 and `attributes`. The request is translated to Strapi 5, handled
 * by the same controller, and its answer is translated back.
 */
export const asV4 = (type: ContentType, route: Route): Route => ({
  ...route,
  controller: async (ctx, identity, deps) => {
    const given = ctx.exchange.query.params;
    const stored = storedFor(deps, identity);
    const body = WRITERS.has(ctx.method) ? bodyOf(ctx) : null;
    const { query, data } = await withRows(stored, (rowOf) => {
      const { maxLimit } = deps.config.rest;
      const by = { schema: deps.schema, rowOf, viewer: restViewer(identity), maxLimit };
      return { query: queryV4(by, type, given), data: body && dataV4(by, type, body.data) };
    });
    const drafts = deps.config.rest.publicDrafts || identity.anonymous !== true;
    const id = idInPath(ctx);
    const items = id === undefined ? SAME_ITEMS : await nameRow(stored, ctx, { type, query, drafts, id });
    if (body) {
      const { publishedAt: date, data: sent } = body;
      await chooseVersion(stored, ctx, deps, { type, query, date, locale: sent['locale'] });
    }
    replaceQuery(ctx, query);
    ctx.request.headers['strapi-response-format'] = 'v4';
    if (data) ctx.request.body = { data: withDraftItems(deps.schema, type, data, items) };
    const isDelete = route.method === 'delete';
    const gone = isDelete ? await entryToDelete(ctx, identity, deps, { uid: type.uid, v4: true }) : undefined;
    if (gone === null) throw errors.notFound();
    if (isDelete) {
      // In v4 a row stands for both versions.
      const { status: _, ...both } = ctx.exchange.query.params;
      replaceQuery(ctx, both);
    }
    const answered = async () => route.controller(ctx, identity, deps);
    const ofAllLocales = route.method === 'get' && query['locale'] === '*';
    if (ofAllLocales && type.kind === 'singleType') await eachLocale(stored, ctx, { type, query, answered });
    else await answered();
    await unpublishWritten(ctx, identity, deps, type);
    if (isDelete) ctx.body = { data: gone, meta: {} };
    if (ofAllLocales) await addLocalizations(ctx, identity, { deps, type, query });
    // Publishing and unpublishing choose the version that they show.
    const { status } = isDelete ? query : ctx.exchange.query.params;
    await answer(stored, type, ctx, { draft: status === 'draft', given });
  },
});

interface Given {
  readonly data: PlainObject;
  readonly publishedAt: unknown;
}

/** The data of a write without `publishedAt`, with which v4 clients choose the version. */
function bodyOf(ctx: RequestContext): Given | null {
  const { data } = objectAt(ctx.request.body);
  if (!isObject(data)) return null;
  const { publishedAt, ...rest } = data;
  return { data: rest, publishedAt };
}

interface Naming {
  readonly type: ContentType;
  readonly query: Record<string, unknown>;
  /** Whether the caller may know of drafts. */
  readonly drafts: boolean;
  /** As given in the path. */
  readonly id: string;
}

/**
 * Translates a numeric id: it determines the document, the locale and, for an unpublished draft, the version.
 */
async function nameRow(
  stored: Stored,
  ctx: RequestContext,
  { type, query, drafts, id: given }: Naming,
): Promise<DraftItems> {
  nameDocument(ctx, given);
  const id = numericId(given);
  // A number names a document of an adopted collection by its key.
  if (id === null || type.storage) return SAME_ITEMS;
  // Who writes names the entry to write; others must not learn which numbers drafts have.
  const row = await findRow(stored, type, id, drafts || WRITERS.has(ctx.method));
  if (!row) throw errors.notFound();
  nameDocument(ctx, row.documentId);
  if (type.localized && row.locale !== null) query['locale'] = row.locale;
  else if (type.localized && ctx.method === 'GET') {
    // An entry from before its type was localized has no locale to name.
    delete query['locale'];
    query['filters'] = { ...objectAt(query['filters']), locale: { $null: true } };
  }
  // Actions know the version that they change.
  if (row.draftOnly && ctx.method !== 'POST') query['status'] = 'draft';
  return ctx.method === 'PUT' ? draftItems(stored, type, row) : SAME_ITEMS;
}

interface EachLocale {
  readonly type: ContentType;
  readonly query: PlainObject;
  /** Answers the request as its query is then. */
  readonly answered: () => Promise<void>;
}

/** In v4 each locale of a single type is a row, and `locale=all` lists them. */
async function eachLocale(
  stored: Stored,
  ctx: RequestContext,
  { type, query, answered }: EachLocale,
): Promise<void> {
  const published = await entriesOf(stored, type, { status: 'published' });
  const rows = query['status'] === 'draft' ? await entriesOf(stored, type, { status: 'draft' }) : published;
  const shown = new Map(published.map(({ locale, id }) => [locale, id]));
  const idOf = ({ locale, id }: (typeof rows)[number]): number => shown.get(locale) ?? id;
  const data: unknown[] = [];
  for (const { locale } of [...rows].sort((a, b) => idOf(a) - idOf(b))) {
    replaceQuery(ctx, { ...query, locale });
    await answered();
    data.push(objectAt(ctx.body)['data']);
  }
  replaceQuery(ctx, query);
  ctx.body = { data, meta: {} };
}

/** A list of all locales has no localizations in its entries but does in v4, so they are read separately. */
async function addLocalizations(
  ctx: RequestContext,
  identity: Parameters<Controller>[1],
  { deps, type, query }: AnswerContext,
): Promise<void> {
  const options = localizationsIn(query['populate']);
  const body = objectAt(ctx.body);
  if (options === null || !Array.isArray(body['data'])) return;
  const listed = objectsIn(body['data']);
  const documentIds = [...new Set(listed.map(({ documentId }) => documentId))];
  const filters = { documentId: { $in: documentIds } };
  replaceQuery(ctx, { ...options, filters, locale: '*', status: query['status'] });
  const request = { ...plainRequest(ctx, identity), v4: true, unpaginated: true };
  const all = objectsIn((await deps.documents(type.uid).forRequest(request).findMany()).data);
  ctx.body = {
    ...body,
    data: listed.map((entry) => {
      const { id, documentId, attributes } = entry;
      const others = all.filter((each) => each['documentId'] === documentId && each['id'] !== id);
      return { ...entry, attributes: { ...objectAt(attributes), localizations: { data: others } } };
    }),
  };
}

/** The options for `localizations` in a populate; null if it is not populated. */
function localizationsIn(populate: unknown): PlainObject | null {
  if (isObject(populate)) {
    const options = populate['localizations'];
    if (typeof options === 'object' && options !== null) return options as PlainObject;
    return options === undefined || options === false || options === 'false' ? null : {};
  }
  const names = [populate].flat().flatMap((name) => String(name).split(','));
  return names.includes('*') || names.includes('localizations') ? {} : null;
}

/**
 * The body in v4's format: without documentIds, and drafts with the id and date of their published version.
 */
async function answer(
  stored: Stored,
  type: ContentType,
  ctx: RequestContext,
  { draft, given }: { readonly draft: boolean; readonly given: PlainObject },
): Promise<void> {
  const { data: found, meta } = objectAt(ctx.body);
  if (found === undefined || ctx.status >= 400) return;
  ctx.status = 200;
  const { schema } = stored;
  const twins = draftTwins(stored);
  const sortsLocalizations = localizationsIn(given['populate'])?.['sort'] !== undefined;
  const twin = (uid: string, id: unknown) =>
    draft && typeof id === 'number' ? twins.get(uid, id) : undefined;
  const data = await withLookups([twins], () => showV4({ schema, sortsLocalizations, twin }, type, found));
  ctx.body = { data: withoutSorted(given, data), meta: meta ?? {} };
}

/** Sorting by `id` is done by date of creation, which is removed unless it was requested. */
function withoutSorted({ fields, sort }: PlainObject, data: unknown): unknown {
  const asked = [fields].flat().flatMap((name) => String(name).split(','));
  if (fields === undefined || sort === undefined || asked.includes('*') || asked.includes('createdAt'))
    return data;
  if (!Array.isArray(data)) return data;
  return data.map((entry: { readonly attributes?: PlainObject }) => {
    const { createdAt: _, ...attributes } = entry.attributes ?? {};
    return { ...entry, attributes };
  });
}
