import { createSecretKey } from 'node:crypto';
import type jwt from 'jsonwebtoken';
import { packageOnUse } from '../../values/on-use.js';

const jwtPackage = packageOnUse<typeof jwt>('jsonwebtoken');

/** The content of a signed token: Strapi's default form, or the access token of a session. */
export type TokenClaims =
  | { readonly kind: 'plain'; readonly id: number; readonly passwordVersion: number }
  | { readonly kind: 'session'; readonly id: number; readonly sessionId: string };

/**
 * The only algorithm for signing and verifying: `none`, RS256 keys used as HMAC secrets etc. are rejected
 * (CVE-2026-57997).
 */
const ALGORITHM = 'HS256';

/** The package would first try text as a public key, which takes longer than all the rest. */
const keyOf = (secret: string) => createSecretKey(secret, 'utf8');

/**
 * Signs claims. `expiresIn` is in seconds, or text such as `30d`. `passwordVersion` is left out while it is
 * 0, so that until the first change of password a token is byte for byte that of Strapi.
 */
export const signToken = (claims: TokenClaims, secret: string, expiresIn: string | number): string => {
  const payload =
    claims.kind === 'session'
      ? { userId: String(claims.id), sessionId: claims.sessionId, type: 'access' }
      : { id: claims.id, ...(claims.passwordVersion > 0 ? { v: claims.passwordVersion } : {}) };
  return jwtPackage().sign(payload, keyOf(secret), { algorithm: ALGORITHM, expiresIn: expiresIn as number });
};

const claimsOf = (payload: Readonly<Record<string, unknown>>): TokenClaims | null => {
  const { id, v, userId, sessionId, type, exp } = payload;
  // All our tokens expire; one that does not was not issued here.
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
    const payload = jwtPackage().verify(token, keyOf(secret), { algorithms: [ALGORITHM] });
    return typeof payload === 'object' ? claimsOf({ ...payload }) : null;
  } catch {
    return null;
  }
};
