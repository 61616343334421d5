import type { AppMiddleware } from '../context.js';

/** `X-Powered-By` (rules A.4, J.2). */
export const poweredBy =
  (name: string): AppMiddleware =>
  (ctx, next) => {
    ctx.set('X-Powered-By', name);
    return next();
  };
