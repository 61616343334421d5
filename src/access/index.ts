/** The only file of this module that other modules import. The operations are listed in `operations.ts`. */
import { ConfigError } from '../config/error.js';
import type { Config } from '../config/types.js';
import type { Documents } from '../documents/types.js';
import { bodyChecker } from '../documents/validate/check-body.js';
import type { RecordEvent } from '../events/events.js';
import type { Budget } from '../limits/budget.js';
import { createGate, runThrough } from '../limits/gate.js';
import { existingType, uniqueAttributes } from '../schema/find.js';
import type { ContentType, Schema } from '../schema/types.js';
import { ROLE_UID, USER_UID } from '../schema/uids.js';
import { ensureAccessIndexes } from '../store/access/indexes.js';
import { fillNameKeys } from '../store/access/users.js';
import { writeAccountSettings } from '../store/account-settings.js';
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
import { checkRules } from './roles/check-rules.js';
import { ensureDefaultRoles, syncRoles } from './roles/roles.js';
import { type AccessSettings, type AdvancedSettings, accessSettings } from './settings.js';
import { type CountSignInAttempt, createSignInAttemptCounter } from './sign-in-attempts.js';

/** The cookie that keeps a refresh token out of reach of scripts. */
export interface RefreshCookie {
  /** For every client, not only those that ask for it. */
  readonly always: boolean;
  readonly path: string;
  /** Seconds. */
  readonly maxAge: number;
}

/** The operations by subject. */
export interface Operations {
  readonly users: Bound<typeof USERS>;
  readonly roles: Bound<typeof ROLES>;
  readonly tokens: Bound<typeof TOKENS>;
  readonly sessions: Bound<typeof SESSIONS>;
}

/** Authentication and authorization, as other modules use them. */
export interface Access extends Operations {
  /**
   * The same for a request: if it is aborted, an operation that has not changed anything yet ends, any other
   * is completed.
   */
  forRequest(budget: Budget): Operations;
  /** Null: users sign in with one long-lived token, and there are no sessions. */
  readonly refreshCookie: RefreshCookie | null;
  readonly userType: ContentType;
  readonly roleType: ContentType;
  /** Counts attempts on the sign-in routes; null if rate limiting is disabled. */
  readonly countSignInAttempt: CountSignInAttempt | null;
  /** Identifies the caller by the `Authorization` header. Throws a 401. */
  identify(authorization: string | undefined): Promise<Identity>;
  /** The settings of accounts, which apply from the next operation on. */
  readonly advanced: AdvancedSettings;
  /** Changes and stores them. */
  setAdvanced(advanced: AdvancedSettings): Promise<void>;
  close(): void;
}

export { heldActions } from '../store/access/roles.js';
export type { StoredUser } from '../store/access/users.js';
export { answerOf } from './accounts/as-call.js';
export { accountErrors } from './accounts/errors.js';
export { hashCode } from './accounts/one-time-code.js';
export type { NamedCaller } from './caller-named.js';
export type { Credentials } from './credentials/sessions.js';
export type { RoleEntry } from './identity/auth-cache.js';
export type { Identity, TokenType } from './identity/identity.js';
export { actionOf, storedPermissions, writtenPermissions } from './permissions.js';
export { allActions, permissionTree } from './roles/actions.js';
export { checkPermissions, checkRules, type Holder, holderOf } from './roles/check-rules.js';
export { adviseRoles, configuredPermissions } from './roles/configured-roles.js';
export { readingConditions } from './roles/reading-conditions.js';
export { readNewRole, readRoleChange } from './roles/role-body.js';
export type { RuleTerms } from './rule-terms.js';

interface AccessOptions {
  readonly config: Config;
  readonly schema: Schema;
  readonly store: Store;
  readonly documents: Documents;
  /**
   * False: existing roles keep their actions regardless of `config/roles`; for commands, as opposed to server
   * starts.
   */
  readonly resetRoles?: boolean;
  /** Receives emails if no mail server is configured. */
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

/** Begins a request's changes once, however many there are; from then on, nothing aborts them. */
const beginOnce = ({ client, signal, clock }: Budget): Pick<AccessDeps, 'begin' | 'entrant'> => {
  let begun = false;
  return {
    begin() {
      if (begun) return;
      signal.throwIfAborted();
      clock.stop();
      begun = true;
    },
    entrant: () => (begun ? { client } : { client, signal }),
  };
};

/** The first number of a sequence without a counter; sequences are named by uid or collection. */
const highest = (schema: Schema, store: Store) => (name: string) =>
  highestId(store.db, schema.contentTypes.get(name)?.collectionName ?? name);

/** Opens the access module on a store: creates its indexes, the default roles and those of `config/roles`. */
export const createAccess = async (options: AccessOptions): Promise<Access> => {
  const { config, schema, store, documents } = options;
  const problems = checkRules({ config, schema });
  if (problems.length > 0) throw new ConfigError(problems);
  const sequences = createSequences(store, highest(schema, store), () => 1);
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
    entrant: () => ({}),
    exclusively: (work) => runThrough(alone, work),
  };
  await fillNameKeys(store, nameKey);
  const attributes = await ensureAccessIndexes(store, {
    bySchema: uniqueAttributes(userType).some(({ name }) => name === 'email'),
    bySettings: settings.advanced.unique_email,
  });
  if (attributes.length > 0) options.record({ name: 'accounts-alike', attributes });
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
        ...beginOnce(budget),
        exclusively: (work) => runThrough(alone, work, budget),
      }),
    refreshCookie: refreshCookieOf(settings),
    userType,
    roleType: existingType(schema, ROLE_UID),
    countSignInAttempt: enabled ? createSignInAttemptCounter(store, settings.rateLimit) : null,
    identify: createAuthenticate(deps),
    get advanced() {
      return settings.advanced;
    },
    setAdvanced: async (advanced) => {
      await writeAccountSettings(store, advanced);
      settings.advanced = advanced;
    },
    close: () => authCache.close(),
  };
};
