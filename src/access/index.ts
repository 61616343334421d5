/**
 * The face of the access room: other rooms import this file alone. What is asked of it is in `operations.ts`.
 */
import type { Config } from '../config/types.js';
import type { Documents } from '../documents/types.js';
import { bodyChecker } from '../documents/validate/check-body.js';
import type { RecordEvent } from '../events/events.js';
import type { Budget } from '../limits/budget.js';
import { createGate, within } from '../limits/gate.js';
import { existingType } from '../schema/find.js';
import type { ContentType, Schema } from '../schema/types.js';
import { ROLE_UID, USER_UID } from '../schema/uids.js';
import { ensureAccessIndexes } from '../store/access/indexes.js';
import { fillNameKeys } from '../store/access/users.js';
import type { Store } from '../store/client.js';
import { highestId } from '../store/entries/entries.js';
import { createSequences } from '../store/entries/sequence.js';
import { watchContent } from './accounts/changed-as-content.js';
import { hashApiKey } from './credentials/api-key.js';
import type { AccessDeps } from './deps.js';
import { createAuthCache } from './identity/auth-cache.js';
import { createAuthenticate } from './identity/authenticate.js';
import type { Identity } from './identity/identity.js';
import { createMailer } from './mail.js';
import { nameKey } from './names.js';
import { type Bound, bind, ROLES, SESSIONS, TOKENS, USERS } from './operations.js';
import { ensureDefaultRoles, syncRoles } from './roles/roles.js';
import { type AccessSettings, accessSettings } from './settings.js';
import { createTries, type Tries } from './tries.js';

/** Where a refresh token may be kept in a browser, out of the reach of scripts (rules H.3). */
export interface RefreshCookie {
  /** For every client, and not only for those who ask. */
  readonly always: boolean;
  readonly path: string;
  /** Seconds. */
  readonly maxAge: number;
}

/** What can be asked, by what it is about. */
export interface Operations {
  readonly users: Bound<typeof USERS>;
  readonly roles: Bound<typeof ROLES>;
  readonly tokens: Bound<typeof TOKENS>;
  readonly sessions: Bound<typeof SESSIONS>;
}

/** Who may do what: the one value that other rooms hold of this one. */
export interface Access extends Operations {
  /** The same for a request: when it is over, what has changed nothing yet ends, and what has is finished. */
  forRequest(budget: Budget): Operations;
  /** Null: accounts are signed in by one long token, and there are no sessions. */
  readonly refreshCookie: RefreshCookie | null;
  readonly userType: ContentType;
  readonly roleType: ContentType;
  /** Counts tries on the sign-in routes; null where that is switched off. */
  readonly tries: Tries | null;
  /** Who sent this `Authorization` header. Throws 401. */
  identify(authorization: string | undefined): Promise<Identity>;
  close(): void;
}

export type { StoredUser } from '../store/access/users.js';
export { accountErrors } from './accounts/errors.js';
export { hashCode } from './accounts/one-time-code.js';
export type { Credentials } from './credentials/sessions.js';
export type { NewToken } from './credentials/tokens.js';
export type { RoleEntry } from './identity/auth-cache.js';
export type { ApiToken, Identity, TokenType } from './identity/identity.js';
export { allActions, permissionTree } from './roles/actions.js';
export { adviseRoles, configuredGrants } from './roles/configured-roles.js';
export { readNewRole, readRoleChange } from './roles/role-body.js';
export type { Tries } from './tries.js';

interface AccessOptions {
  readonly config: Config;
  readonly schema: Schema;
  readonly store: Store;
  readonly documents: Documents;
  /** False: roles that are there keep their actions, whatever `config/roles` says; a command is not a start. */
  readonly resetRoles?: boolean;
  /** Gets the emails where no mail server is configured. */
  readonly record: RecordEvent;
}

const refreshCookieOf = ({ sessions, prefix }: AccessSettings): RefreshCookie | null =>
  sessions.enabled
    ? { always: sessions.httpOnly, path: `${prefix}/auth`, maxAge: sessions.maxRefreshTokenLifespan }
    : null;

const operations = (deps: AccessDeps): Operations => ({
  users: bind(deps, USERS),
  roles: bind(deps, ROLES),
  tokens: bind(deps, TOKENS),
  sessions: bind(deps, SESSIONS),
});

/** What one request, which may make several changes, begins once. */
const beginOnce = ({ signal, clock }: Budget): (() => void) => {
  let begun = false;
  return () => {
    if (begun) return;
    signal.throwIfAborted();
    clock.stop();
    begun = true;
  };
};

/** Where a sequence starts that has no counter yet: sequences are named by uid, or by their collection. */
const highest = (schema: Schema, store: Store) => (name: string) =>
  highestId(store.db, schema.contentTypes.get(name)?.collectionName ?? name);

/** Opens the access room on a store; makes its indexes, the default roles and those of `config/roles`. */
export const createAccess = async (options: AccessOptions): Promise<Access> => {
  const { config, schema, store, documents } = options;
  const sequences = createSequences(store.db, highest(schema, store), () => 1);
  const settings = accessSettings(config);
  const authCache = createAuthCache(store, (key) => hashApiKey(key, settings.apiTokenSalt));
  const mailer = createMailer(config.plugins.email, options.record);
  const userType = existingType(schema, USER_UID);
  const checkBody = bodyChecker({ schema, config }, userType);
  const alone = createGate({ atOnce: 1, maxWaiting: 100 });
  const deps: AccessDeps = {
    store,
    schema,
    documents,
    userType,
    checkBody,
    settings,
    authCache,
    sequences,
    mailer,
    begin: () => undefined,
    inTurn: (work) => within(alone, work),
  };
  await ensureAccessIndexes(store, settings.advanced.unique_email);
  await fillNameKeys(store, nameKey);
  const roles = config.roles ?? {};
  await ensureDefaultRoles(deps, roles);
  await syncRoles(deps, roles, options.resetRoles);
  watchContent(deps);
  const { enabled } = settings.rateLimit;
  return {
    ...operations(deps),
    forRequest: (budget) =>
      operations({
        ...deps,
        begin: beginOnce(budget),
        inTurn: (work) => within(alone, work, budget),
      }),
    refreshCookie: refreshCookieOf(settings),
    userType,
    roleType: existingType(schema, ROLE_UID),
    tries: enabled ? createTries(store, settings.rateLimit) : null,
    identify: createAuthenticate(deps),
    close: () => authCache.close(),
  };
};
