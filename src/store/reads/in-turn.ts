import { within } from '../../limits/gate.js';
import type { Store } from '../connection/store.js';

/**
 * Runs a command of a read when its request may use a connection; scripts do not have to wait. Must not be
 * nested, since both would wait for each other.
 */
export const inTurn = <T>({ budget }: Store, work: () => Promise<T>): Promise<T> =>
  budget ? within(budget.commands, work, budget) : work();
