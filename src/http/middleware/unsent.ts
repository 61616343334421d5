import type { ServerResponse } from 'node:http';
import { LARGE } from '../../limits/budget.js';
import type { AppMiddleware } from '../context.js';

/**
 * Bounds what answers take that nobody reads: together they wait with `maxBytes` at most, and where another comes, the one that
 * has waited longest is broken off. Files are streams and hold next to nothing.
 */
export const limitUnsent = (maxBytes: number): AppMiddleware => {
  const unsent = new Map<ServerResponse, number>();
  let sum = 0;

  const forget = (response: ServerResponse): void => {
    sum -= unsent.get(response) ?? 0;
    unsent.delete(response);
  };
  const track = (response: ServerResponse, bytes: number): void => {
    for (const other of unsent.keys()) {
      if (sum + bytes <= maxBytes) break;
      forget(other);
      other.destroy();
    }
    unsent.set(response, bytes);
    sum += bytes;
    response.once('close', () => forget(response));
  };

  return async (ctx, next) => {
    await next();
    if (Buffer.isBuffer(ctx.body) && ctx.body.length > LARGE) track(ctx.res, ctx.body.length);
  };
};
