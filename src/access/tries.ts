import { createTryCounter } from '../store/access/limits.js';
import { findUserByIdentifier } from '../store/access/users.js';
import type { Store } from '../store/client.js';
import { nameKey } from './names.js';
import type { AccessSettings } from './settings.js';

/** One try on a sign-in route. */
interface Try {
  /** The route's pattern, with its method. */
  readonly route: string;
  /** Where it comes from. */
  readonly address: string;
  /** The name or address of an account that it is about; null where the route names none. */
  readonly identifier: string | null;
}

/** False for a try too many. */
export type Tries = (one: Try) => Promise<boolean>;

/** Longer texts name no account. */
const LONGEST = 254;

/**
 * Two counters (rules H.3): one for what an address tries on an account, whatever name it goes by there, and one for all that an
 * address tries. A try beyond either is none.
 */
export const createTries = (
  store: Store,
  { interval, max, maxPerAddress }: AccessSettings['rateLimit'],
): Tries => {
  const onAccount = createTryCounter(store, max, interval);
  const ofAddress = createTryCounter(store, Math.max(max, maxPerAddress), interval);
  const accountOf = async (identifier: string): Promise<string> => {
    const key = nameKey(identifier).slice(0, LONGEST);
    const user = await findUserByIdentifier(store, identifier.trim().slice(0, LONGEST));
    return user ? `#${user.id}` : key;
  };
  return async ({ route, address, identifier }) => {
    if (!(await ofAddress(`address ${address}`))) return false;
    const account = identifier === null ? '' : await accountOf(identifier);
    return onAccount([route, address, account].join(' '));
  };
};
