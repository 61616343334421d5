import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { readAgain } from '../connection/read-again.js';
import {
  followSwitch,
  forgetReading,
  LOST_AFTER,
  noteOfSwitch,
  noteReading,
  type SwitchNote,
} from './switch-over.js';

/**
 * All reads of content pass this gate. While imported collections replace others, the reads wait, in every
 * process: each closes its gate, waits for the reads in progress, records that it holds, and reopens when the
 * switch is complete.
 */
export interface ReadGate {
  pass<T>(read: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Lets every read pass, for databases in which nothing is switched. */
export const NO_GATE: ReadGate = { pass: (read) => read(), close: async () => undefined };

/** Milliseconds between two checks for a switch. */
const CHECK_EVERY = 1000;
/**
 * A read begins only within this many milliseconds of the last check, so that a process that was suspended
 * checks first.
 */
const CHECK_VALID_FOR = LOST_AFTER / 2;
const FORGOTTEN_WITHIN = 500;

export function openGate(db: Db): ReadGate {
  const process = randomUUID();
  let timer: NodeJS.Timeout | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | null = null;
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
  const check = async (): Promise<void> => {
    const now = performance.now();
    // After this long, another process may have deleted this one's record.
    if (now - checkedAt > LOST_AFTER) await noteReading(db, process);
    const note = await readAgain(() => noteOfSwitch(db));
    if (note)
      holding ??= hold(note).finally(() => {
        holding = null;
        // Another switch may already have begun.
        checkedAt = Number.NEGATIVE_INFINITY;
      });
    else checkedAt = now;
  };
  const checkOnce = (): Promise<void> => {
    timer ??= setInterval(() => void (holding ?? checkOnce()).catch(() => undefined), CHECK_EVERY).unref();
    checking ??= check().finally(() => {
      checking = null;
    });
    return checking;
  };
  return {
    async pass(read) {
      for (;;)
        if (holding) await holding;
        else if (performance.now() - checkedAt > CHECK_VALID_FOR) await checkOnce();
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
      // An unavailable database must not keep the process from exiting.
      await Promise.race([forgotten, wait(FORGOTTEN_WITHIN, undefined, { ref: false })]);
    },
  };
}
