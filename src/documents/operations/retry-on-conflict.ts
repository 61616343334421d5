import { setTimeout as sleep } from 'node:timers/promises';
import { errors } from '../../errors.js';
import { WriteConflict } from '../../store/entries/apply-step.js';

/** Milliseconds after which a write that keeps conflicting fails. */
const PATIENCE = 15_000;
/**
 * Milliseconds; long enough that one writer gets through alone: on FerretDB, concurrent inserts of one unique
 * key may all fail, repeatedly.
 */
const LONGEST_PAUSE = 500;

/** Runs `attempt` until it commits without a conflict. Throws a 409 if that takes too long. */
export async function retryOnConflict<T>(attempt: (number: number) => Promise<T>): Promise<T> {
  const end = Date.now() + PATIENCE;
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt(attempts);
    } catch (error) {
      if (!(error instanceof WriteConflict)) throw error;
      if (Date.now() > end) throw errors.busy();
      await sleep(Math.random() * Math.min(LONGEST_PAUSE, 2 ** attempts));
    }
  }
}
