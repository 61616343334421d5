import { createSecretKey } from 'node:crypto';
import type jwt from 'jsonwebtoken';
import { packageOnUse } from '../../values/on-use.js';

const jwtPackage = packageOnUse<typeof jwt>('jsonwebtoken');

/** The content of a signed token: Strapi's default form, the access token of a session, or what code signed. */
export type TokenClaims =
  | { readonly kind: 'plain'; readonly id: number; readonly passwordVersion: number }
  | { readonly kind: 'session'; readonly id: number; readonly sessionId: string }
  | { readonly kind: 'code'; readonly id: number; readonly signedAt: number };

type Claims = Readonly<Record<string, unknown>>;

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
export const signToken = (
  claims: Exclude<TokenClaims, { readonly kind: 'code' }>,
  secret: string,
  expiresIn: string | number,
): string => {
  const payload =
    claims.kind === 'session'
      ? { userId: String(claims.id), sessionId: claims.sessionId, type: 'access' }
      : { id: claims.id, ...(claims.passwordVersion > 0 ? { v: claims.passwordVersion } : {}) };
  return jwtPackage().sign(payload, keyOf(secret), { algorithm: ALGORITHM, expiresIn: expiresIn as number });
};

/**
 * Signs what a project's code puts in a token. It is signed without a look at the account, as in Strapi, so it has
 * the time (`at`, milliseconds) in place of the password version.
 */
export const signClaims = (claims: Claims, secret: string, options: jwt.SignOptions): string =>
  jwtPackage().sign({ ...claims, at: Date.now() }, keyOf(secret), { ...options, algorithm: ALGORITHM });

const claimsOf = (payload: Claims): TokenClaims | null => {
  const { id, v, userId, sessionId, type, exp, at } = payload;
  // All our tokens expire; one that does not was not issued here.
  if (typeof exp !== 'number') return null;
  if (typeof at === 'number')
    return /^\d+$/.test(String(id)) ? { kind: 'code', id: Number(id), signedAt: at } : null;
  if (type === 'access' && typeof sessionId === 'string' && /^\d+$/.test(String(userId)))
    return { kind: 'session', id: Number(userId), sessionId };
  if (typeof id === 'number' && type === undefined)
    return { kind: 'plain', id, passwordVersion: typeof v === 'number' ? v : 0 };
  return null;
};

/** What a valid, unexpired token says; null for anything else. */
export const readClaims = (token: string, secret: string): Claims | null => {
  try {
    const payload = jwtPackage().verify(token, keyOf(secret), { algorithms: [ALGORITHM] });
    return typeof payload === 'object' ? { ...payload } : null;
  } catch {
    return null;
  }
};

/** Whom a valid, unexpired token identifies; null for anything else. */
export const readToken = (token: string, secret: string): TokenClaims | null => {
  const claims = readClaims(token, secret);
  return claims && claimsOf(claims);
};
