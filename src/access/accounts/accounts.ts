import { createDocumentId } from '../../documents/document-id.js';
import type { FieldError } from '../../errors.js';
import { USER_UID } from '../../schema/uids.js';
import { deleteSessions } from '../../store/access/sessions.js';
import {
  deleteUser,
  findTakenNames,
  findUser,
  insertUser,
  type StoredUser,
  updateUser,
} from '../../store/access/users.js';
import { isDuplicateKey } from '../../store/connection/duplicate.js';
import type { AuthBody } from '../body.js';
import { type AccessDeps, nextId } from '../deps.js';
import type { RoleEntry } from '../identity/auth-cache.js';
import { nameKey } from '../names.js';
import { accountErrors } from './errors.js';
import { extraDefaults, writeExtraFields } from './extra-fields.js';
import { hashPassword } from './password.js';

export interface NewAccount {
  readonly username: string;
  readonly email: string;
  readonly password: string;
  /** The role's documentId. */
  readonly role: string | null;
  readonly confirmed: boolean | null;
  readonly blocked?: boolean | null;
  readonly provider?: string;
  readonly confirmationToken?: string | null;
  /** Attributes that the project has added to accounts. */
  readonly extra?: AuthBody;
}

/** Throws a 400 for an account whose name or address another one has taken since it was checked. */
const refuseTaken = (error: unknown): never => {
  throw isDuplicateKey(error) ? accountErrors.taken() : error;
};

/**
 * Creates an account and hashes its password. Throws a 400 if the name is taken, possibly by a concurrent
 * request, or if the value of an added attribute is invalid.
 */
export const createAccount = async (deps: AccessDeps, made: NewAccount): Promise<StoredUser> => {
  const now = new Date();
  const user: StoredUser = {
    id: await nextId(deps.sequences, USER_UID),
    documentId: createDocumentId(),
    locale: null,
    username: made.username,
    nameKey: nameKey(made.username),
    email: made.email.toLowerCase(),
    provider: made.provider ?? 'local',
    password: await hashPassword(made.password, deps.entrant()),
    resetPasswordToken: null,
    confirmationToken: made.confirmationToken ?? null,
    confirmed: made.confirmed,
    blocked: made.blocked === undefined ? false : made.blocked,
    role: made.role,
    createdAt: now,
    updatedAt: now,
    publishedAt: now,
  };
  deps.begin();
  await insertUser(deps.store, user).catch(refuseTaken);
  await writeExtraFields(deps, user, { ...extraDefaults(deps), ...made.extra }).catch(
    async (error: unknown) => {
      await deleteUser(deps.store, user.id);
      throw error;
    },
  );
  return (await findUser(deps.store, { id: user.id })) ?? user;
};

/**
 * Accounts that use one of these as their name or their address: one account's name may not be another's
 * address.
 */
export const accountsNamed = (
  { store }: AccessDeps,
  { username, email }: { readonly username?: string | undefined; readonly email?: string | undefined },
): Promise<readonly StoredUser[]> => {
  const names = [username, email].filter((name) => name !== undefined);
  return names.length === 0 ? Promise.resolve([]) : findTakenNames(store, names, names.map(nameKey));
};

/**
 * Creates an account whose name and address were free a moment ago. No index compares names with addresses:
 * of two accounts that take one at once on two servers, neither keeps it. Throws a 400.
 */
export const createUntaken = async (
  deps: AccessDeps,
  made: NewAccount,
  names: Parameters<typeof accountsNamed>[1] = made,
): Promise<StoredUser> => {
  const user = await createAccount(deps, made);
  const others = (await accountsNamed(deps, names)).filter(({ id }) => id !== user.id);
  if (others.length === 0) return user;
  await deleteUser(deps.store, user.id);
  throw accountErrors.taken();
};

/** Invalidates all mailed codes. */
export const NO_CODES = {
  resetPasswordToken: null,
  resetPasswordExpiresAt: null,
  confirmationToken: null,
} as const;

/** What can be changed in an account; `password` as its hash. */
export type AccountChange = Partial<
  Omit<StoredUser, 'id' | 'documentId' | 'password' | 'passwordVersion' | 'tokensEndedAt'>
> & {
  readonly password?: string;
};

/**
 * Changes an account. A new password or a block ends all earlier tokens and sessions (CVE-2025-3930): at once
 * in this process, within five seconds in others. A new password or address invalidates mailed codes. A new
 * password is hashed by the caller, before its first change: hashing may be refused. Returns the changed
 * account; null if it does not exist, or no longer has the password `from`.
 */
export const changeAccount = async (
  deps: AccessDeps,
  user: StoredUser,
  change: AccountChange,
  from?: string,
): Promise<StoredUser | null> => {
  const { password, username } = change;
  const ends = password !== undefined || change.blocked === true;
  const renamed = username !== undefined && { nameKey: nameKey(username) };
  const moved = password !== undefined || (change.email !== undefined && change.email !== user.email);
  const now = new Date();
  deps.begin();
  const changed = await updateUser(
    deps.store,
    user.id,
    { ...(moved && NO_CODES), ...change, ...renamed, updatedAt: now, publishedAt: now },
    { ends, ...(from !== undefined && { from }) },
  ).catch(refuseTaken);
  if (changed && ends) await deleteSessions(deps.store, user.id);
  await deps.authCache.changed();
  return changed;
};

export const accountById = (deps: AccessDeps, id: number): Promise<StoredUser | null> =>
  findUser(deps.store, { id });

/** The role of new accounts that name none. Throws a 400 if it does not exist. */
export const defaultRole = async ({ authCache, settings }: AccessDeps): Promise<RoleEntry> => {
  const role = await authCache.roleByType(settings.advanced.default_role);
  if (!role) throw accountErrors.noDefaultRole();
  return role;
};

/** Errors of a body by the schema of accounts, as for any entry. */
export const contentFaults = ({ checkBody }: AccessDeps, body: AuthBody): readonly FieldError[] =>
  checkBody(body, true).faults;
