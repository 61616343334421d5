import { promisify } from 'node:util';
import helmet, { type HelmetOptions } from 'helmet';
import type { AppMiddleware } from '../context.js';

const SELF = "'self'";

/** The headers of rules A.4. `contentSecurityPolicy` and the like may be set in `config/middlewares` (helmet's own options). */
export const securityHeaders = (options: Readonly<Record<string, unknown>> = {}): AppMiddleware => {
  const defaults: HelmetOptions = {
    crossOriginEmbedderPolicy: false,
    crossOriginOpenerPolicy: false,
    crossOriginResourcePolicy: false,
    originAgentCluster: false,
    xssFilter: false,
    contentSecurityPolicy: {
      useDefaults: true,
      directives: {
        'connect-src': [SELF, 'https:'],
        'img-src': [SELF, 'data:', 'blob:'],
        'media-src': [SELF, 'data:', 'blob:'],
        'upgrade-insecure-requests': null,
      },
    },
    hsts: { maxAge: 31_536_000, includeSubDomains: true },
  };
  const setHeaders = promisify(helmet({ ...defaults, ...options }));
  return async (ctx, next) => {
    await setHeaders(ctx.req, ctx.res);
    await next();
  };
};
