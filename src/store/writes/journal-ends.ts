/**
 * The ends of writes that are done and whose callers have been told so: their events, then their notes. Those that are there together
 * take two commands, and come after all that were there before, so that events of one process are told in the order of its writes.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Life } from '../runs/lease.js';
import type { Head } from './journal-head.js';

/** Writes that end together. */
const AT_ONCE = 100;

interface Ends {
  /** Ends a write. Its life goes on until then; where that fails the note stays for whoever finds it without. */
  add(head: Head, life: Life): void;
  /** Waits for the ends of writes of this process that lock one of these. */
  unlocked(locks: readonly string[]): Promise<void>;
  /** Waits for all ends. */
  settled(): Promise<void>;
}

interface Ending {
  readonly head: Head;
  readonly life: Life;
  readonly resolve: () => void;
}

/** @param endAll tells of writes and drops their notes */
export function newEnds(endAll: (heads: readonly Head[]) => Promise<void>): Ends {
  const waiting: Ending[] = [];
  const locked = new Map<string, Promise<void>>();
  let running: Promise<void> | null = null;

  const run = async (): Promise<void> => {
    // Others may be done in this turn, too.
    await nextTurn();
    while (waiting.length > 0) {
      const some = waiting.splice(0, AT_ONCE);
      await endAll(some.map(({ head }) => head)).catch(leaveNotes);
      for (const { head, life, resolve } of some) {
        life.stop();
        for (const lock of head.locks) locked.delete(lock);
        resolve();
      }
    }
    running = null;
  };

  return {
    add(head, life) {
      const ended = new Promise<void>((resolve) => waiting.push({ head, life, resolve }));
      for (const lock of head.locks) locked.set(lock, ended);
      running ??= run();
    },
    async unlocked(locks) {
      for (const lock of locks) {
        const ended = locked.get(lock);
        if (ended) await ended;
      }
    },
    async settled() {
      await running;
    },
  };
}

/** Whoever sees no sign of life finishes them; doing so once more changes nothing. */
function leaveNotes(): void {}
