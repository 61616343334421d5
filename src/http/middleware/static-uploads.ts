import { errors } from '../../errors.js';
import { parseRange } from '../../media/range.js';
import { servedAs } from '../../media/served-as.js';
import type { Provider } from '../../media/types.js';
import type { StoredBlob } from '../../store/gridfs.js';
import type { AppMiddleware } from '../context.js';

const PREFIX = '/uploads/';
const SANDBOX = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

type Context = Parameters<AppMiddleware>[0];

/** Null if the path cannot be decoded. */
const keyOf = (path: string): string | null => {
  try {
    return decodeURIComponent(path.slice(PREFIX.length));
  } catch {
    return null;
  }
};

const describe = (ctx: Context, key: string, blob: StoredBlob, maxAge: number): void => {
  const { contentType, download } = servedAs(key);
  ctx.set({
    'Accept-Ranges': 'bytes',
    'Cache-Control': `public, max-age=${Math.floor(maxAge / 1000)}`,
    'Content-Type': contentType,
    'Last-Modified': blob.modified.toUTCString(),
    'X-Content-Type-Options': 'nosniff',
    // Lets pages of other origins use the files.
    'Cross-Origin-Resource-Policy': 'cross-origin',
    ETag: `W/"${blob.size.toString(16)}-${blob.modified.getTime().toString(16)}"`,
  });
  if (!download) return;
  ctx.set('Content-Disposition', 'attachment');
  ctx.set('Content-Security-Policy', SANDBOX);
};

/** A range of a newer version than the client has would mix both (RFC 9110, 13.1.5). */
const rangeHolds = (ctx: Context, blob: StoredBlob): boolean => {
  // Ranges are defined only for GET (RFC 9110, 14.2).
  if (ctx.method !== 'GET') return false;
  const condition = ctx.get('if-range');
  return condition === '' || Date.parse(condition) >= Math.floor(blob.modified.getTime() / 1000) * 1000;
};

const send = (ctx: Context, blob: StoredBlob): void => {
  const range = rangeHolds(ctx, blob) ? parseRange(ctx.get('range'), blob.size) : null;
  if (range === 'unsatisfiable') {
    ctx.status = 416;
    ctx.set('Content-Range', `bytes */${blob.size}`);
    ctx.body = '';
    return;
  }
  ctx.status = range ? 206 : 200;
  if (range) ctx.set('Content-Range', `bytes ${range.start}-${range.end}/${blob.size}`);
  if (ctx.method !== 'HEAD') ctx.body = range ? blob.read(range.start, range.end) : blob.read();
  ctx.length = range ? range.end - range.start + 1 : blob.size;
};

/**
 * Serves uploaded files to everyone: whole or in ranges, conditionally, and never in a form that a browser
 * would run in this origin. Passes on other paths and methods.
 */
export const serveUploads = (provider: Provider, { maxAge }: { readonly maxAge: number }): AppMiddleware => {
  const serve: AppMiddleware = async (ctx) => {
    const key = keyOf(ctx.path);
    const blob = key === null ? null : await provider.find(key);
    if (key === null || !blob) throw errors.notFound();
    ctx.status = 200;
    describe(ctx, key, blob, maxAge);
    if (ctx.fresh) ctx.status = 304;
    else send(ctx, blob);
  };
  return (ctx, next) =>
    ctx.path.startsWith(PREFIX) && (ctx.method === 'GET' || ctx.method === 'HEAD')
      ? serve(ctx, next)
      : next();
};
