import type { Identity } from '../../access/identity.js';
import { ApiError } from '../../errors.js';
import { routeOf } from '../../schema/find.js';
import type { ContentType } from '../../schema/types.js';
import { contentRequest, plainRequest } from '../content-request.js';
import type { RequestContext, Route } from '../context.js';
import type { AppDeps } from '../deps.js';
import { ask } from './ask.js';
import { publishedTwins } from './rows.js';
import { showV3 } from './v3-body.js';
import { populateV3 } from './v3-populate.js';
import { queryV3 } from './v3-query.js';

/**
 * The routes of a content type for clients of Strapi 3: `_limit`, `_sort`, `_where` and the like, bodies without `data`, flat
 * answers with `_id`. The old id is the documentId (docs/from-strapi.md).
 */
export const asV3 = (deps: AppDeps, type: ContentType, route: Route): Route => ({
  ...route,
  controller: async (ctx, identity) => {
    const query = await prepare(deps, type, ctx, identity);
    try {
      if (route.method === 'delete') await removed(ctx, identity, { deps, type, route });
      else await route.controller(ctx, identity);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
      ctx.status = 404;
      ctx.body = 'Not Found';
      return;
    }
    await answer(deps, type, ctx, query['status'] === 'draft');
  },
});

/** `/count`: how many entries match, as a number. */
export const countRoute = (deps: AppDeps, type: ContentType): Route => ({
  method: 'get',
  path: `/${routeOf(type)}/count`,
  action: `${type.uid}.find`,
  controller: async (ctx, identity) => {
    const { pagination: _, sort: __, ...query } = queryV3(deps.schema, type, ctx.state.query.params);
    ask(deps, ctx, query);
    ctx.body = await deps.documents(type.uid).forRequest(contentRequest(ctx, identity)).count();
  },
});

async function prepare(
  deps: AppDeps,
  type: ContentType,
  ctx: RequestContext,
  identity: Identity,
): Promise<Record<string, unknown>> {
  const query: Record<string, unknown> = {
    ...queryV3(deps.schema, type, ctx.state.query.params),
    populate: populateV3(deps.schema, type, identity),
  };
  const body: unknown = ctx.request.body;
  if (ctx.method !== 'GET' && typeof body === 'object' && body !== null) {
    const { published_at: publishedAt, _id, id, ...data } = body as Record<string, unknown>;
    if (publishedAt === null) query['status'] = 'draft';
    ctx.request.body = { data };
  }
  ask(deps, ctx, query);
  return query;
}

interface Removal {
  readonly deps: AppDeps;
  readonly type: ContentType;
  readonly route: Route;
}

/** v3 answers with what was deleted. */
async function removed(
  ctx: RequestContext,
  identity: Identity,
  { deps, type, route }: Removal,
): Promise<void> {
  const { documentId } = ctx.params;
  const service = deps.documents(type.uid).forRequest(plainRequest(ctx, identity));
  const found = await (documentId === undefined ? service.findFirst() : service.findOne(documentId));
  await route.controller(ctx, identity);
  ctx.body = { data: found.data };
}

async function answer(
  { store, schema }: AppDeps,
  type: ContentType,
  ctx: RequestContext,
  draft: boolean,
): Promise<void> {
  const { data } = ctx.body as { readonly data?: unknown };
  if (data === undefined) return;
  const ids = [data].flat().flatMap((entry) => idOf(entry));
  const twins = draft ? await publishedTwins(store, type, ids) : new Map();
  ctx.status = 200;
  ctx.body = showV3(schema, type, data, twins);
}

const idOf = (entry: unknown): readonly number[] =>
  typeof entry === 'object' && entry !== null && 'id' in entry && typeof entry.id === 'number'
    ? [entry.id]
    : [];
