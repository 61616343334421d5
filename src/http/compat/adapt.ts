import type { Identity } from '../../access/index.js';
import type { OneAnswer } from '../../documents/read/reader.js';
import { paramsQuery } from '../../query/query.js';
import type { ContentType } from '../../schema/types.js';
import { isPlainObject, type PlainObject } from '../../values/plain-object.js';
import { plainRequest } from '../content-request.js';
import type { RequestContext, Route } from '../context.js';
import type { AppDeps } from '../deps.js';

/** Replaces the request's query with one in Strapi 5's terms. */
export function replaceQuery(ctx: RequestContext, query: object): void {
  ctx.exchange.query = paramsQuery(membersOf(query), 'rest');
}

/** The value in the form of a query string: strings only, and nothing empty. */
function queryForm(value: unknown): unknown {
  if (value === null) return '';
  if (Array.isArray(value)) {
    const members = value.map(queryForm).filter((member) => member !== undefined);
    return members.length === 0 ? undefined : members;
  }
  if (value instanceof Date) return value.toISOString();
  if (!isPlainObject(value)) return value === undefined ? undefined : String(value);
  const members = membersOf(value);
  return Object.keys(members).length === 0 ? undefined : members;
}

const membersOf = (query: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(query)
      .map(([key, value]) => [key, queryForm(value)] as const)
      .filter(([, value]) => value !== undefined),
  );

/** What is needed to answer a query of a content type. */
export interface AnswerContext {
  readonly deps: AppDeps;
  readonly type: ContentType;
  readonly query: PlainObject;
}

/** The id in the path, which routes that a Strapi project declares name `id`; undefined if there is none. */
export function idInPath({ params }: RequestContext): string | undefined {
  const { documentId, id } = params;
  return documentId ?? id;
}

/** Puts a documentId into the path, under both names. */
export function nameDocument({ params }: RequestContext, documentId: string): void {
  params['documentId'] = documentId;
  if (params['id'] !== undefined) params['id'] = documentId;
}

/** A route whose body is converted after the controller has run. */
export const answering = (route: Route, change: (body: unknown) => unknown): Route => ({
  ...route,
  controller: async (ctx, identity, deps) => {
    await route.controller(ctx, identity, deps);
    if (ctx.status < 400) ctx.body = change(ctx.body);
  },
});

/** The entry that a delete is about to remove; older versions of Strapi answer with it. */
export async function entryToDelete(
  ctx: RequestContext,
  identity: Identity,
  { documents }: AppDeps,
  { uid, v4 }: { readonly uid: string; readonly v4: boolean },
): Promise<OneAnswer['data']> {
  const { documentId } = ctx.params;
  const service = documents(uid).forRequest({ ...plainRequest(ctx, identity), v4 });
  return (await (documentId === undefined ? service.findFirst() : service.findOne(documentId))).data;
}
