import type { Judgement } from '../documents/validate/judge.js';
import { errors } from '../errors.js';
import type { StoredRole } from '../store/access-roles.js';
import { deleteSessions } from '../store/access-sessions.js';
import { deleteUser, type StoredUser } from '../store/access-users.js';
import { accountErrors } from './account-errors.js';
import { RULES } from './account-rules.js';
import {
  type AccountChange,
  accountById,
  changeAccount,
  createAccount,
  type NewAccount,
  whoHas,
} from './accounts.js';
import { type Body, checkBody, fieldError, objectBody } from './body.js';
import { type AccessDeps, ROLE } from './deps.js';
import { extraFields, writeExtraFields } from './extra-fields.js';

/** `5`, `"abc…"`, `{ id }`, `{ connect: [{ id }] }`, `{ set: [5] }`: the one thing that is named. */
const namedRole = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  const { connect, set, id, documentId } = value as Body;
  const list = connect ?? set;
  if (Array.isArray(list)) return namedRole(list[0]);
  return documentId ?? id;
};

/** The role that a body names by numeric id or documentId. Throws 400 where there is none. */
const findRole = async (deps: AccessDeps, value: unknown): Promise<StoredRole> => {
  const named = String(namedRole(value));
  const roles = await deps.authCache.roles();
  const entry = roles.find(({ role }) => String(role.id) === named || role.documentId === named);
  if (entry) return entry.role;
  throw errors.validation(
    'role-not-assignable',
    `1 relation(s) of type ${ROLE} associated with this entity do not exist`,
  );
};

/** A flag of a judged body. */
const flag = ({ values }: Judgement, name: string): boolean | undefined => {
  const value = values[name];
  return typeof value === 'boolean' ? value : undefined;
};

const checkTaken = async (
  deps: AccessDeps,
  { username, email }: Partial<StoredUser>,
  id?: number,
): Promise<void> => {
  const others = async (given: Parameters<typeof whoHas>[1]): Promise<boolean> =>
    (await whoHas(deps, given)).some((user) => user.id !== id);
  if (await others({ username })) throw accountErrors.usernameTaken();
  if (email === undefined || !deps.settings.advanced.unique_email) return;
  if (await others({ email })) throw accountErrors.emailTaken();
};

/** The account that a body describes, checked but not made yet (rules H.3). Throws 400. */
export const checkNewUser = async (deps: AccessDeps, body: unknown): Promise<NewAccount> => {
  const given = objectBody(body);
  const noRole = given['role'] === undefined ? [fieldError(given, 'role', 'role is a required field')] : [];
  const judged = deps.judge(given, false);
  const { username, email, password } = checkBody(given, RULES.createUser, [...judged.faults, ...noRole]);
  await checkTaken(deps, { username, email: email.toLowerCase() });
  const role = await findRole(deps, given['role']);
  return {
    username,
    email,
    password,
    role: role.documentId,
    confirmed: flag(judged, 'confirmed') ?? false,
    blocked: flag(judged, 'blocked') ?? false,
    extra: extraFields(deps, given),
  };
};

/** Makes an account on behalf of somebody who may. Throws 400. */
export const createUser = async (deps: AccessDeps, body: unknown): Promise<StoredUser> =>
  deps.inTurn(async () => createAccount(deps, await checkNewUser(deps, body)));

const definedOnly = <T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(value).filter(([, v]) => v !== undefined)) as never;

/** Changes what the body names of an account. Throws 404 or 400. */
export const editUser = async (deps: AccessDeps, id: number, body: unknown): Promise<StoredUser> => {
  const user = await accountById(deps, id);
  if (!user) throw accountErrors.noSuchUser();
  const given = objectBody(body);
  if (given['password'] === '') throw accountErrors.emptyPassword();
  const judged = deps.judge(given, true);
  const { username, email, password } = checkBody(given, RULES.updateUser, judged.faults);
  const change: AccountChange = definedOnly({
    username,
    email: email?.toLowerCase(),
    password,
    confirmed: flag(judged, 'confirmed'),
    blocked: flag(judged, 'blocked'),
    role: given['role'] === undefined ? undefined : (await findRole(deps, given['role'])).documentId,
  });
  await checkTaken(deps, change, id);
  const extra = extraFields(deps, given);
  deps.begin();
  await writeExtraFields(deps, user, extra);
  return (await changeAccount(deps, user, change)) ?? user;
};

/** Removes an account with its sessions. Answers with what it was; null when there was none. */
export const removeUser = async (deps: AccessDeps, id: number): Promise<StoredUser | null> => {
  const user = await accountById(deps, id);
  if (!user) return null;
  deps.begin();
  await deleteUser(deps.store, id);
  await deleteSessions(deps.store, id);
  await deps.authCache.changed();
  return user;
};
