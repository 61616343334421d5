import { promisify } from 'node:util';
import helmet, { type HelmetOptions } from 'helmet';
import { ConfigError } from '../../config/error.js';
import { isObject, objectAt } from '../../values/plain-object.js';
import { reasonOf } from '../../values/reason-of.js';
import type { AppMiddleware } from '../context.js';

type Options = Readonly<Record<string, unknown>>;

const SELF = "'self'";

const HSTS = { maxAge: 31_536_000, includeSubDomains: true };
const DIRECTIVES = {
  'connect-src': [SELF, 'https:'],
  'img-src': [SELF, 'data:', 'blob:'],
  'media-src': [SELF, 'data:', 'blob:'],
  'upgrade-insecure-requests': null,
};
const DEFAULTS: HelmetOptions = {
  crossOriginEmbedderPolicy: false,
  crossOriginOpenerPolicy: false,
  crossOriginResourcePolicy: false,
  originAgentCluster: false,
  xssFilter: false,
  contentSecurityPolicy: { useDefaults: true, directives: DIRECTIVES },
  hsts: HSTS,
};

/** The name of a directive, which may also be written as `connectSrc`. */
const dashed = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** As in Strapi, the defaults also apply to directives and members that the options leave out. */
function filledOptions({ contentSecurityPolicy: policy, hsts, ...options }: Options): Options {
  const given = objectAt(policy, 'directives');
  const named = new Set(Object.keys(given).map(dashed));
  const others = Object.entries(DIRECTIVES).filter(([name]) => !named.has(name));
  return {
    ...DEFAULTS,
    ...options,
    ...(policy !== undefined && {
      contentSecurityPolicy: isObject(policy)
        ? { ...policy, directives: { ...Object.fromEntries(others), ...given } }
        : policy,
    }),
    ...(hsts !== undefined && { hsts: isObject(hsts) ? { ...HSTS, ...hsts } : hsts }),
  };
}

function helmetWith(options: Options): ReturnType<typeof helmet> {
  try {
    return helmet(filledOptions(options));
  } catch (error) {
    throw new ConfigError([`config/middlewares › strapi::security: ${reasonOf(error)}`]);
  }
}

/**
 * The security headers. `contentSecurityPolicy` and other options of helmet can be set in
 * `config/middlewares`.
 */
export const securityHeaders = (options: Options): AppMiddleware => {
  const setHeaders = promisify(helmetWith(options));
  return async (ctx, next) => {
    await setHeaders(ctx.req, ctx.res);
    await next();
  };
};
