import { nextTurn } from '../../limits/turns.js';
import { textQuery } from '../../query/query.js';
import type { QueryLimits } from '../../query/settings.js';
import type { AppMiddleware } from '../context.js';

/** Characters from which a query takes turns with others: reading, checking and planning it takes milliseconds. */
const LONG = 1000;

/** The query string as a value, parsed on first use within the limits of `config/middlewares`. */
export const readQuery =
  (limits: QueryLimits): AppMiddleware =>
  (ctx, next) => {
    const { querystring } = ctx;
    ctx.state.query = textQuery(querystring, limits);
    return querystring.length > LONG ? nextTurn().then(next) : next();
  };
