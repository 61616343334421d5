import type { AppMiddleware } from '../context.js';

/** Answers whether requests would be served now: false while draining or without a database. */
export type Readiness = () => Promise<boolean>;

/** `/_health`: the process lives. `/_ready`: it would serve. Any method, before everything else, and never logged. */
export const health =
  (ready: Readiness): AppMiddleware =>
  async (ctx, next) => {
    if (ctx.path === '/_health') ctx.status = 204;
    else if (ctx.path === '/_ready') ctx.status = (await ready()) ? 204 : 503;
    else return next();
    if (ctx.status === 503) ctx.body = 'not ready';
  };
