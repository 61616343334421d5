/**
 * Completes writes that were applied and acknowledged: adds their events, then deletes their notes. Writes
 * that are waiting are completed together by two commands, after all earlier ones, so that the events of one
 * process are in the order of its writes.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Life } from '../leases/lease.js';
import type { JournalHead } from './journal-head.js';

/** Maximum number of writes completed together. */
const AT_ONCE = 100;

export interface Completions {
  /**
   * Completes a write. Its heartbeat continues until then; if that fails, the note stays for whoever finds it
   * without a heartbeat.
   */
  add(head: JournalHead, life: Life): void;
  /** Waits for the completion of writes of this process that lock one of these documents. */
  unlocked(locks: readonly string[]): Promise<void>;
  /** Waits for the completion of all writes. */
  settled(): Promise<void>;
}

interface Waiting {
  readonly head: JournalHead;
  readonly life: Life;
  readonly resolve: () => void;
}

/** @param complete adds the events of writes and deletes their notes */
export function newCompletions(complete: (heads: readonly JournalHead[]) => Promise<void>): Completions {
  const waiting: Waiting[] = [];
  const locked = new Map<string, Promise<void>>();
  let running: Promise<void> | null = null;

  const run = async (): Promise<void> => {
    // Other writes may be applied in the same turn.
    await nextTurn();
    while (waiting.length > 0) {
      const some = waiting.splice(0, AT_ONCE);
      await complete(some.map(({ head }) => head)).catch(leaveNotes);
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

/** Another process completes them when it sees no heartbeat; completing them twice is harmless. */
function leaveNotes(): void {}
