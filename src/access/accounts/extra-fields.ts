import { checkInputKeys } from '../../documents/validate/input-keys.js';
import type { Caller } from '../../query/read-plan.js';
import { USER_UID } from '../../schema/uids.js';
import type { StoredUser } from '../../store/access/users.js';
import type { Body } from '../body.js';
import type { AccessDeps } from '../deps.js';

/** What the account routes write themselves, each by its own rules. */
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

/** What a body says of the attributes that the project has added to accounts (`extensions/users-permissions/…/user`). */
export const extraFields = ({ userType }: AccessDeps, body: Body): Body =>
  Object.fromEntries(
    [...userType.attributes.values()]
      .filter(
        ({ name, system, writable }) => writable && !system && !OWN.has(name) && body[name] !== undefined,
      )
      .map(({ name }) => [name, body[name]]),
  );

/**
 * Holds what a body says of them against the caller's grants, as in any content: no relation to what the caller may not see (rules
 * A.16). Throws 400.
 */
export const checkExtraKeys = (deps: AccessDeps, body: unknown, caller: Caller): void => {
  if (typeof body === 'object' && body !== null)
    checkInputKeys(extraFields(deps, { ...body }), deps.userType, deps.schema, caller);
};

/** Writes them by way of the Document Service, which checks them and resolves relations. Throws its 400. */
export const writeExtraFields = async (
  { documents }: AccessDeps,
  user: StoredUser,
  data: Body,
): Promise<void> => {
  if (Object.keys(data).length > 0) await documents(USER_UID).update({ documentId: user.documentId, data });
};
