import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { AppMiddleware } from '../context.js';

/** Bytes from which an answer counts; the system buffers smaller ones. */
const COUNTED = 16_000;
/** Milliseconds without a read by the caller before an answer is cut off. */
const UNREAD_MS = 30_000;

interface UnsentLimits {
  /** Bytes of answers that wait for slow readers. */
  readonly maxBytes: number;
  /** Milliseconds; `UNREAD_MS` if absent. */
  readonly unreadMs?: number;
}

/**
 * Bounds the memory of answers that nobody reads: together they hold `maxBytes` at most, and where another comes, the one that
 * has waited longest is cut off. One that is not read for long is cut off in any case, files too.
 */
export const limitUnsent = ({ maxBytes, unreadMs = UNREAD_MS }: UnsentLimits): AppMiddleware => {
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
    const { body, res } = ctx;
    const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body.length : 0;
    if (bytes > COUNTED || body instanceof Readable) res.setTimeout(unreadMs, () => res.destroy());
    if (bytes > COUNTED) track(res, bytes);
  };
};
