import { randomUUID } from 'node:crypto';
import type { AppMiddleware, Exchange } from '../context.js';

const ACCEPTABLE = /^[\w.:-]{1,64}$/;

/**
 * Begins an exchange. Its id is the client's `X-Request-Id` if it is short and plain, otherwise a new one. Returned
 * with every answer.
 */
export const requestId = (): AppMiddleware => (ctx, next) => {
  const given = ctx.get('x-request-id');
  const id = ACCEPTABLE.test(given) ? given : randomUUID();
  // What is missing is added by the middleware that knows it.
  ctx.exchange = { requestId: id, timings: [] } as unknown as Exchange;
  ctx.set('X-Request-Id', id);
  return next();
};

/** Sets `X-Powered-By`. */
export const poweredBy =
  (name: string): AppMiddleware =>
  (ctx, next) => {
    ctx.set('X-Powered-By', name);
    return next();
  };

/** `strapi::responseTime`: `X-Response-Time` in milliseconds. */
export const responseTime = (): AppMiddleware => async (ctx, next) => {
  const start = performance.now();
  await next();
  ctx.set('X-Response-Time', `${Math.ceil(performance.now() - start)}ms`);
};

/** `Server-Timing` with the steps that controllers add to `ctx.exchange.timings`. Enabled by `server.timing`. */
export const serverTiming = (): AppMiddleware => async (ctx, next) => {
  const start = performance.now();
  await next();
  const steps = [...ctx.exchange.timings, ['total', performance.now() - start] as const];
  ctx.set('Server-Timing', steps.map(([name, ms]) => `${name};dur=${ms.toFixed(1)}`).join(', '));
};
