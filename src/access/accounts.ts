import { createDocumentId } from '../documents/document-id.js';
import { deleteSessions } from '../store/access-sessions.js';
import { deleteUser, findUser, insertUser, type StoredUser, updateUser } from '../store/access-users.js';
import { isDuplicateKey } from '../store/duplicate.js';
import { accountErrors } from './account-errors.js';
import type { Body } from './body.js';
import { type AccessDeps, nextId, USER } from './deps.js';
import { writeExtraFields } from './extra-fields.js';
import { hashPassword } from './password.js';

export interface NewAccount {
  readonly username: string;
  readonly email: string;
  readonly password: string;
  /** The role's documentId. */
  readonly role: string | null;
  readonly confirmed: boolean;
  readonly blocked?: boolean;
  readonly provider?: string;
  readonly confirmationToken?: string | null;
  /** Attributes that the project has added. */
  readonly extra?: Body;
}

/**
 * Makes an account; its password is hashed here. Throws 400 where the name is taken, also by a request that raced this one, or
 * where an added attribute refuses its value.
 */
export const createAccount = async (deps: AccessDeps, made: NewAccount): Promise<StoredUser> => {
  const now = new Date();
  const user: StoredUser = {
    id: await nextId(deps.sequences, USER),
    documentId: createDocumentId(),
    locale: null,
    username: made.username,
    email: made.email.toLowerCase(),
    provider: made.provider ?? 'local',
    password: await hashPassword(made.password),
    resetPasswordToken: null,
    confirmationToken: made.confirmationToken ?? null,
    confirmed: made.confirmed,
    blocked: made.blocked ?? false,
    role: made.role,
    createdAt: now,
    updatedAt: now,
    publishedAt: now,
  };
  await insertUser(deps.store, user).catch((error: unknown) => {
    throw isDuplicateKey(error) ? accountErrors.taken() : error;
  });
  await writeExtraFields(deps, user, made.extra ?? {}).catch(async (error: unknown) => {
    await deleteUser(deps.store, user.id);
    throw error;
  });
  return (await findUser(deps.store, { id: user.id })) ?? user;
};

/** What may be changed of an account; `password` in the clear. */
export type AccountChange = Partial<Omit<StoredUser, 'id' | 'documentId' | 'password'>> & {
  readonly password?: string;
};

/**
 * Changes an account. A new password ends every token and session made under the old one (CVE-2025-3930): everywhere within
 * five seconds, here at once. Answers with the account afterwards; null when there is none.
 */
export const changeAccount = async (
  deps: AccessDeps,
  user: StoredUser,
  { password, ...change }: AccountChange,
): Promise<StoredUser | null> => {
  const renewed =
    password === undefined
      ? {}
      : { password: await hashPassword(password), passwordVersion: (user.passwordVersion ?? 0) + 1 };
  const now = new Date();
  const changed = await updateUser(deps.store, user.id, {
    ...change,
    ...renewed,
    updatedAt: now,
    publishedAt: now,
  });
  if (password !== undefined) await deleteSessions(deps.store, user.id);
  await deps.directory.changed();
  return changed;
};

export const accountById = (deps: AccessDeps, id: number): Promise<StoredUser | null> =>
  findUser(deps.store, { id });
