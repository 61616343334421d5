import { setTimeout as sleep } from 'node:timers/promises';
import type { WriteLimits } from './store.js';
import { isUnavailable } from './unavailable.js';

/** Milliseconds. */
const LONGEST_PAUSE = 500;

/** Repeats `work`, which may take effect several times, while the database is unavailable, for at most `retryMS`. */
export async function untilAvailable<T>({ retryMS }: WriteLimits, work: () => Promise<T>): Promise<T> {
  const end = Date.now() + retryMS;
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isUnavailable(error) || Date.now() > end) throw error;
    }
    await sleep(Math.random() * Math.min(LONGEST_PAUSE, 2 ** tries));
  }
}
