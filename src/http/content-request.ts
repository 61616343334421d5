import type { Identity } from '../access/index.js';
import type { ContentRequest, RequestService } from '../documents/request.js';
import { objectAt } from '../values/plain-object.js';
import { alreadyWith, preconditionOf } from './conditional/entity-tags.js';
import type { RequestContext } from './context.js';
import type { AppDeps } from './deps.js';
import { isShownToCode } from './lazy-body.js';
import { originOf } from './origin.js';

/** `Strapi-Response-Format: v4`. */
export const wantsV4 = (ctx: RequestContext): boolean =>
  ctx.get('strapi-response-format').toLowerCase() === 'v4';

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** The request as a value for the Document Service. Throws a 400 for a malformed precondition of a write. */
export const contentRequest = (ctx: RequestContext, identity: Identity): ContentRequest => ({
  ...requestOf(ctx, identity),
  precondition: READS.has(ctx.method) ? null : preconditionOf(ctx.headers),
  ...(ctx.exchange.writeKey && { writeKey: ctx.exchange.writeKey }),
  ...(ctx.exchange.withdrawal && { withdrawal: ctx.exchange.withdrawal }),
});

const requestOf = (ctx: RequestContext, identity: Identity): ContentRequest => ({
  query: ctx.exchange.query,
  data: objectAt(ctx.request.body)['data'],
  caller: identity,
  origin: originOf(ctx, identity),
  v4: wantsV4(ctx),
  mayLag: true,
  budget: ctx.exchange.budget,
  ...(ctx.exchange.session && { session: ctx.exchange.session }),
});

/** The same for accounts and files: their routes have no envelope, and they return what was just written. */
export const plainRequest = (ctx: RequestContext, identity: Identity): ContentRequest => ({
  ...requestOf(ctx, identity),
  v4: false,
  mayLag: false,
});

/** The service of a content type for a request, as its query and its body are now. */
export function contentService(
  ctx: RequestContext,
  identity: Identity,
  deps: AppDeps,
  uid: string,
): RequestService {
  // Code that may look at the answer is never shown that the client has it already.
  const hasTag = isShownToCode(ctx, deps) ? null : ctx.exchange.read?.hasTag;
  return deps.documents(uid).forRequest({
    ...contentRequest(ctx, identity),
    ...(hasTag && { hasAlready: alreadyWith(hasTag) }),
  });
}
