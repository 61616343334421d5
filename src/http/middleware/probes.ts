import type { AppMiddleware } from '../context.js';
import type { Readiness } from '../deps.js';

/** The value of Strapi's header, by which some probes recognize it. */
const MARK = 'You are so French!';

/**
 * `/_health`: the process is running. `/_ready`: it can serve requests. With any method, before everything
 * else, and never logged.
 */
export const health = (ready: Readiness): AppMiddleware => {
  const answer: AppMiddleware = async (ctx) => {
    ctx.status = ctx.path === '/_health' || (await ready()) ? 204 : 503;
    if (ctx.status === 503) ctx.body = 'not ready';
    else ctx.set('strapi', MARK);
  };
  return (ctx, next) => {
    const { path } = ctx;
    return path === '/_health' || path === '/_ready' ? answer(ctx, next) : next();
  };
};

/** `GET /metrics` in the Prometheus text format; enabled by `server.metrics`. */
export const serveMetrics = (text: () => Promise<string>): AppMiddleware => {
  const answer: AppMiddleware = async (ctx) => {
    ctx.type = 'text/plain; version=0.0.4; charset=utf-8';
    ctx.body = await text();
  };
  return (ctx, next) => (ctx.path === '/metrics' && ctx.method === 'GET' ? answer(ctx, next) : next());
};
