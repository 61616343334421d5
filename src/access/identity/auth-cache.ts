import { LRUCache } from 'lru-cache';
import type { Grants } from '../../query/read-plan.js';
import { listRoles, type StoredRole } from '../../store/access/roles.js';
import { findSession, type StoredSession } from '../../store/access/sessions.js';
import { findToken } from '../../store/access/tokens.js';
import { findUser, type StoredUser } from '../../store/access/users.js';
import { raiseAccessVersion, readAccessVersion } from '../../store/access/version.js';
import type { Store } from '../../store/client.js';
import { compileGrants, grantsOfToken } from './grants.js';
import type { ApiToken } from './identity.js';

/** How long this process may go on with what it knows, in milliseconds. */
const MAX_AGE = 5000;
const WATCH_EVERY = 2000;
const MAX_ENTRIES = 5000;

export interface RoleEntry {
  readonly role: StoredRole;
  readonly grants: Grants;
}

interface TokenEntry {
  readonly token: ApiToken;
  readonly grants: Grants;
}

/**
 * What this process remembers of roles, tokens, accounts and sessions, so that a warm request asks the database nothing about
 * its caller. Every change raises one number in `mangrove.settings`, which each process watches: a change made anywhere is
 * seen everywhere within five seconds, and at once in the process that made it.
 */
export interface AuthCache {
  roles(): Promise<readonly RoleEntry[]>;
  roleByDocument(documentId: string): Promise<RoleEntry | null>;
  roleByType(type: string): Promise<RoleEntry | null>;
  /** By the key that came in a request; a token that was found is not hashed again. */
  token(key: string): Promise<TokenEntry | null>;
  user(id: number): Promise<StoredUser | null>;
  session(sessionId: string): Promise<StoredSession | null>;
  /** To be called after each change: forgets here, and tells the others. */
  changed(): Promise<void>;
  close(): void;
}

/** Keeps what was found, each for `maxAge` milliseconds (0: forever); what is not there is asked for again. */
const cached = <K extends string | number, V extends object>(
  find: (key: K) => Promise<V | null>,
  maxAge: number,
) => {
  const known = new LRUCache<K, V>({ max: MAX_ENTRIES, ttl: maxAge });
  return async (key: K): Promise<V | null> => {
    const value = known.get(key) ?? (await find(key));
    if (value !== null) known.set(key, value, { noUpdateTTL: true });
    return value;
  };
};

const memory = (store: Store, hash: (key: string) => string) => {
  let roles: Promise<readonly RoleEntry[]> | null = null;
  const loadRoles = async () =>
    (await listRoles(store)).map((role) => ({ role, grants: compileGrants(role.grants) }));
  return {
    roles: () => {
      roles ??= loadRoles().catch((error: unknown) => {
        roles = null;
        throw error;
      });
      return roles;
    },
    token: cached(async (key: string): Promise<TokenEntry | null> => {
      const token = await findToken(store, hash(key));
      return token && { token, grants: grantsOfToken(token) };
    }, 0),
    /** Accounts may also be changed by scripts that know nothing of the version, so these age. */
    user: cached((id: number) => findUser(store, { id }), MAX_AGE),
    session: cached((sessionId: string) => findSession(store, sessionId), MAX_AGE),
  };
};

/** @param hash what is stored of an API token's key */
export const createAuthCache = (store: Store, hash: (key: string) => string): AuthCache => {
  let version = -1;
  let checkedAt = 0;
  // Replaced as a whole, so that a lookup that began before a change cannot write its answer into what came after.
  let current = memory(store, hash);
  const check = async (): Promise<void> => {
    const now = await readAccessVersion(store);
    if (now !== version) current = memory(store, hash);
    version = now;
    checkedAt = Date.now();
  };
  const fresh = async () => {
    if (Date.now() - checkedAt > MAX_AGE) await check();
    return current;
  };
  // A failed look is made up for by the next request, which then waits for one.
  const timer = setInterval(() => void check().catch(() => undefined), WATCH_EVERY).unref();
  const roles = async () => await (await fresh()).roles();
  const roleWhere = async (test: (role: StoredRole) => boolean) =>
    (await roles()).find((entry) => test(entry.role)) ?? null;
  return {
    roles,
    roleByDocument: (documentId) => roleWhere((role) => role.documentId === documentId),
    roleByType: (type) => roleWhere((role) => role.type === type),
    token: async (key) => (await fresh()).token(key),
    user: async (id) => (await fresh()).user(id),
    session: async (sessionId) => (await fresh()).session(sessionId),
    changed: async () => {
      await raiseAccessVersion(store);
      await check();
    },
    close: () => clearInterval(timer),
  };
};
