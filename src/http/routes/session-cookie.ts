import type { Credentials, RefreshCookie } from '../../access/index.js';
import { objectAt } from '../../values/plain-object.js';
import type { RequestContext } from '../context.js';

/** Strapi's names. */
const COOKIE = 'strapi_up_refresh';
const WISH = 'x-strapi-refresh-cookie';

/**
 * The credentials to return from a sign-in. If the configuration or the caller (`x-strapi-refresh-cookie:
 * httpOnly`) asks for it, the refresh token is put into a cookie that scripts cannot read instead.
 */
export const giveCredentials = (
  ctx: RequestContext,
  cookie: RefreshCookie | null,
  { jwt, refreshToken }: Credentials,
): Credentials => {
  if (refreshToken === undefined || !cookie) return { jwt };
  const wished = ctx.get(WISH).toLowerCase() === 'httponly';
  if (!cookie.always && !wished) return { jwt, refreshToken };
  setCookie(ctx, cookie, refreshToken);
  return { jwt };
};

/**
 * Whether the client speaks TLS, perhaps to a proxy that is not configured: a caller that claims so gains
 * nothing.
 */
const isSecure = (ctx: RequestContext): boolean =>
  ctx.secure || /^https\b/i.test(ctx.get('x-forwarded-proto'));

/** Sets the cookie, or removes it: a browser does so only for the path with which it was set. */
const setCookie = (ctx: RequestContext, { path, maxAge }: RefreshCookie, token: string | null): void => {
  const secure = isSecure(ctx);
  ctx.cookies.secure = secure;
  ctx.cookies.set(COOKIE, token, {
    httpOnly: true,
    sameSite: 'strict',
    secure,
    path,
    ...(token !== null && { maxAge: maxAge * 1000 }),
  });
};

/** The refresh token of a request: from its body, otherwise from the cookie; undefined if in neither. */
export const refreshTokenOf = (ctx: RequestContext): unknown =>
  objectAt(ctx.request.body)['refreshToken'] ?? ctx.cookies.get(COOKIE);

export const dropCookie = (ctx: RequestContext, cookie: RefreshCookie | null): void => {
  if (cookie && ctx.cookies.get(COOKIE) !== undefined) setCookie(ctx, cookie, null);
};
