import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Db } from 'mongodb';
import {
  followSwitch,
  forgetReading,
  LOST_AFTER,
  noteOfSwitch,
  noteReading,
  type SwitchNote,
} from './switch-over.js';

/**
 * What reads of content pass. While collections take the places of others it holds them back, in all processes: each closes its gate,
 * waits for the reads that have passed, says so, and opens when the switch is done.
 */
export interface Gate {
  pass<T>(read: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Lets everything pass: where nothing is switched. */
export const NO_GATE: Gate = { pass: (read) => read(), close: async () => undefined };

/** A process looks for a switch this often, in milliseconds. */
const LOOK_EVERY = 1000;
/** No read begins this long after the last look, so that a process that was stopped meanwhile looks first. */
const LOOK_IS_GOOD_FOR = LOST_AFTER / 2;
const FORGOTTEN_WITHIN = 500;

export function openGate(db: Db): Gate {
  const process = randomUUID();
  let timer: NodeJS.Timeout | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | null = null;
  let holding: Promise<void> | null = null;
  let reading = 0;
  let drained = (): void => undefined;

  const hold = async (note: SwitchNote): Promise<void> => {
    await noteReading(db, process, { seen: note.id });
    while (reading > 0)
      await new Promise<void>((resolve) => {
        drained = resolve;
      });
    await noteReading(db, process, { seen: note.id, held: note.id });
    await followSwitch(db, note);
  };
  const look = async (): Promise<void> => {
    const now = performance.now();
    // Whoever was not heard of for so long may have been forgotten.
    if (now - lookedAt > LOST_AFTER) await noteReading(db, process);
    const note = await noteOfSwitch(db);
    if (note)
      holding ??= hold(note).finally(() => {
        holding = null;
        // Another switch may have begun already.
        lookedAt = Number.NEGATIVE_INFINITY;
      });
    else lookedAt = now;
  };
  const lookOnce = (): Promise<void> => {
    timer ??= setInterval(() => void (holding ?? lookOnce()).catch(() => undefined), LOOK_EVERY).unref();
    looking ??= look().finally(() => {
      looking = null;
    });
    return looking;
  };
  return {
    async pass(read) {
      for (;;)
        if (holding) await holding;
        else if (performance.now() - lookedAt > LOOK_IS_GOOD_FOR) await lookOnce();
        else break;
      reading += 1;
      try {
        return await read();
      } finally {
        reading -= 1;
        if (reading === 0) drained();
      }
    },
    async close() {
      clearInterval(timer);
      const forgotten = timer ? forgetReading(db, process).catch(() => undefined) : null;
      // A database that is gone keeps nobody from ending.
      await Promise.race([forgotten, wait(FORGOTTEN_WITHIN, undefined, { ref: false })]);
    },
  };
}
