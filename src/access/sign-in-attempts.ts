import { createAttemptCounter } from '../store/access/limits.js';
import { findUserByIdentifier } from '../store/access/users.js';
import type { Store } from '../store/client.js';
import { MAX_NAME, nameKey } from './names.js';
import type { AccessSettings } from './settings.js';

/** An attempt on a sign-in route. */
interface SignInAttempt {
  /** The route's method and pattern. */
  readonly route: string;
  /** Address of the client. */
  readonly address: string;
  /** The name or address of the account; null if the route names none. */
  readonly identifier: string | null;
}

/** Counts an attempt; false if it exceeds the limit. */
export type CountSignInAttempt = (one: SignInAttempt) => Promise<boolean>;

/**
 * Counts attempts with two limits: per address and account, by whichever name, and per address in total. An
 * attempt beyond either is rejected.
 */
export const createSignInAttemptCounter = (
  store: Store,
  { interval, max, maxPerAddress }: AccessSettings['rateLimit'],
): CountSignInAttempt => {
  const onAccount = createAttemptCounter(store, max, interval);
  const ofAddress = createAttemptCounter(store, Math.max(max, maxPerAddress), interval);
  const accountOf = async (identifier: string): Promise<string> => {
    // No account has a longer name.
    const user = await findUserByIdentifier(store, identifier.trim().slice(0, MAX_NAME));
    return user ? `#${user.id}` : nameKey(identifier);
  };
  return async ({ route, address, identifier }) => {
    if (!(await ofAddress(`address ${address}`))) return false;
    const account = identifier === null ? '' : await accountOf(identifier);
    return onAccount([route, address, account].join(' '));
  };
};
