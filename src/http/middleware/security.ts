import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { promisify } from 'node:util';
import helmet, { type HelmetOptions } from 'helmet';
import type { AppMiddleware } from '../context.js';

const SELF = "'self'";

/** Helmet takes functions that compute a header from the request. */
const holdsFunction = (value: unknown): boolean =>
  typeof value === 'function' ||
  (typeof value === 'object' && value !== null && Object.values(value).some(holdsFunction));

type SetHeaders = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** The headers of every answer. */
const headersOf = async (setHeaders: SetHeaders): Promise<ReturnType<ServerResponse['getHeaders']>> => {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  await setHeaders(request, response);
  return response.getHeaders();
};

/** The headers of rules A.4. `contentSecurityPolicy` and the like may be set in `config/middlewares` (helmet's own options). */
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
  const setHeaders: SetHeaders = promisify(helmet({ ...defaults, ...options }));
  if (holdsFunction(options))
    return async (ctx, next) => {
      await setHeaders(ctx.req, ctx.res);
      await next();
    };
  let headers: readonly (readonly [name: string, value: string])[] | null = null;
  return async (ctx, next) => {
    headers ??= Object.entries(await headersOf(setHeaders)).map(([name, value]) => [name, String(value)]);
    for (const [name, value] of headers) ctx.res.setHeader(name, value);
    await next();
  };
};
