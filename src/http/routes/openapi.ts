import { LRUCache } from 'lru-cache';
import { describeContract } from '../../describe/contract/contract.js';
import type { ContractForm, ContractParts } from '../../describe/contract/types.js';
import { toOpenApi } from '../../describe/openapi/document.js';
import { readBoolean } from '../../schema/scalars/boolean.js';
import { wantsV4 } from '../content-request.js';
import type { RequestContext, Route } from '../context.js';

/** The number of cached descriptions: one for each set of grants and form. */
const KEPT = 32;

const isAsked = (ctx: RequestContext, name: string): boolean =>
  readBoolean(ctx.exchange.query.params[name]) === true;

const formOf = (ctx: RequestContext): Omit<ContractForm, 'caller'> => ({
  privateInput: false,
  v4: wantsV4(ctx),
  counts: isAsked(ctx, 'counts'),
  drafts: isAsked(ctx, 'drafts'),
});

/** `GET /openapi.json`: describes what the caller may do. Requires no grant. */
export const openApiRoute = (parts: () => ContractParts): Route => {
  const kept = new LRUCache<string, Buffer>({ max: KEPT });
  return {
    method: 'get',
    path: '/openapi.json',
    action: null,
    controller: async (ctx, _, { access, config }) => {
      const { grants } = await access.identify(ctx.get('authorization'));
      const form = formOf(ctx);
      const key = JSON.stringify([grants.version, form]);
      const { url } = config.server;
      const make = (): string =>
        JSON.stringify(
          toOpenApi(describeContract(parts(), { ...form, caller: { grants } }), {
            title: 'Content API',
            ...(url === null ? {} : { url }),
          }),
        );
      // As bytes, because text would be encoded again for every answer.
      const bytes = kept.get(key) ?? Buffer.from(make());
      kept.set(key, bytes);
      ctx.type = 'json';
      ctx.body = bytes;
    },
  };
};
