import { errors } from '../../errors.js';
import type { CallerValues } from '../../query/caller-values.js';
import type { Grants } from '../../query/read-plan.js';
import type { StoredRole } from '../../store/access/roles.js';
import { isSessionOf } from '../../store/access/sessions.js';
import { noteTokenUse } from '../../store/access/tokens.js';
import type { StoredUser } from '../../store/access/users.js';
import type { Store } from '../../store/client.js';
import { callerValues } from '../rule-terms.js';
import type { AccessSettings } from '../settings.js';
import type { AuthCache, RoleEntry } from './auth-cache.js';
import { grantsForToken, NOTHING, withRules } from './grants.js';
import type { ApiToken, Identity } from './identity.js';
import { readToken, type TokenClaims } from './jwt.js';

const HOUR = 3_600_000;

/** What the rules of a role may name of a caller with it. */
export const accountValues = (role: StoredRole | null, user: StoredUser | null): CallerValues => {
  const account: Readonly<Record<string, unknown>> = { ...user, role: role?.type };
  return callerValues((name) => account[name]);
};

/** What a role grants to a caller, whose values its rules name. */
export const grantsFor = (entry: RoleEntry | null, user: StoredUser | null): Grants => {
  if (!entry) return NOTHING;
  const { rules = [] } = entry.role;
  return rules.length === 0 ? entry.grants : withRules(entry.grants, rules, accountValues(entry.role, user));
};

interface Strategies {
  readonly store: Store;
  readonly authCache: AuthCache;
  readonly settings: AccessSettings;
}

/** Updates `lastUsedAt` at most once an hour per token, without delaying the request. */
const createUseNotes = (store: Store) => {
  const noted = new Map<number, number>();
  return (token: ApiToken): void => {
    const now = Date.now();
    const last = noted.get(token.id) ?? token.lastUsedAt?.getTime() ?? 0;
    if (now - last < HOUR) return;
    noted.set(token.id, now);
    noteTokenUse(store, token.id, new Date(now), new Date(now - HOUR)).catch(() => noted.delete(token.id));
  };
};

const JWT_FORM = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Identifies the caller: an API token, a signed-in user, or the public, with compiled grants. Throws a 401
 * for an unknown token, even on public routes.
 */
export const createAuthenticate = ({ store, authCache, settings }: Strategies) => {
  const noteUse = createUseNotes(store);

  const asPublic = async (): Promise<Identity> => ({
    kind: 'public',
    anonymous: true,
    grants: grantsFor(await authCache.roleByType('public'), null),
  });

  const asToken = async (key: string): Promise<Identity> => {
    const entry = await authCache.token(key);
    if (!entry) throw errors.credentialUnknown();
    const { token, grants } = entry;
    if (token.expiresAt && token.expiresAt.getTime() < Date.now())
      throw errors.unauthorized('token-expired', 'Token expired');
    noteUse(token);
    return { kind: 'token', token, grants: grantsForToken(token, grants) };
  };

  /** A token is valid until the password changes; that of a session also only until the session ends. */
  const isCurrent = async (claims: TokenClaims, user: StoredUser): Promise<boolean> => {
    if (claims.kind === 'session') {
      const session = await authCache.session(claims.sessionId);
      return session !== null && isSessionOf(session, user);
    }
    if (settings.sessions.enabled) return false;
    return claims.kind === 'code'
      ? claims.signedAt >= (user.tokensEndedAt?.getTime() ?? 0)
      : claims.passwordVersion === (user.passwordVersion ?? 0);
  };

  const asUser = async (claims: TokenClaims): Promise<Identity> => {
    const user = await authCache.user(claims.id);
    const unconfirmed = settings.advanced.email_confirmation && user?.confirmed !== true;
    if (!user || user.blocked === true || unconfirmed)
      throw errors.unauthorized('credentials-invalid', 'Invalid credentials');
    if (!(await isCurrent(claims, user))) throw errors.credentialUnknown();
    const entry = user.role === null ? null : await authCache.roleByDocument(user.role);
    const session = claims.kind === 'session' ? claims.sessionId : null;
    return {
      kind: 'user',
      userId: user.id,
      role: entry?.role.type ?? null,
      session,
      grants: grantsFor(entry, user),
    };
  };

  return (header: string | undefined): Promise<Identity> => {
    const bearer = bearerToken(header);
    if (bearer === null) return asPublic();
    // A token with our valid signature is not an API key and need not be looked up.
    const claims = JWT_FORM.test(bearer) ? readToken(bearer, settings.jwtSecret) : null;
    return claims ? asUser(claims) : asToken(bearer);
  };
};

/**
 * The token of an `Authorization` header; null for another scheme, for `Bearer` alone, or if more than one
 * word follows.
 */
export const bearerToken = (header: string | undefined): string | null => {
  const parts = (header ?? '').trim().split(/\s+/);
  const [scheme, token] = parts;
  return parts.length === 2 && scheme?.toLowerCase() === 'bearer' && token ? token : null;
};
