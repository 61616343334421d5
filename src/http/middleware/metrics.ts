import type { AppMiddleware } from '../context.js';

/** `GET /metrics` in Prometheus' text format; switched on by `server.metrics`. */
export const serveMetrics =
  (text: () => string | Promise<string>): AppMiddleware =>
  async (ctx, next) => {
    if (ctx.path !== '/metrics' || ctx.method !== 'GET') return next();
    ctx.type = 'text/plain; version=0.0.4; charset=utf-8';
    ctx.body = await text();
  };
