import type { StoredUser } from '../store/access-users.js';
import type { Body } from './body.js';
import { type AccessDeps, USER } from './deps.js';

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

/** Writes them by way of the Document Service, which checks them and resolves relations. Throws its 400. */
export const writeExtraFields = async (
  { documents }: AccessDeps,
  user: StoredUser,
  data: Body,
): Promise<void> => {
  if (Object.keys(data).length > 0) await documents(USER).update({ documentId: user.documentId, data });
};
