import { setTimeout as sleep } from 'node:timers/promises';
import { errors } from '../../errors.js';
import { WriteConflict } from '../../store/entries/apply-step.js';

/** Milliseconds after which a write that keeps conflicting gives up. */
const PATIENCE = 15_000;
/** Long enough for one writer to be alone: on FerretDB those who insert one unique key at once may all lose, and lose again. */
const LONGEST_PAUSE = 500;

/** Runs `attempt` until nothing changed between its reads and its writes. Throws a 409 where that does not happen. */
export async function untilUndisturbed<T>(attempt: (number: number) => Promise<T>): Promise<T> {
  const end = Date.now() + PATIENCE;
  for (let tries = 1; ; tries++) {
    try {
      return await attempt(tries);
    } catch (error) {
      if (!(error instanceof WriteConflict)) throw error;
      if (Date.now() > end) throw errors.busy();
      await sleep(Math.random() * Math.min(LONGEST_PAUSE, 2 ** tries));
    }
  }
}
