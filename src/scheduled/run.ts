/** Carries out what is scheduled, when it is due (docs/in-time.md, "Scheduled"). */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { settingsOf } from '../store/connection/settings.js';
import { dueSchedules } from '../store/entries/schedules.js';
import { whileHolding } from '../store/leases/lock.js';
import type { ScheduledParts } from './carry-out.js';
import { ScheduleRunner } from './runner.js';

interface Scheduled {
  /** Begins nothing more, and waits at most `drainMs` milliseconds for what has begun. */
  stop(drainMs: number): Promise<void>;
}

interface RunOptions {
  /** Milliseconds without a sign of life after which another process takes over. */
  readonly lease?: number;
  /** Milliseconds between looks at what is due. */
  readonly every?: number;
}

/**
 * Starts to look for what is due. One process at a time carries it out, so that nothing is begun twice; that nothing is
 * done twice follows from its commit, which removes the schedule.
 */
export function startScheduled(parts: ScheduledParts, { lease, every = 1000 }: RunOptions = {}): Scheduled {
  const stopping = new AbortController();
  const { signal } = stopping;
  const { db } = parts.store;
  // Each pause of each document that is under way listens to it.
  setMaxListeners(0, signal);
  const pause = (): Promise<void> => sleep(every, undefined, { signal }).catch(() => undefined);
  const runner = new ScheduleRunner(parts, pause, signal);

  const look = async (): Promise<void> => {
    if ((await dueSchedules(db, 1)).length === 0) return;
    const place = { documents: settingsOf(db), _id: 'scheduled/lock' };
    await whileHolding(place, { signal, lease }, (lock) => runner.run(lock));
  };

  const running = (async () => {
    while (!signal.aborted) {
      await look().catch((error: unknown) => {
        if (!signal.aborted) parts.record({ name: 'scheduled-interrupted', err: error });
      });
      await pause();
    }
  })();
  return {
    async stop(drainMs) {
      stopping.abort();
      const late = new AbortController();
      await Promise.race([
        running,
        sleep(drainMs, undefined, { signal: late.signal }).catch(() => undefined),
      ]);
      late.abort();
    },
  };
}
