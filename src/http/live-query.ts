import type { RawObject } from '../query/ast.js';
import { paramsQuery, type Query, textQuery } from '../query/query.js';
import type { QueryLimits } from '../query/settings.js';
import { copyOf, isObject } from '../values/plain-object.js';
import type { App, Exchange } from './context.js';

/** A query that the project's code has looked at and may still change: what it is when it is read counts. */
class LiveQuery implements Query {
  readonly mode = 'rest';

  constructor(readonly params: RawObject) {}

  get key(): string | null {
    return paramsQuery(this.params, this.mode).key;
  }
}

type Owner = {
  readonly ctx: { readonly exchange: Exchange };
  readonly req: { url?: string | undefined };
  readonly querystring: string;
};

/**
 * `ctx.query` as in Strapi: the parsed query. Changing it, or assigning another, changes what is asked; so does
 * assigning `ctx.querystring` or `ctx.url`.
 */
export function liveQueries(app: App, limits: QueryLimits): void {
  const request = Object.getPrototypeOf(app.request);
  const text = Object.getOwnPropertyDescriptor(request, 'querystring');
  Object.defineProperties(app.request, {
    query: {
      configurable: true,
      get(this: Owner): RawObject {
        const { exchange } = this.ctx;
        if (exchange.query instanceof LiveQuery) return exchange.query.params;
        const { params } = exchange.query ?? textQuery(this.querystring, limits);
        exchange.query = new LiveQuery(copyOf(params));
        return exchange.query.params;
      },
      set(this: Owner, query: unknown) {
        this.ctx.exchange.query = new LiveQuery(isObject(query) ? query : {});
      },
    },
    querystring: {
      configurable: true,
      get(this: Owner): unknown {
        return text?.get?.call(this);
      },
      set(this: Owner, query: unknown) {
        text?.set?.call(this, query);
        this.ctx.exchange.query = textQuery(this.querystring, limits);
      },
    },
    url: {
      configurable: true,
      get(this: Owner): string | undefined {
        return this.req.url;
      },
      set(this: Owner, url: string) {
        const before = this.querystring;
        this.req.url = url;
        if (this.querystring !== before) this.ctx.exchange.query = textQuery(this.querystring, limits);
      },
    },
  });
}
