import type { RecordEvent } from '../../events/events.js';
import type { AppMiddleware } from '../context.js';

/** Records an event when a request arrives and when it has been answered. */
export const recordRequests =
  (record: RecordEvent): AppMiddleware =>
  async (ctx, next) => {
    const start = performance.now();
    const { method, path } = ctx;
    const id = ctx.exchange.requestId;
    record({ name: 'request-received', id, method, path });
    try {
      await next();
    } finally {
      record({
        name: 'request-answered',
        id,
        method,
        path,
        status: ctx.status,
        ms: Math.round((performance.now() - start) * 10) / 10,
        as: ctx.exchange.identity?.kind,
      });
    }
  };
