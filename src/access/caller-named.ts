import type { CallerValues } from '../query/caller-values.js';
import type { Caller, Rule } from '../query/read-plan.js';
import type { StoredRole, StoredRule } from '../store/access/roles.js';
import { listTokens } from '../store/access/tokens.js';
import { findUser, type StoredUser } from '../store/access/users.js';
import type { AccessDeps } from './deps.js';
import { accountValues, grantsFor } from './identity/authenticate.js';
import { grantsForToken, valuesOfNobody } from './identity/grants.js';
import type { ApiToken } from './identity/identity.js';
import { type RuleTerms, ruleOf, termsOf } from './rule-terms.js';

/** Who would make a request. */
export interface NamedCaller {
  readonly kind: 'public' | 'account' | 'token' | 'role';
  /** What has the permissions: `role writer`, `token preview`. */
  readonly holder: string;
  readonly caller: Caller;
  /** Why a server would not accept the credential; null: it would. */
  readonly barred: string | null;
  /** What its rules name of it. */
  readonly values: CallerValues;
  /** The rules of an action, in their order: as written, and as they are for this caller (see `ruleOf`). */
  rulesOf(action: string): readonly { readonly terms: RuleTerms; readonly rule: Rule | null }[];
}

type Ruled = Pick<NamedCaller, 'rulesOf' | 'values'>;

const ruled = (stored: readonly StoredRule[], values: CallerValues): Ruled => ({
  values,
  rulesOf: (action) =>
    stored
      .filter((one) => one.action === action)
      .map((one) => ({ terms: termsOf(one), rule: ruleOf(termsOf(one), values) })),
});

/** What accounts and the public have by a role. */
const byRole = (role: StoredRole | null, user: StoredUser | null) => ({
  holder: role ? `role ${role.type}` : 'no role',
  ...ruled(role?.rules ?? [], accountValues(role, user)),
});

const barringOf = (user: StoredUser, { settings }: AccessDeps): string | null => {
  if (user.blocked === true) return 'the account is blocked';
  const unconfirmed = settings.advanced.email_confirmation && user.confirmed !== true;
  return unconfirmed ? 'the email address of the account is not confirmed' : null;
};

const isExpired = ({ expiresAt }: ApiToken): boolean =>
  expiresAt !== null && expiresAt.getTime() < Date.now();

/**
 * Who is named: `public`, an account by its username or email address, an API token by its name, or a role by its
 * type; null if there is none. The first that is found, in this order.
 */
export async function callerNamed(deps: AccessDeps, name: string): Promise<NamedCaller | null> {
  const { store, authCache } = deps;
  if (name === 'public') {
    const entry = await authCache.roleByType('public');
    const caller = { anonymous: true, grants: grantsFor(entry, null) };
    return { kind: 'public', caller, barred: null, ...byRole(entry?.role ?? null, null) };
  }
  const user =
    (await findUser(store, { username: name })) ?? (await findUser(store, { email: name.toLowerCase() }));
  if (user) {
    const entry = user.role === null ? null : await authCache.roleByDocument(user.role);
    const caller = { grants: grantsFor(entry, user) };
    return { kind: 'account', caller, barred: barringOf(user, deps), ...byRole(entry?.role ?? null, user) };
  }
  const token = (await listTokens(store)).find((one) => one.name === name);
  if (token)
    return {
      kind: 'token',
      holder: `token ${name}`,
      caller: { grants: grantsForToken(token) },
      barred: isExpired(token) ? 'the token has expired' : null,
      ...ruled(token.rules ?? [], valuesOfNobody()),
    };
  const entry = await authCache.roleByType(name);
  const caller = { grants: grantsFor(entry, null) };
  return entry && { kind: 'role', caller, barred: null, ...byRole(entry.role, null) };
}
