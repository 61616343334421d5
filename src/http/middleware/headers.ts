import { randomUUID } from 'node:crypto';
import type { AppMiddleware } from '../context.js';

const ACCEPTABLE = /^[\w.:-]{1,64}$/;

/** Names the request: the caller's own `X-Request-Id` where it is short and plain, else a new one. Sent back on every answer. */
export const requestId = (): AppMiddleware => (ctx, next) => {
  const given = ctx.get('x-request-id');
  ctx.state.requestId = ACCEPTABLE.test(given) ? given : randomUUID();
  ctx.state.timings = [];
  ctx.set('X-Request-Id', ctx.state.requestId);
  return next();
};
