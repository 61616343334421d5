import type { CheckedBody } from '../../documents/validate/check-body.js';
import { idKey } from '../../documents/validate/input-keys.js';
import { ApiError, errors, notUnique } from '../../errors.js';
import { deleteSessions } from '../../store/access/sessions.js';
import { deleteUser, type StoredUser } from '../../store/access/users.js';
import { isAbsent } from '../../values/absent.js';
import { type AuthBody, checkBody, flagIn, objectBody, throwFaults } from '../body.js';
import type { AccessDeps } from '../deps.js';
import {
  type AccountChange,
  accountById,
  accountsNamed,
  changeAccount,
  defaultRole,
  type NewAccount,
} from './accounts.js';
import { asCall } from './as-call.js';
import { assignedRole, roleFaults } from './assigned-role.js';
import { createChecked } from './create-checked.js';
import { accountErrors } from './errors.js';
import { extraFields, writeExtraFields } from './extra-fields.js';
import { hashPassword } from './password.js';
import { RULES } from './rules.js';

const orFalse = (given: boolean | null | undefined): boolean | null => (given === undefined ? false : given);

/** Whether the name or address is the name or address of another account. */
const isTaken = async (
  deps: AccessDeps,
  given: Parameters<typeof accountsNamed>[1],
  id?: number,
): Promise<boolean> => (await accountsNamed(deps, given)).some((user) => user.id !== id);

const isEmailTaken = async (deps: AccessDeps, email: string | undefined, id?: number): Promise<boolean> =>
  email !== undefined && deps.settings.advanced.unique_email && (await isTaken(deps, { email }, id));

/** Checks the attributes of a body other than the role. */
const checkedBody = (deps: AccessDeps, { role, ...given }: AuthBody, partial: boolean): CheckedBody =>
  deps.checkBody(given, partial);

/** Strapi's controller passes on only the message when the Document Service rejects a new account. */
const onlyItsMessage = async <T>(check: () => Promise<T>): Promise<T> => {
  try {
    return await check();
  } catch (error) {
    throw error instanceof ApiError ? errors.accountNotValid(error) : error;
  }
};

/** Validates the body of a new account without creating it. Throws a 400. */
export const checkNewUser = async (deps: AccessDeps, body: unknown): Promise<NewAccount> => {
  const given = objectBody(body);
  const { username, email, password } = checkBody(given, RULES.createUser, roleFaults(given, true));
  const address = email.toLowerCase();
  if (await isEmailTaken(deps, address)) throw accountErrors.emailTaken();
  const checked = checkedBody(deps, { ...given, email: address, provider: 'local' }, false);
  const role = await onlyItsMessage(async () => {
    const assigned = await assignedRole(deps, given['role'] || (await defaultRole(deps)).role.id);
    const taken = await isTaken(deps, { username });
    throwFaults([...(taken ? [notUnique(['username'])] : []), ...checked.faults, ...assigned.faults]);
    return assigned.role;
  });
  return {
    username,
    email,
    password,
    role: role?.documentId ?? null,
    confirmed: orFalse(flagIn(checked.values, 'confirmed')),
    blocked: orFalse(flagIn(checked.values, 'blocked')),
    extra: extraFields(deps, given),
  };
};

/** Creates an account on behalf of a caller who has the grant. Throws a 400. */
export const createUser = async (deps: AccessDeps, body: unknown): Promise<StoredUser> => {
  const { unique_email } = deps.settings.advanced;
  return createChecked(
    deps,
    () => checkNewUser(deps, body),
    (made) => (unique_email ? made : { username: made.username }),
  );
};

const definedOnly = <T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(value).filter(([, v]) => v !== undefined)) as never;

const textOrNull = (value: unknown): string | null | undefined =>
  typeof value === 'string' || value === null ? value : undefined;

/** An account keeps its ids, which a body may repeat. Throws a 400. */
const checkIds = (user: StoredUser, given: AuthBody): void => {
  for (const key of ['id', 'documentId'] as const)
    if (!isAbsent(given[key]) && given[key] !== user[key]) throw idKey(key);
};

/** Changes the attributes of an account that the body names. Throws a 404 or 400. */
export const editUser = async (deps: AccessDeps, id: number, body: unknown): Promise<StoredUser> => {
  const user = await accountById(deps, id);
  if (!user) throw accountErrors.noSuchUser();
  const given = objectBody(body);
  checkIds(user, given);
  const { username, email, password } = checkBody(given, RULES.updateUser, roleFaults(given, false));
  if (given['password'] === null || password === '') throw accountErrors.emptyPassword();
  const address = email?.toLowerCase();
  if (username !== undefined && (await isTaken(deps, { username }, id))) throw accountErrors.usernameTaken();
  if (await isEmailTaken(deps, address, id)) throw accountErrors.emailTaken();
  const { documentId } = user;
  const data = { ...given, ...(address !== undefined && { email: address }) };
  const edited = await asCall(deps, { action: 'update', documentId, data }, (inner, changed) =>
    writeEdit(inner, user, changed),
  );
  return edited ?? user;
};

/** Changes the attributes that a body names, whose name and address are free. Throws a 400. */
const writeEdit = async (deps: AccessDeps, user: StoredUser, given: AuthBody): Promise<StoredUser> => {
  const { username, email, password } = checkBody(given, RULES.updateUser, roleFaults(given, false));
  const assigned = await assignedRole(deps, given['role']);
  const checked = checkedBody(deps, given, true);
  throwFaults([...checked.faults, ...assigned.faults]);
  const change: AccountChange = definedOnly({
    username,
    email: email?.toLowerCase(),
    password: password === undefined ? undefined : await hashPassword(password, deps.entrant()),
    provider: textOrNull(checked.values['provider']),
    confirmed: flagIn(checked.values, 'confirmed'),
    blocked: flagIn(checked.values, 'blocked'),
    role: assigned.role === undefined ? undefined : (assigned.role?.documentId ?? null),
  });
  const extra = extraFields(deps, given);
  deps.begin();
  await writeExtraFields(deps, user, extra);
  return (await changeAccount(deps, user, change)) ?? user;
};

/** Removes an account and its sessions. Returns the removed account; null if there was none. */
export const removeUser = async (deps: AccessDeps, id: number): Promise<StoredUser | null> => {
  const user = await accountById(deps, id);
  if (!user) return null;
  return asCall(deps, { action: 'delete', documentId: user.documentId }, async () => {
    deps.begin();
    await deleteUser(deps.store, id);
    await deleteSessions(deps.store, id);
    await deps.authCache.changed();
    return user;
  });
};
