import type { Identity } from '../../access/identity.js';
import type { OneAnswer, Query, ReadOptions } from '../../documents/read/reader.js';
import type { AroundRead } from '../../documents/types.js';
import { errors } from '../../errors.js';
import type { ContentType } from '../../schema/types.js';
import type { Controller, RequestContext } from '../context.js';
import type { AppDeps } from '../deps.js';

/** `Strapi-Response-Format: v4` (rules A.4). */
export const wantsV4 = (ctx: RequestContext): boolean =>
  ctx.get('strapi-response-format').toLowerCase() === 'v4';

type ReadOne = (query: Query, options: ReadOptions) => Promise<OneAnswer>;

const optionsOf = (ctx: RequestContext): ReadOptions => ({
  v4: wantsV4(ctx),
  mode: 'rest',
  mayLag: true,
  budget: ctx.state.budget,
  ...(ctx.state.session && { session: ctx.state.session }),
});

/** The controllers that read a content type (rules A.1). */
export const contentReads = ({ documents, reader }: AppDeps, type: ContentType) => {
  const list: Controller = async (ctx, identity) => {
    let meta = {};
    const read = { type, action: 'findMany', query: ctx.querystring } as const;
    const data = await documents.around<unknown>(read, async (query) => {
      const found = await reader.list(type, query, identity, optionsOf(ctx));
      ctx.state.timings.push(...found.timings);
      if (found.pagination !== null) meta = { pagination: found.pagination };
      return found.data;
    });
    ctx.body = { data, meta };
  };

  const answer = async (ctx: RequestContext, read: Omit<AroundRead, 'type' | 'query'>, run: ReadOne) => {
    const data = await documents.around<unknown>({ type, query: ctx.querystring, ...read }, async (query) => {
      const found = await run(query, optionsOf(ctx));
      ctx.state.timings.push(...found.timings);
      return found.data;
    });
    if (data === null) throw errors.notFound();
    ctx.body = { data, meta: {} };
  };

  const one = (ctx: RequestContext, identity: Identity, documentId: string): Promise<void> =>
    answer(ctx, { action: 'findOne', documentId }, (query, options) =>
      reader.one(type, documentId, query, identity, options),
    );

  const single: Controller = (ctx, identity) =>
    answer(ctx, { action: 'findFirst' }, (query, options) => reader.single(type, query, identity, options));

  return { list, one, single };
};
