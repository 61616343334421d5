import type { Identity } from '../../access/identity.js';
import { errors } from '../../errors.js';
import type { ContentType } from '../../schema/types.js';
import type { Controller, RequestContext } from '../context.js';
import type { AppDeps } from '../deps.js';

/** `Strapi-Response-Format: v4` (SPEC A.4). */
export const wantsV4 = (ctx: RequestContext): boolean =>
  ctx.get('strapi-response-format').toLowerCase() === 'v4';

/** The controllers that read a content type (SPEC A.1). */
export const contentReads = ({ reader }: AppDeps, type: ContentType) => {
  const list: Controller = async (ctx, identity) => {
    const { data, pagination, timings } = await reader.list(type, ctx.querystring, identity, {
      v4: wantsV4(ctx),
    });
    ctx.state.timings.push(...timings);
    ctx.body = { data, meta: pagination === null ? {} : { pagination } };
  };

  const answer = (
    ctx: RequestContext,
    { data, timings }: Awaited<ReturnType<AppDeps['reader']['one']>>,
  ): void => {
    ctx.state.timings.push(...timings);
    if (data === null) throw errors.notFound();
    ctx.body = { data, meta: {} };
  };

  const one = async (ctx: RequestContext, identity: Identity, documentId: string): Promise<void> =>
    answer(ctx, await reader.one(type, documentId, ctx.querystring, identity, { v4: wantsV4(ctx) }));

  const single: Controller = async (ctx, identity) =>
    answer(ctx, await reader.single(type, ctx.querystring, identity, { v4: wantsV4(ctx) }));

  return { list, one, single };
};
