import { dueSchedules, type StoredSchedule } from '../store/entries/schedules.js';
import type { Lock } from '../store/leases/lock.js';
import { carryOut, type ScheduledParts } from './carry-out.js';

/** Documents whose schedules are carried out at the same time. */
const AT_ONCE = 8;
/** How many schedules are read at once. */
const WINDOW = 200;

const documentOf = ({ uid, documentId }: StoredSchedule): string => `${uid}/${documentId}`;

/** Carries out what is due: of a document one after the other, of several at the same time. */
export class ScheduleRunner {
  /** What is under way, by document. */
  private readonly busy = new Map<string, Promise<void>>();
  /** Documents whose first schedule of those that were read is still to be done: the others of it have to wait. */
  private readonly interrupted = new Set<string>();
  private readonly stopped: Promise<null>;

  /**
   * @param pause until what is due is looked for again, or the signal
   * @param signal begins nothing more
   */
  constructor(
    private readonly parts: ScheduledParts,
    private readonly pause: () => Promise<void>,
    private readonly signal: AbortSignal,
  ) {
    this.stopped = new Promise((resolve) =>
      signal.addEventListener('abort', () => resolve(null), { once: true }),
    );
  }

  /** Until nothing is due, the process stops or the lock is lost; and what has begun has ended. */
  async run(lock: Lock): Promise<void> {
    try {
      await this.beginAll(lock);
    } finally {
      await Promise.all(this.busy.values());
    }
  }

  private async beginAll(lock: Lock): Promise<void> {
    const { busy, interrupted, signal } = this;
    const isOver = (): boolean => lock.lost || signal.aborted;
    while (!isOver()) {
      // What ends during the read may be in it all the same, and is not begun again.
      const before = new Set(busy.keys());
      interrupted.clear();
      const found = await dueSchedules(this.parts.store.db, WINDOW);
      const due = found.filter((one) => !before.has(documentOf(one)));
      if (due.length === 0 && busy.size === 0) return;
      for (const one of due) {
        while (busy.size >= AT_ONCE && !isOver()) await Promise.race([...busy.values(), this.stopped]);
        if (isOver()) break;
        // Of one document, the next one follows when this one has ended.
        if (!busy.has(documentOf(one)) && !interrupted.has(documentOf(one))) this.begin(one);
      }
      await Promise.race([Promise.all(busy.values()), this.pause()]);
    }
  }

  private begin(schedule: StoredSchedule): void {
    const document = documentOf(schedule);
    const done = carryOut(this.parts, schedule)
      .catch((error: unknown) => {
        this.parts.record({ name: 'scheduled-interrupted', err: error });
        this.interrupted.add(document);
        return this.pause();
      })
      .finally(() => this.busy.delete(document));
    this.busy.set(document, done);
  }
}
