import { setTimeout as sleep } from 'node:timers/promises';
import { errors } from '../../errors.js';
import { WriteConflict } from '../../store/entries/apply-step.js';
import { memberOf } from '../../values/once-per.js';
import type { DocumentsContext, Turn } from '../context.js';

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

interface Queue extends Turn {
  last: Promise<unknown>;
}

/** Serializes writes of one document within this process, so that they do not conflict with each other. */
export function createTurns(): DocumentsContext['takeTurns'] {
  const queues = new Map<string, Queue>();
  return async (key, work) => {
    const queue = memberOf(queues, key, (): Queue => ({ last: Promise.resolve(), left: new Map() }));
    const turn = queue.last.then(() => work(queue));
    const settled = turn.catch(() => undefined);
    queue.last = settled;
    try {
      return await turn;
    } finally {
      if (queue.last === settled) queues.delete(key);
    }
  };
}
