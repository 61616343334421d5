import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../errors.js';
import { createGates, runThrough } from '../../limits/gate.js';
import { findUserByIdentifier, type StoredUser, updateUser } from '../../store/access/users.js';
import { checkBody } from '../body.js';
import type { AccessDeps } from '../deps.js';
import { nameKey } from '../names.js';
import { accountErrors } from './errors.js';
import { hashOfNothing, hashPassword, needsUpgrade, verifyPassword } from './password.js';
import { RULES } from './rules.js';

/** Milliseconds that a rejected sign-in takes, whatever hash was compared. */
const REFUSAL_MS = 250;

/** Verified if there is no account, so that response times do not reveal whether there is one. */
const DECOY = hashOfNothing();

/**
 * The passwords for one name are verified one at a time, so that those who guess an account's, from however many
 * addresses, leave room for other accounts.
 */
const gateOfName = createGates({ atOnce: 1, maxWaiting: 50 });

/** A new hash of a verified password; null if too many wait for theirs: a later sign-in replaces the old one. */
const newHash = (deps: AccessDeps, password: string): Promise<string | null> =>
  hashPassword(password, deps.entrant()).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'too-many-requests') return null;
    throw error;
  });

/**
 * The account for an identifier and a password. Upgrades an older hash, which does not count as a change of
 * password, so tokens stay valid. Throws a 400.
 */
export const signIn = async (deps: AccessDeps, body: unknown): Promise<StoredUser> => {
  const { identifier, password } = checkBody(body, RULES.signIn);
  const start = performance.now();
  const user = await findUserByIdentifier(deps.store, identifier);
  const hash = user?.password ?? DECOY;
  const who = deps.entrant();
  const right = await runThrough(
    gateOfName(nameKey(identifier)),
    () => verifyPassword(password, hash, who),
    who,
  );
  if (!user?.password || !right) {
    // Verifying the hashes of imported accounts takes a different time from our own.
    await sleep(Math.max(0, REFUSAL_MS - (performance.now() - start)));
    throw accountErrors.badCredentials();
  }
  if (deps.settings.advanced.email_confirmation && user.confirmed !== true)
    throw accountErrors.notConfirmed();
  if (user.blocked === true) throw accountErrors.blocked();
  if (needsUpgrade(user.password, password)) {
    const hash = await newHash(deps, password);
    deps.begin();
    // Not over a password that was set since.
    if (hash !== null) await updateUser(deps.store, user.id, { password: hash }, { from: user.password });
  }
  return user;
};
