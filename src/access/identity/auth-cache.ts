import { LRUCache } from 'lru-cache';
import type { Grants } from '../../query/read-plan.js';
import { heldActions, listRoles, type StoredRole } from '../../store/access/roles.js';
import { findSession, type StoredSession } from '../../store/access/sessions.js';
import { findToken } from '../../store/access/tokens.js';
import { findUser, type StoredUser } from '../../store/access/users.js';
import { raiseAccessVersion, readAccessVersion } from '../../store/access/version.js';
import type { Store } from '../../store/client.js';
import { readAgain } from '../../store/connection/read-again.js';
import { compileGrants, grantsOfToken } from './grants.js';
import type { ApiToken } from './identity.js';

/** Milliseconds for which this process may use cached data without checking for changes. */
const MAX_AGE = 5000;
const WATCH_EVERY = 2000;
const MAX_ENTRIES = 5000;

export interface RoleEntry {
  readonly role: StoredRole;
  /** Whatever the rules of its actions are: see `grantsFor`. */
  readonly grants: Grants;
}

interface TokenEntry {
  readonly token: ApiToken;
  /** Whatever the rules of its actions are: see `grantsForToken`. */
  readonly grants: Grants;
}

/**
 * Caches roles, tokens, accounts and sessions, so that a warm request needs no query for its caller. Every
 * change increments a number in `mangrove.settings` that each process polls: a change takes effect at once in
 * its own process and within five seconds in all others.
 */
export interface AuthCache {
  roles(): Promise<readonly RoleEntry[]>;
  roleByDocument(documentId: string): Promise<RoleEntry | null>;
  roleByType(type: string): Promise<RoleEntry | null>;
  /** By the key in a request; a key that was found before is not hashed again. */
  token(key: string): Promise<TokenEntry | null>;
  user(id: number): Promise<StoredUser | null>;
  session(sessionId: string): Promise<StoredSession | null>;
  /** Call after each change: clears this cache and notifies other processes. */
  changed(): Promise<void>;
  close(): void;
}

/** Caches what `find` finds for `maxAge` milliseconds (0: forever). Misses are not cached. */
const cached = <K extends string | number, V extends object>(
  find: (key: K) => Promise<V | null>,
  maxAge: number,
) => {
  // A list sets aside room for all its entries, and many of them are replaced before anything is looked up.
  let known: LRUCache<K, V> | null = null;
  return async (key: K): Promise<V | null> => {
    known ??= new LRUCache<K, V>({ max: MAX_ENTRIES, ttl: maxAge });
    const value = known.get(key) ?? (await readAgain(() => find(key)));
    if (value !== null) known.set(key, value, { noUpdateTTL: true });
    return value;
  };
};

const memory = (store: Store, hash: (key: string) => string) => {
  let roles: Promise<readonly RoleEntry[]> | null = null;
  const loadRoles = async () =>
    (await readAgain(() => listRoles(store))).map((role) => ({
      role,
      grants: compileGrants(heldActions(role)),
    }));
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
    /**
     * Accounts may also be changed by programs that do not increment the version, so these entries expire.
     */
    user: cached((id: number) => findUser(store, { id }), MAX_AGE),
    session: cached((sessionId: string) => findSession(store, sessionId), MAX_AGE),
  };
};

/** @param hash the stored form of an API token's key */
export const createAuthCache = (store: Store, hash: (key: string) => string): AuthCache => {
  let version = -1;
  let checkedAt = 0;
  // Replaced as a whole, so that a lookup that began before a change cannot store its result in the new
  // cache.
  let current = memory(store, hash);
  const check = async (): Promise<void> => {
    const now = await readAgain(() => readAccessVersion(store));
    if (now !== version) current = memory(store, hash);
    version = now;
    checkedAt = Date.now();
  };
  const fresh = async () => {
    if (Date.now() - checkedAt > MAX_AGE) await check();
    return current;
  };
  // If a check fails, the next request makes up for it by waiting for one.
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
