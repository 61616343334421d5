import type { Credentials, RefreshCookie } from '../../access/index.js';
import { objectAt } from '../../values/plain-object.js';
import type { RequestContext } from '../context.js';

/** Strapi's names (rules H.3). */
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
  ctx.cookies.set(COOKIE, refreshToken, {
    httpOnly: true,
    sameSite: 'strict',
    secure: ctx.secure,
    path: cookie.path,
    maxAge: cookie.maxAge * 1000,
  });
  return { jwt };
};

/** The refresh token of a request: from its body, otherwise from the cookie; undefined if in neither. */
export const shownRefreshToken = (ctx: RequestContext): unknown =>
  objectAt(ctx.request.body)['refreshToken'] ?? ctx.cookies.get(COOKIE);

export const dropCookie = (ctx: RequestContext): void => {
  if (ctx.cookies.get(COOKIE) !== undefined) ctx.cookies.set(COOKIE, null);
};
