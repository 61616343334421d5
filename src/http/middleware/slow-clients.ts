import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { AppMiddleware } from '../context.js';

/** Responses of more bytes than this are tracked; the operating system buffers smaller ones. */
const COUNTED = 16_000;
/** Milliseconds without a read by the client after which an answer is cut off. */
const UNREAD_MS = 30_000;

interface BufferedResponseLimits {
  /** Bytes of answers that slow clients have not read yet. */
  readonly maxBytes: number;
  /** Milliseconds; `UNREAD_MS` if absent. */
  readonly unreadMs?: number;
}

/**
 * Limits the memory of unread answers to `maxBytes` in total: if another answer does not fit, the one that
 * has waited longest is cut off. Any answer that is not read for `unreadMs` is cut off, including files.
 */
export const limitBufferedResponses = ({
  maxBytes,
  unreadMs = UNREAD_MS,
}: BufferedResponseLimits): AppMiddleware => {
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
