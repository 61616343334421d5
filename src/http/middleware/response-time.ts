import type { AppMiddleware } from '../context.js';

/** `strapi::responseTime` (rules J.2): `X-Response-Time` in milliseconds. */
export const responseTime = (): AppMiddleware => async (ctx, next) => {
  const start = performance.now();
  await next();
  ctx.set('X-Response-Time', `${Math.ceil(performance.now() - start)}ms`);
};
