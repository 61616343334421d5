import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { promisify } from 'node:util';
import helmet, { type HelmetOptions } from 'helmet';
import { once } from '../../values/once-per.js';
import type { AppMiddleware } from '../context.js';

const SELF = "'self'";

/** Helmet accepts functions that compute a header for each request. */
const holdsFunction = (value: unknown): boolean =>
  typeof value === 'function' ||
  (typeof value === 'object' && value !== null && Object.values(value).some(holdsFunction));

type SetHeaders = ReturnType<typeof helmet>;
type Headers = readonly (readonly [name: string, value: string])[];

/** The headers, if they are the same for every request. */
const headersOf = (setHeaders: SetHeaders): Headers => {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  setHeaders(request, response, () => undefined);
  return Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]);
};

/**
 * The security headers. `contentSecurityPolicy` and other options of helmet can be set in
 * `config/middlewares`.
 */
export const securityHeaders = (options: Readonly<Record<string, unknown>>): AppMiddleware => {
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
  const setHeaders = helmet({ ...defaults, ...options });
  if (holdsFunction(options)) {
    const ask = promisify(setHeaders);
    return async (ctx, next) => {
      await ask(ctx.req, ctx.res);
      await next();
    };
  }
  const headers = once(() => headersOf(setHeaders));
  return (ctx, next) => {
    for (const [name, value] of headers()) ctx.res.setHeader(name, value);
    return next();
  };
};
