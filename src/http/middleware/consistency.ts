import type { Store } from '../../store/client.js';
import { type Consistency, openConsistency } from '../../store/connection/consistency.js';
import type { AppMiddleware } from '../context.js';

const HEADER = 'X-Consistency';

/** The value for a client's first request, which has no earlier state. */
const START = 'start';

/**
 * A client that sends `X-Consistency: start`, and then the value of each last answer, reads its own writes
 * and never goes back in time, even on secondaries. 400 for any other value.
 */
export const consistency = (store: Store, secret: string): AppMiddleware => {
  const consistent: AppMiddleware = async (ctx, next) => {
    const given = ctx.get(HEADER);
    const opened: Consistency = openConsistency(store, given === START ? null : given, secret);
    ctx.exchange.session = opened.session;
    try {
      await next();
      const token = await opened.token();
      if (token !== null) ctx.set(HEADER, token);
    } finally {
      await opened.end();
    }
  };
  return (ctx, next) => (ctx.get(HEADER) === '' ? next() : consistent(ctx, next));
};
