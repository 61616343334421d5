import { errors } from '../../errors.js';
import type { ContentType } from '../../schema/types.js';
import { plainRequest } from '../content-request.js';
import type { Controller, RequestContext, Route } from '../context.js';
import type { AppDeps } from '../deps.js';
import { ask } from './ask.js';
import { findRow, meetTwins } from './rows.js';
import { showV4 } from './v4-body.js';
import { queryV4 } from './v4-query.js';

/**
 * The routes of a content type for clients of Strapi 4: numeric ids in addresses, `publicationState` and `locale=all`, answers of
 * 200 with `attributes`. The request is put into Strapi 5's form, the same controller answers, and its body is put back.
 */
export const asV4 = (deps: AppDeps, type: ContentType, route: Route): Route => ({
  ...route,
  controller: async (ctx, identity) => {
    const query = queryV4(deps.schema, type, ctx.state.query.params);
    const body = bodyOf(ctx);
    if (body?.publishedAt === null) query['status'] = 'draft';
    if (ctx.params['documentId'] !== undefined) await nameRow(deps, type, ctx, query);
    ask(deps, ctx, query);
    ctx.request.headers['strapi-response-format'] = 'v4';
    if (body) ctx.request.body = { data: body.data };
    if (route.method === 'delete') await removed(ctx, identity, { deps, type, route });
    else await route.controller(ctx, identity);
    await answer(deps, type, ctx, query['status'] === 'draft');
  },
});

interface Given {
  readonly data: Readonly<Record<string, unknown>>;
  readonly publishedAt: unknown;
}

/** The data of a write without `publishedAt`, by which clients of v4 say what state they want. */
function bodyOf(ctx: RequestContext): Given | null {
  const body: unknown = ctx.request.body;
  const data = typeof body === 'object' && body !== null && 'data' in body ? body.data : null;
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return null;
  const { publishedAt, ...rest } = data as Record<string, unknown>;
  return { data: rest, publishedAt };
}

/** A numeric id is that of one row: it says which document, which locale and, for a draft that is not published, which version. */
async function nameRow(
  { store }: AppDeps,
  type: ContentType,
  ctx: RequestContext,
  query: Record<string, unknown>,
): Promise<void> {
  const given = ctx.params['documentId'] ?? '';
  if (!/^\d{1,15}$/.test(given)) return;
  const row = await findRow(store, type, Number(given));
  if (!row) throw errors.notFound();
  ctx.params['documentId'] = row.documentId;
  if (type.localized && row.locale !== null) query['locale'] = row.locale;
  if (row.draftOnly) query['status'] = 'draft';
}

interface Removal {
  readonly deps: AppDeps;
  readonly type: ContentType;
  readonly route: Route;
}

/** v4 answers with what was deleted. */
async function removed(
  ctx: RequestContext,
  identity: Parameters<Controller>[1],
  { deps, type, route }: Removal,
): Promise<void> {
  const { documentId } = ctx.params;
  const service = deps.documents(type.uid).forRequest({ ...plainRequest(ctx, identity), v4: true });
  const found = await (documentId === undefined ? service.findFirst() : service.findOne(documentId));
  if (found.data === null) throw errors.notFound();
  // The row of v4 is both versions.
  const { status: _, ...query } = ctx.state.query.params;
  ask(deps, ctx, query);
  await route.controller(ctx, identity);
  ctx.body = { data: found.data, meta: {} };
}

/** The body in v4's form: no documentIds, and of a draft with a published version the id and date of that. */
async function answer(
  { store, schema }: AppDeps,
  type: ContentType,
  ctx: RequestContext,
  draft: boolean,
): Promise<void> {
  const body = ctx.body as { data?: unknown; meta?: unknown } | undefined;
  if (body?.data === undefined || ctx.status >= 400) return;
  ctx.status = 200;
  const { meet, twins } = meetTwins({ store, schema });
  const plain = showV4({ schema, twin: meet }, type, body.data);
  const data = draft ? showV4({ schema, twin: await twins() }, type, body.data) : plain;
  ctx.body = { data, meta: body.meta ?? {} };
}
