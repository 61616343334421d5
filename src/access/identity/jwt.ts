import type jwt from 'jsonwebtoken';
import { packageOnUse } from '../../values/on-use.js';

const jwtPackage = packageOnUse<typeof jwt>('jsonwebtoken');

/** What a signed token says: Strapi's default form, or the access token of a session (rules H.3). */
export type TokenClaims =
  | { readonly kind: 'plain'; readonly id: number; readonly passwordVersion: number }
  | { readonly kind: 'session'; readonly id: number; readonly sessionId: string };

/** Only this algorithm, on both sides: `none`, RS256 keys read as HMAC secrets and the like are not tokens (CVE-2026-57997). */
const ALGORITHM = 'HS256';

/**
 * Signs claims. `expiresIn`: seconds, or a string such as `30d`. The password's number is left out while it is 0, so a token is
 * Strapi's own byte for byte until the first change of password.
 */
export const signToken = (claims: TokenClaims, secret: string, expiresIn: string | number): string => {
  const payload =
    claims.kind === 'session'
      ? { userId: String(claims.id), sessionId: claims.sessionId, type: 'access' }
      : { id: claims.id, ...(claims.passwordVersion > 0 ? { v: claims.passwordVersion } : {}) };
  return jwtPackage().sign(payload, secret, { algorithm: ALGORITHM, expiresIn: expiresIn as number });
};

const claimsOf = (payload: Readonly<Record<string, unknown>>): TokenClaims | null => {
  const { id, v, userId, sessionId, type, exp } = payload;
  // Every token that is made here ends; one that does not was made by somebody else.
  if (typeof exp !== 'number') return null;
  if (type === 'access' && typeof sessionId === 'string' && /^\d+$/.test(String(userId)))
    return { kind: 'session', id: Number(userId), sessionId };
  if (typeof id === 'number' && type === undefined)
    return { kind: 'plain', id, passwordVersion: typeof v === 'number' ? v : 0 };
  return null;
};

/** The claims of a valid, unexpired token; null for anything else. */
export const readToken = (token: string, secret: string): TokenClaims | null => {
  try {
    const payload = jwtPackage().verify(token, secret, { algorithms: [ALGORITHM] });
    return typeof payload === 'object' ? claimsOf({ ...payload }) : null;
  } catch {
    return null;
  }
};
