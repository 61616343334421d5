import type { Logger } from 'pino';
import type { AppMiddleware } from '../context.js';

const levelOf = (status: number): 'error' | 'warn' | 'info' =>
  status >= 500 ? 'error' : status === 429 ? 'warn' : 'info';

/** One line a request. The query is left out: it may hold addresses and one-time codes. */
export const log =
  (logger: Logger): AppMiddleware =>
  async (ctx, next) => {
    const start = performance.now();
    const line = () => ({
      id: ctx.state.requestId,
      method: ctx.method,
      path: ctx.path,
      status: ctx.status,
      ms: Math.round((performance.now() - start) * 10) / 10,
      as: ctx.state.identity?.kind,
    });
    await next();
    if (!ctx.path.startsWith('/_')) logger[levelOf(ctx.status)](line(), 'request');
  };
