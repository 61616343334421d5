import { yieldToEventLoop } from '../../limits/yield.js';
import { textQuery } from '../../query/query.js';
import type { QueryLimits } from '../../query/settings.js';
import type { AppMiddleware } from '../context.js';

/**
 * Queries of more characters than this take turns: parsing, checking and planning them takes milliseconds.
 */
const LONG = 1000;

/**
 * Makes the query string available as a value, which is parsed on first use within the limits of
 * `config/middlewares`.
 */
export const readQuery =
  (limits: QueryLimits): AppMiddleware =>
  (ctx, next) => {
    const { querystring } = ctx;
    // Middleware may have looked at the query before, or changed it.
    ctx.exchange.query ??= textQuery(querystring, limits);
    return querystring.length > LONG ? yieldToEventLoop().then(next) : next();
  };
