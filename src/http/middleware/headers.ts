import { randomUUID } from 'node:crypto';
import type { AppMiddleware } from '../context.js';

const ACCEPTABLE = /^[\w.:-]{1,64}$/;

/**
 * Sets the request id: the client's `X-Request-Id` if it is short and plain, otherwise a new one. Returned
 * with every answer.
 */
export const requestId = (): AppMiddleware => (ctx, next) => {
  const given = ctx.get('x-request-id');
  ctx.state.requestId = ACCEPTABLE.test(given) ? given : randomUUID();
  ctx.set('X-Request-Id', ctx.state.requestId);
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

/** Where controllers add the steps of a request. */
export const newTimings = (): AppMiddleware => (ctx, next) => {
  ctx.state.timings = [];
  return next();
};

/** `Server-Timing` with the steps that controllers add to `ctx.state.timings`. Enabled by `server.timing`. */
export const serverTiming = (): AppMiddleware => async (ctx, next) => {
  const start = performance.now();
  await next();
  const steps = [...ctx.state.timings, ['total', performance.now() - start] as const];
  ctx.set('Server-Timing', steps.map(([name, ms]) => `${name};dur=${ms.toFixed(1)}`).join(', '));
};
