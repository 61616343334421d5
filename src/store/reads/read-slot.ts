import { runThrough } from '../../limits/gate.js';
import type { ReadScope } from './read-scope.js';

/**
 * Runs a command of a read when its request may use a connection; scripts do not have to wait. Not reentrant:
 * nesting deadlocks when all slots are taken.
 */
export const withReadSlot = <T>({ budget }: ReadScope, work: () => Promise<T>): Promise<T> =>
  budget ? runThrough(budget.commands, work, budget) : work();
