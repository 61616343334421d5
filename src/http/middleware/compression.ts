import { Readable } from 'node:stream';
import { ConfigError } from '../../config/error.js';
import { packageOnUse } from '../../values/on-use.js';
import type { AppMiddleware } from '../context.js';

/** Optional, since few servers compress themselves. */
const koaCompress = packageOnUse<typeof import('koa-compress')>('koa-compress');

function load(): typeof import('koa-compress') {
  try {
    return koaCompress();
  } catch {
    throw new ConfigError(['strapi::compression needs the package "koa-compress"; npm install koa-compress']);
  }
}

/**
 * `strapi::compression`: compresses text of at least 1 KB in the encoding that the client prefers, unless it
 * is encoded already. Streams (files) are sent unchanged, since ranges count stored bytes. Off behind a proxy
 * that compresses.
 *
 * @param options of koa-compress, which Strapi passes on as well
 */
export const compression = (options: Readonly<Record<string, unknown>>): AppMiddleware => {
  const compress = load()(options);
  return (ctx, next) =>
    compress(ctx, async () => {
      await next();
      // koa-compress fails for a client that accepts no encoding at all.
      const accepted = ctx.acceptsEncodings('zstd', 'br', 'gzip', 'deflate', 'identity');
      if (accepted === false || ctx.body instanceof Readable) ctx.compress = false;
    });
};
