/** Carries out what is scheduled, when it is due (docs/in-time.md, "Scheduled"). */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { ScheduleGone } from '../documents/carried-out.js';
import type { Documents } from '../documents/types.js';
import { ApiError, errors } from '../errors.js';
import type { RecordEvent } from '../events/events.js';
import type { Store } from '../store/client.js';
import { settingsOf } from '../store/connection/settings.js';
import { isTemporary } from '../store/connection/unavailable.js';
import { revisionOf } from '../store/entries/changes.js';
import {
  dueSchedules,
  failSchedule,
  type ScheduleError,
  type StoredSchedule,
} from '../store/entries/schedules.js';
import { type Lock, whileHolding } from '../store/leases/lock.js';

interface ScheduledParts {
  readonly store: Pick<Store, 'db'>;
  readonly documents: Pick<Documents, 'carryingOut'>;
  readonly record: RecordEvent;
}

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

/** Documents whose schedules are carried out at the same time. */
const AT_ONCE = 8;
/** How many schedules are read at once. */
const WINDOW = 200;

/**
 * Starts to look for what is due. One process at a time carries it out, so that nothing is begun twice; that nothing is
 * done twice follows from its commit, which removes the schedule.
 */
export function startScheduled(
  { store: { db }, documents, record }: ScheduledParts,
  { lease, every = 1000 }: RunOptions = {},
): Scheduled {
  const stopping = new AbortController();
  const { signal } = stopping;
  // Each pause of each document that is under way listens to it.
  setMaxListeners(0, signal);
  const pause = (): Promise<void> => sleep(every, undefined, { signal }).catch(() => undefined);
  const stopped = new Promise<null>((resolve) =>
    signal.addEventListener('abort', () => resolve(null), { once: true }),
  );
  /** What is under way, by document. */
  const busy = new Map<string, Promise<void>>();
  /** Documents whose first schedule of those that were read is still to be done: the others of it have to wait. */
  const interrupted = new Set<string>();

  const carryOut = async (schedule: StoredSchedule): Promise<void> => {
    const { _id, _rev, uid, documentId, locale, action, at, by } = schedule;
    const due = { id: _id, revision: revisionOf({ _rev }), isDone: false };
    let done = 0;
    try {
      const act = documents.carryingOut(due, { by, requestId: null })(uid)[action];
      if (!act) throw errors.validation('drafts-not-enabled', `${uid} has no drafts: draftAndPublish is off`);
      const { entries } = await act({ documentId, ...(locale !== null && { locale }) });
      // A hook has answered in its place.
      if (!due.isDone)
        throw errors.application('schedule-refused', `Code of the project has not let it ${action}`);
      done = entries.length;
    } catch (error) {
      if (error instanceof ScheduleGone) return;
      if (!due.isDone && isTemporary(error)) throw error;
      if (!due.isDone) {
        const isNoted = await failSchedule(db, schedule, described(error));
        if (isNoted) record({ name: 'schedule-failed', action, uid, documentId, err: error });
        return;
      }
      // It was done; only showing it failed.
      done = 1;
    }
    const ms = Math.max(0, Date.now() - at.getTime());
    if (done === 0) record({ name: 'schedule-without-effect', action, uid, documentId });
    else record({ name: 'schedule-carried-out', action, uid, documentId, ms });
  };

  const begin = (schedule: StoredSchedule): void => {
    const document = documentOf(schedule);
    const done = carryOut(schedule)
      .catch((error: unknown) => {
        record({ name: 'scheduled-interrupted', err: error });
        interrupted.add(document);
        return pause();
      })
      .finally(() => busy.delete(document));
    busy.set(document, done);
  };

  /** Until nothing is due, the process stops or the lock is lost. */
  const work = async (lock: Lock): Promise<void> => {
    const isOver = (): boolean => lock.lost || signal.aborted;
    while (!isOver()) {
      // What ends during the read may be in it all the same, and is not begun again.
      const before = new Set(busy.keys());
      interrupted.clear();
      const due = (await dueSchedules(db, WINDOW)).filter((one) => !before.has(documentOf(one)));
      if (due.length === 0 && busy.size === 0) return;
      for (const one of due) {
        while (busy.size >= AT_ONCE && !isOver()) await Promise.race([...busy.values(), stopped]);
        if (isOver()) break;
        // Of one document, the next one follows when this one has ended.
        if (!busy.has(documentOf(one)) && !interrupted.has(documentOf(one))) begin(one);
      }
      await Promise.race([Promise.all(busy.values()), pause()]);
    }
  };

  const look = async (): Promise<void> => {
    if ((await dueSchedules(db, 1)).length === 0) return;
    const place = { documents: settingsOf(db), _id: 'scheduled/lock' };
    await whileHolding(place, { signal, lease }, async (lock) => {
      try {
        await work(lock);
      } finally {
        await Promise.all(busy.values());
      }
    });
  };

  const running = (async () => {
    while (!signal.aborted) {
      await look().catch((error: unknown) => {
        if (!signal.aborted) record({ name: 'scheduled-interrupted', err: error });
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

const documentOf = ({ uid, documentId }: StoredSchedule): string => `${uid}/${documentId}`;

/** The error as it is shown to those who may see the schedule. */
const described = (error: unknown): ScheduleError => {
  if (!(error instanceof ApiError)) return { name: 'InternalServerError', message: 'Internal Server Error' };
  const { name, message, faults } = error;
  const all = faults.map((fault) => `${fault.path.join('.')}: ${fault.message}`);
  return { name, message: faults.length > 1 ? all.join('; ') : message };
};
