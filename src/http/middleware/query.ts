import { textQuery } from '../../query/query.js';
import type { QueryLimits } from '../../query/settings.js';
import type { AppMiddleware } from '../context.js';

/** The query string as a value, which whoever needs it reads, within the limits of `config/middlewares`. */
export const readQuery =
  (limits: QueryLimits): AppMiddleware =>
  (ctx, next) => {
    ctx.state.query = textQuery(ctx.querystring, limits);
    return next();
  };
