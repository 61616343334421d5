import type { Db } from 'mongodb';
import { isBson } from '../../values/bson.js';
import { applyAgain, isRefusal, takeBack } from '../entries/apply-step.js';
import { revisionOf, type WriteStep } from '../entries/changes.js';
import type { Life } from '../leases/lease.js';
import { addEvents, haveEvents, isTold } from '../outbox/outbox.js';
import {
  type Ended,
  insertedAs,
  type JournalHead,
  journalOf,
  outcomeId,
  statusIn,
  stepsOf,
  type WriteOutcome,
} from './journal-head.js';
import { removeInserted, removeLate } from './late-insertions.js';
import type { OwnNotes } from './own-notes.js';

const insertedBy = (steps: readonly WriteStep[]) =>
  steps.flatMap((step) => (!step.before && step.after ? [insertedAs(step, step.after)] : []));

/** A write that was taken over from a process that has died, or only stalled. */
export class AbandonedWrite {
  /** What was applied here. */
  private readonly made: WriteStep[] = [];

  /** @param life of its note, which is this process's now */
  constructor(
    private readonly db: Db,
    private readonly own: OwnNotes,
    private readonly head: JournalHead,
    private readonly life: Life,
  ) {}

  /** Applies or undoes it; null if another process has taken over. */
  async end(): Promise<Ended | null> {
    const ended = await this.applyOrUndo();
    if (ended) return ended;
    const found = await journalOf(this.db).findOne<WriteOutcome>({ _id: outcomeId(this.head._id) });
    if (found) await removeLate(this.db, found, this.made);
    return null;
  }

  private async applyOrUndo(): Promise<Ended | null> {
    const { head, life, own } = this;
    const steps = await stepsOf(this.db, head);
    // Events are added only for an applied write.
    let undo = head.undo || (steps === null && !(await this.haveEvents()));
    if (steps && !undo) {
      undo = !(await this.apply(steps));
      if (undo && !(await own.change(head, { $set: { undo: true } }))) return null;
    }
    if (life.lost) return null;
    return undo ? this.undo(steps ?? []) : this.complete();
  }

  /** False if a step is refused and the write has to be undone. */
  private async apply(steps: readonly WriteStep[]): Promise<boolean> {
    try {
      for (const step of steps) if (await applyAgain(this.db, step, this.isAnothers)) this.made.push(step);
      return true;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // If its events exist, whatever refuses a step now came later and stays.
      return this.haveEvents();
    }
  }

  private async complete(): Promise<Ended | null> {
    await addEvents(this.db, this.head.events, null);
    return this.note({ outcome: 'done', inserted: insertedBy(this.made) });
  }

  private async undo(steps: readonly WriteStep[]): Promise<Ended | null> {
    const { db, head } = this;
    const applied = steps.filter((_, at) => head.applied?.includes(at) ?? true).toReversed();
    const write = `${head._id} undone`;
    const _rev = `${write} ${this.own.token}`;
    for (const step of applied) await takeBack(db, step, { write, _rev }, this.isAnothers);
    const deletions = applied.filter(({ before, after }) => before && !after);
    // An owner that undoes its write inserts what it had deleted.
    const undone = head.applied ? deletions.map((step) => insertedAs(step, step.before ?? {})) : [];
    const ended = await this.note({ outcome: 'undone', inserted: [...insertedBy(steps), ...undone] });
    if (ended) return ended;
    // Another process has undone it as well, and gave what it found the revision of its own.
    const own = deletions.map((step) => insertedAs(step, { ...step.before, _rev }));
    await removeInserted(db, own);
    return null;
  }

  private async note(ended: Ended): Promise<Ended | null> {
    return (await this.own.change(this.head, { $set: { ended } })) ? ended : null;
  }

  private haveEvents(): Promise<boolean> {
    return haveEvents(this.db, this.head.events);
  }

  /** The events of a write are added before its note goes, so they are there when another can note the same deletion. */
  private readonly isAnothers = async ({ collection, before }: WriteStep): Promise<boolean> =>
    before !== null &&
    isBson(before['_rev'], 'ObjectId') &&
    (await isTold(
      this.db,
      { status: statusIn(collection), before: revisionOf(before), after: null },
      this.head.events,
    ));
}
