/** The operations of the access module, by subject. */
import { findSession, isSessionOf, listSessions, type StoredSession } from '../store/access/sessions.js';
import { listTokens } from '../store/access/tokens.js';
import { countByRole, findUser, listUsers, type StoredUser } from '../store/access/users.js';
import { numericId } from '../values/plain-object.js';
import { accountById, createAccount } from './accounts/accounts.js';
import { changePassword, forgotPassword, resetPassword } from './accounts/change-password.js';
import { confirmEmail, mailConfirmation, sendConfirmation } from './accounts/confirm-email.js';
import { checkExtraKeys } from './accounts/extra-fields.js';
import { verifyPassword } from './accounts/password.js';
import { register } from './accounts/register.js';
import { sendEmail } from './accounts/send-email.js';
import { signIn } from './accounts/sign-in.js';
import { checkNewUser, createUser, editUser, removeUser } from './accounts/user-admin.js';
import { callerNamed } from './caller-named.js';
import {
  claimsIn,
  endSession,
  issueCredentials,
  refreshCredentials,
  signForCode,
} from './credentials/sessions.js';
import { checkTokenName, createToken, revokeToken } from './credentials/tokens.js';
import type { AccessDeps } from './deps.js';
import type { RoleEntry } from './identity/auth-cache.js';
import { changeRole, createRole, removeRole, syncRoles } from './roles/roles.js';

/** The account with this name, address or numeric id. */
const userByName = async ({ store }: AccessDeps, name: string): Promise<StoredUser | null> => {
  const id = numericId(name);
  return (
    (await findUser(store, { username: name })) ??
    (await findUser(store, { email: name.toLowerCase() })) ??
    (id === null ? null : findUser(store, { id }))
  );
};

/** The sessions that a change of password or a block has not ended. */
const liveSessions = async (deps: AccessDeps, userId: number): Promise<readonly StoredSession[]> => {
  const user = await accountById(deps, userId);
  const all = await listSessions(deps.store, userId);
  return user ? all.filter((session) => isSessionOf(session, user)) : [];
};

/** A session of this account; null if it belongs to another. */
const ownSession = async (
  { store }: AccessDeps,
  userId: number,
  sessionId: string,
): Promise<StoredSession | null> => {
  const session = await findSession(store, sessionId);
  return session?.userId === userId ? session : null;
};

export const USERS = {
  byId: accountById,
  named: userByName,
  list: ({ store }: AccessDeps, role: string | null) => listUsers(store, role),
  caller: callerNamed,
  countByRole: ({ store }: AccessDeps) => countByRole(store),
  check: checkNewUser,
  checkExtraKeys,
  make: createAccount,
  create: createUser,
  edit: editUser,
  remove: removeUser,
  register,
  changePassword,
  forgotPassword,
  resetPassword,
  confirmEmail,
  mailConfirmation,
  sendConfirmation,
  sendEmail,
  verifyPassword: ({ entrant }: AccessDeps, password: string, hash: string) =>
    verifyPassword(password, hash, entrant()),
} as const;

export const ROLES = {
  all: ({ authCache }: AccessDeps): Promise<readonly RoleEntry[]> => authCache.roles(),
  byType: ({ authCache }: AccessDeps, type: string) => authCache.roleByType(type),
  byDocument: ({ authCache }: AccessDeps, documentId: string) => authCache.roleByDocument(documentId),
  create: createRole,
  change: changeRole,
  remove: removeRole,
  sync: syncRoles,
} as const;

export const TOKENS = {
  all: ({ store }: AccessDeps) => listTokens(store),
  checkName: checkTokenName,
  create: createToken,
  revoke: revokeToken,
} as const;

export const SESSIONS = {
  signIn,
  issue: issueCredentials,
  sign: signForCode,
  claims: claimsIn,
  refresh: refreshCredentials,
  list: liveSessions,
  own: ownSession,
  end: endSession,
} as const;

/** Operations with their first parameter, `deps`, bound. */
export type Bound<T> = {
  readonly [K in keyof T]: T[K] extends (deps: never, ...args: infer A) => infer R
    ? (...args: A) => R
    : never;
};

/** Binds `deps` to each operation of a table. */
export const bind = <D, T extends Readonly<Record<string, (deps: D, ...args: never[]) => unknown>>>(
  deps: D,
  operations: T,
): Bound<T> =>
  Object.fromEntries(
    Object.entries(operations).map(([name, run]) => [name, (...args: never[]) => run(deps, ...args)]),
  ) as Bound<T>;
