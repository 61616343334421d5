import { findUserByIdentifier, type StoredUser, updateUser } from '../store/access-users.js';
import { accountErrors } from './account-errors.js';
import { RULES } from './account-rules.js';
import { checkBody } from './body.js';
import type { AccessDeps } from './deps.js';
import { hashPassword, needsUpgrade, verifyPassword } from './password.js';

/** Compared against where there is no account, so that the time an answer takes does not tell whether there is one. */
const DECOY = hashPassword('no account has this password');

/**
 * The account behind an identifier and a password (rules H.3). An old kind of hash is replaced on the way; that is no change of
 * password, so its tokens stay. Throws 400.
 */
export const signIn = async (deps: AccessDeps, body: unknown): Promise<StoredUser> => {
  const { identifier, password } = checkBody(body, RULES.signIn);
  const user = await findUserByIdentifier(deps.store, identifier);
  const right = await verifyPassword(password, user?.password ?? (await DECOY));
  if (!user?.password || !right) throw accountErrors.badCredentials();
  if (deps.settings.advanced.email_confirmation && user.confirmed !== true)
    throw accountErrors.notConfirmed();
  if (user.blocked === true) throw accountErrors.blocked();
  if (needsUpgrade(user.password))
    await updateUser(deps.store, user.id, { password: await hashPassword(password) });
  return user;
};
