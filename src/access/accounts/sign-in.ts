import { setTimeout as sleep } from 'node:timers/promises';
import { findUserByIdentifier, type StoredUser, updateUser } from '../../store/access/users.js';
import { checkBody } from '../body.js';
import type { AccessDeps } from '../deps.js';
import { accountErrors } from './errors.js';
import { hashPassword, needsUpgrade, verifyPassword } from './password.js';
import { RULES } from './rules.js';

/** Milliseconds that a refused sign-in takes, whatever there was to compare. */
const REFUSAL_MS = 250;

/** Compared against where there is no account, so that the time an answer takes does not tell whether there is one. */
const DECOY = hashPassword('no account has this password');

/**
 * The account behind an identifier and a password (rules H.3). An old kind of hash is replaced on the way; that is not a change of
 * password, so its tokens stay. Throws 400.
 */
export const signIn = async (deps: AccessDeps, body: unknown): Promise<StoredUser> => {
  const { identifier, password } = checkBody(body, RULES.signIn);
  const start = performance.now();
  const user = await findUserByIdentifier(deps.store, identifier);
  const right = await verifyPassword(password, user?.password ?? (await DECOY));
  if (!user?.password || !right) {
    // Hashes of imported accounts take another time than our own.
    await sleep(Math.max(0, REFUSAL_MS - (performance.now() - start)));
    throw accountErrors.badCredentials();
  }
  if (deps.settings.advanced.email_confirmation && user.confirmed !== true)
    throw accountErrors.notConfirmed();
  if (user.blocked === true) throw accountErrors.blocked();
  if (needsUpgrade(user.password, password)) {
    const hash = await hashPassword(password);
    deps.begin();
    await updateUser(deps.store, user.id, { password: hash });
  }
  return user;
};
