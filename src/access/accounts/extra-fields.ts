import { defaultOf } from '../../documents/plan/plan-write.js';
import { checkInputKeys } from '../../documents/validate/input-keys.js';
import type { Caller } from '../../query/read-plan.js';
import { USER_UID } from '../../schema/uids.js';
import type { StoredUser } from '../../store/access/users.js';
import type { AuthBody } from '../body.js';
import type { AccessDeps } from '../deps.js';

/** Attributes that the account routes write by rules of their own. */
const OWN = new Set([
  'username',
  'email',
  'provider',
  'password',
  'resetPasswordToken',
  'confirmationToken',
  'confirmed',
  'blocked',
  'role',
]);

/**
 * The part of a body that concerns attributes added by the project (`extensions/users-permissions/…/user`).
 */
export const extraFields = ({ userType }: AccessDeps, body: AuthBody): AuthBody =>
  Object.fromEntries(
    [...userType.attributes.values()]
      .filter(
        ({ name, system, writable }) => writable && !system && !OWN.has(name) && body[name] !== undefined,
      )
      .map(({ name }) => [name, body[name]]),
  );

/** What a new account has of them by default. */
export const extraDefaults = ({ userType }: AccessDeps): AuthBody =>
  Object.fromEntries(
    [...userType.attributes.values()].flatMap((attribute) => {
      const value = attribute.system || OWN.has(attribute.name) ? undefined : defaultOf(attribute);
      return value === undefined ? [] : [[attribute.name, value]];
    }),
  );

/** Accounts are written without rules, so a caller may not refer to a type of which it may read a part only. */
const withoutRuled = ({ grants, ...caller }: Caller): Caller => ({
  ...caller,
  grants: grants && {
    ...grants,
    allows: (action) => grants.allows(action) && !grants.reads?.has(action.slice(0, action.lastIndexOf('.'))),
  },
});

/**
 * Checks that part against the caller's grants, like any content: no relation to a type that the caller may
 * not see. Throws a 400.
 */
export const checkExtraKeys = (deps: AccessDeps, body: unknown, caller: Caller): void => {
  if (typeof body === 'object' && body !== null)
    checkInputKeys(extraFields(deps, { ...body }), deps.userType, deps.schema, withoutRuled(caller));
};

/**
 * Writes added attributes through the Document Service, which validates them and resolves relations. Throws
 * its 400.
 */
export const writeExtraFields = async (
  { documents }: AccessDeps,
  user: StoredUser,
  data: AuthBody,
): Promise<void> => {
  if (Object.keys(data).length > 0) await documents(USER_UID).update({ documentId: user.documentId, data });
};
