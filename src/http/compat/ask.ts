import qs from 'qs';
import { textQuery } from '../../query/query.js';
import { querySettings } from '../../query/settings.js';
import type { RequestContext } from '../context.js';
import type { AppDeps } from '../deps.js';

/** Puts a query in Strapi 5's words in the place of the one that came. Written out as text, since that is what a request asks by. */
export function ask({ config }: AppDeps, ctx: RequestContext, query: object): void {
  ctx.state.query = textQuery(qs.stringify(query), querySettings(config, 'rest').limits);
}
