import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { AppMiddleware } from '../context.js';

/** Smaller bodies, in bytes, are not worth compressing. */
const LEAST = 1024;

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const ENCODERS: Readonly<Record<string, (text: Buffer) => Promise<Buffer>>> = {
  br: (text) => promisify(brotliCompress)(text, BROTLI),
  gzip: (text) => promisify(gzip)(text, { level: 6 }),
};

/** The text to send, if the body is not a stream; streams (files) are sent unchanged. */
const textOf = (body: unknown): Buffer | null => {
  if (Buffer.isBuffer(body)) return body;
  if (typeof body === 'string') return Buffer.from(body);
  if (typeof body !== 'object' || body === null || 'pipe' in body) return null;
  return Buffer.from(JSON.stringify(body));
};

/**
 * `strapi::compression` (rules J.2): compresses text with brotli or gzip, as the client prefers. A HEAD
 * request gets the headers of its GET. Off behind a proxy that compresses.
 */
export const compression = (): AppMiddleware => async (ctx, next) => {
  await next();
  ctx.vary('Accept-Encoding');
  if (ctx.status === 204 || ctx.status === 304) return;
  const encoding = ctx.acceptsEncodings('br', 'gzip', 'identity') || 'identity';
  const encode = ENCODERS[encoding];
  const text = encode ? textOf(ctx.body) : null;
  if (!encode || !text || text.length < LEAST) return;
  const type = ctx.response.get('Content-Type');
  ctx.body = await encode(text);
  ctx.set('Content-Type', type);
  ctx.set('Content-Encoding', encoding);
};
