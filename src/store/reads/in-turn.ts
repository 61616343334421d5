import { within } from '../../limits/gate.js';
import type { Store } from '../connection/store.js';

/** Runs a command of a read when its request may have a connection; scripts need not wait. Never within another: both would wait. */
export const inTurn = <T>({ budget }: Store, work: () => Promise<T>): Promise<T> =>
  budget ? within(budget.commands, work, budget) : work();
