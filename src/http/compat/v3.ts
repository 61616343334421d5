import type { Identity } from '../../access/index.js';
import { errors } from '../../errors.js';
import { restViewer } from '../../query/attributes.js';
import type { Caller } from '../../query/read-plan.js';
import { routeOf } from '../../schema/find.js';
import type { ContentType, Status } from '../../schema/types.js';
import { FILE_UID } from '../../schema/uids.js';
import { objectAt, objectsIn, type PlainObject } from '../../values/plain-object.js';
import { contentRequest } from '../content-request.js';
import type { RequestContext, Route } from '../context.js';
import type { AppDeps } from '../deps.js';
import { type AnswerContext, entryToDelete, idInPath, nameDocument, replaceQuery } from './adapt.js';
import { draftItems, SAME_ITEMS, withDraftItems } from './items.js';
import { withLookups } from './lookup.js';
import { chooseVersion, unpublishWritten, WRITERS } from './publication.js';
import { draftTwins, entriesOf, hasEntry, siblingsOf } from './rows.js';
import { type Stored, type StoredDeps, storedFor } from './stored.js';
import { type Show3, showV3 } from './v3-body.js';
import type { Ask3 } from './v3-filters.js';
import { oldIds } from './v3-ids.js';
import { dataV3 } from './v3-input.js';
import { allows, populateV3 } from './v3-populate.js';
import { queryV3 } from './v3-query.js';
import { fileUses } from './v3-related.js';
import { storedEntries } from './v3-stored.js';

/**
 * The routes of a content type for Strapi 3 clients: `_limit`, `_sort`, `_where` etc., bodies without `data`,
 * flat answers with `_id`. The old id is the documentId, or that of a localization (docs/from-strapi.md).
 */
export const asV3 = (type: ContentType, route: Route): Route => ({
  ...route,
  controller: async (ctx, identity, deps) => {
    const query = await prepare(deps, type, ctx, identity);
    const deleted =
      route.method === 'delete' ? await readDeleted(ctx, identity, { deps, type, query }) : null;
    await route.controller(ctx, identity, deps);
    await unpublishWritten(ctx, identity, deps, type);
    if (deleted) {
      replaceQuery(ctx, deleted.query);
      ctx.body = { data: deleted.data };
    }
    await answer(ctx, identity, { deps, type, query });
  },
});

/** `/count`: the number of matching entries, for who may list them. */
export const countRoute = (
  type: ContentType,
  { path, action }: Pick<Route, 'path' | 'action'> = {
    path: `/${routeOf(type)}`,
    action: `${type.uid}.find`,
  },
): Route => ({
  method: 'get',
  path: `${path}/count`,
  action,
  controller: async (ctx, identity, deps) => {
    const given = ctx.exchange.query.params;
    const {
      pagination: _,
      sort: __,
      ...query
    } = await withIds(deps, identity, (by) => queryV3({ ...by, viewer: restViewer(identity) }, type, given));
    replaceQuery(ctx, query);
    ctx.body = await deps.documents(type.uid).forRequest(contentRequest(ctx, identity)).count();
  },
});

/** Translates with the ids that clients know. */
export function withIds<T>(
  deps: StoredDeps & Pick<AppDeps, 'config'>,
  caller: Caller,
  make: (by: Ask3) => T,
): Promise<T> {
  const { schema, config } = deps;
  const { ids, lookups } = oldIds(storedFor(deps, caller), config.plugins.i18n.defaultLocale);
  return withLookups(lookups, () => make({ schema, ids }));
}

/** The methods that change nothing. */
const READERS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * What a deletion answers with, and the query for it: the draft if it is not published. A 404 if there is none, of which
 * Strapi 5 says nothing.
 */
async function readDeleted(
  ctx: RequestContext,
  identity: Identity,
  { deps, type, query }: AnswerContext,
): Promise<{ readonly query: PlainObject; readonly data: unknown }> {
  const { documentId } = ctx.params;
  const where = {
    ...(documentId !== undefined && { documentId }),
    ...(typeof query['locale'] === 'string' && { locale: query['locale'] }),
  };
  const stored = storedFor(deps, identity);
  const has = (status: Status): Promise<boolean> => hasEntry(stored, type, { status, where });
  const isDraft = !(await has('published'));
  if (isDraft && !(type.draftAndPublish && (await has('draft')))) throw errors.notFound();
  const shown = isDraft && readsDrafts(deps, identity) ? { ...query, status: 'draft' } : query;
  replaceQuery(ctx, shown);
  const data = await entryToDelete(ctx, identity, deps, { uid: type.uid, v4: false });
  replaceQuery(ctx, query);
  return { query: shown, data };
}

async function prepare(
  deps: AppDeps,
  type: ContentType,
  ctx: RequestContext,
  identity: Identity,
): Promise<PlainObject> {
  // Strapi 3 ignores the query of a write, but for that of a single type.
  const ignored = type.kind === 'collectionType' && !READERS.has(ctx.method);
  const given = ignored ? {} : ctx.exchange.query.params;
  const body: unknown = ctx.request.body;
  const sent = WRITERS.has(ctx.method) && typeof body === 'object' && body !== null ? body : null;
  const id = idInPath(ctx);
  const { query, row, data } = await withIds(deps, identity, (by) => ({
    query: queryV3({ ...by, viewer: restViewer(identity) }, type, given),
    row: id === undefined ? null : by.ids.rowOf(type.uid, id),
    data: sent && dataV3(by, type, sent as PlainObject),
  }));
  const whole: Record<string, unknown> = { ...query, populate: populateV3(deps.schema, type, identity) };
  // Of a single type, Strapi 3 shows one of all locales: the oldest.
  if (type.kind === 'singleType' && query['locale'] === '*') {
    const status = query['status'] === 'draft' ? 'draft' : 'published';
    const rows = await entriesOf(storedFor(deps, identity), type, { status });
    whole['locale'] = rows.toSorted((one, other) => one.id - other.id)[0]?.locale ?? undefined;
  }
  if (row) {
    nameDocument(ctx, row.documentId);
    if (type.localized) {
      const { locale: asked } = query;
      const { locale = deps.config.plugins.i18n.defaultLocale } = row;
      // The id is that of one locale.
      if (ctx.method === 'GET' && asked !== undefined && asked !== '*' && asked !== locale)
        throw errors.notFound();
      whole['locale'] = locale ?? asked;
      // An entry without a locale is found only by asking for that.
      if (locale === null) whole['filters'] = { ...objectAt(whole['filters']), locale: { $null: true } };
    }
  }
  if (sent && data) {
    const stored = storedFor(deps, identity);
    const { locale, published_at: date } = objectAt(sent);
    const row = await chooseVersion(stored, ctx, deps, { type, query: whole, date, locale });
    const items = row === null ? SAME_ITEMS : await draftItems(stored, type, row);
    ctx.request.body = { data: withDraftItems(deps.schema, type, data, items) };
  }
  replaceQuery(ctx, whole);
  return whole;
}

async function answer(
  ctx: RequestContext,
  identity: Identity,
  { deps, type, query }: AnswerContext,
): Promise<void> {
  const { data } = objectAt(ctx.body);
  if (data === undefined) return;
  // Not that of `query`: publishing and unpublishing choose the version that they show.
  const status = ctx.exchange.query.params['status'] === 'draft' ? 'draft' : 'published';
  const entries = objectsIn([data].flat());
  // A list of all locales has no localizations in its entries, so they are added.
  const given =
    query['locale'] === '*' ? await withSiblings(storedFor(deps, identity), type, status, entries) : data;
  ctx.status = 200;
  ctx.body = await renderV3(deps, identity, (show) => showV3(show, type, given), {
    drafts: status === 'draft',
  });
}

interface Body3 {
  /** Whether it holds drafts. */
  readonly drafts?: boolean;
  /** Whether it is the caller's own account. */
  readonly isOwn?: boolean;
}

/** Renders a body with the ids that clients know and, for drafts, the dates of the published versions. */
export async function renderV3(
  deps: AppDeps,
  identity: Identity,
  make: (show: Show3) => unknown,
  { drafts = false, isOwn = false }: Body3 = {},
): Promise<unknown> {
  const { schema, config } = deps;
  const { defaultLocale } = config.plugins.i18n;
  const lookups = storedFor(deps, identity);
  const around = {
    schema,
    viewer: restViewer(identity),
    isRuled: lookups.isRuled,
    defaultLocale,
    drafts: readsDrafts(deps, identity),
    isOwn,
    allows: (uid: string) => allows(identity, uid),
  };
  const old = oldIds(lookups, defaultLocale);
  const entries = storedEntries(lookups);
  const uses = fileUses({ ...around, stored: lookups });
  const twins = draftTwins(lookups);
  const show: Show3 = {
    ...around,
    ids: old.ids,
    stored: entries.stored,
    usesOf: (file) => uses.get(FILE_UID, file) ?? [],
    twin: (uid, id) => (drafts && typeof id === 'number' ? twins.get(uid, id) : undefined),
  };
  return withLookups([...old.lookups, ...entries.lookups, uses, twins], () => make(show));
}

/** Whether the caller may know of drafts. */
const readsDrafts = ({ config }: Pick<AppDeps, 'config'>, { anonymous }: Identity): boolean =>
  config.rest.publicDrafts || anonymous !== true;

async function withSiblings(
  stored: Stored,
  type: ContentType,
  status: Status,
  entries: readonly PlainObject[],
): Promise<readonly PlainObject[]> {
  const documentIds = entries.map(({ documentId }) => String(documentId));
  const rows = await siblingsOf(stored, type, { status, documentIds });
  return entries.map((entry) => ({
    ...entry,
    localizations: rows.filter(
      ({ documentId, locale }) => documentId === entry['documentId'] && locale !== entry['locale'],
    ),
  }));
}
