import cors from '@koa/cors';
import type { Context } from 'koa';
import type { CorsConfig } from '../../config/types.js';
import type { AppMiddleware } from '../context.js';

/**
 * Cross-origin access by an allow-list. With `*` (the default) every site may read, but never with the
 * visitor's cookies: credentials are allowed only for listed origins, and unlisted origins are never echoed
 * (CVE-2025-53092).
 */
export const allowOrigins = (options: CorsConfig): AppMiddleware => {
  const origins = new Set(options.origin);
  const everyone = origins.has('*');
  const listed = (ctx: Context): string => (origins.has(ctx.get('origin')) ? ctx.get('origin') : '');
  return cors({
    origin: everyone ? '*' : listed,
    credentials: !everyone && options.credentials,
    maxAge: options.maxAge,
    allowMethods: [...options.methods],
    allowHeaders: [...options.headers],
    exposeHeaders: [...options.expose],
    keepHeadersOnError: options.keepHeadersOnError,
  });
};
