import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { errors } from '../../errors.js';
import { applyAlone, inverse, isRefusal, WriteConflict } from '../entries/apply-step.js';
import type { Write, WriteStep } from '../entries/changes.js';
import type { Life } from '../leases/lease.js';
import { addEvents } from '../outbox/outbox.js';
import type { Completions } from './completions.js';
import {
  inRounds,
  inWriteOrder,
  type JournalHead,
  journalOf,
  outcomeId,
  type WriteOutcome,
} from './journal-head.js';
import { removeLate } from './late-insertions.js';
import type { OwnNotes } from './own-notes.js';

/** What the writes of one process share. */
interface OwnWriteParts {
  readonly db: Db;
  readonly own: OwnNotes;
  readonly completions: Completions;
  /** See `batchedSteps`. */
  readonly applyStep: (step: WriteStep) => Promise<boolean>;
  readonly lease: number;
}

/** A write of this process, whose note is stored. */
export class OwnWrite {
  /** Of its note. */
  private readonly life: Life;
  /** Steps that have been applied, in this order. */
  private readonly done: WriteStep[] = [];
  /** Those of them that were not applied before. */
  private readonly made: WriteStep[] = [];

  constructor(
    private readonly parts: OwnWriteParts,
    private readonly write: Write,
    private readonly head: JournalHead,
  ) {
    this.life = parts.own.showLife(head);
  }

  /**
   * Applies it and leaves it to be completed, or undoes it and throws what has refused a step.
   * @param began just before its note was sent, by `performance.now()`
   */
  async commit(began: number): Promise<void> {
    const { db, own, completions, lease } = this.parts;
    const { write, head, life } = this;
    let isOver = true;
    try {
      for (const round of inRounds(write.steps))
        await allEnded(round.map((steps) => this.applyInTurn(steps)));
      if (life.lost) return await this.outcome();
      // No other process can have taken over yet, and one that does from here on finds everything applied.
      if (performance.now() - began < lease / 2) {
        isOver = false;
        completions.add(head, life);
        return;
      }
      await addEvents(db, write.events, null);
      if ((await own.forget(head)) === 0) await this.outcome();
    } catch (error) {
      if (!isRefusal(error) || this.done.length === write.steps.length) throw error;
      await this.undo(error);
    } finally {
      if (isOver) life.stop();
    }
  }

  private async applyInTurn(steps: readonly WriteStep[]): Promise<void> {
    const { db, applyStep } = this.parts;
    for (const step of steps) {
      if (this.life.lost) return;
      if (await (steps.length === 1 ? applyStep(step) : applyAlone(db, step))) this.made.push(step);
      this.done.push(step);
    }
  }

  /** Throws the refusal, unless another process has taken over and applied the write. */
  private async undo(refusal: unknown): Promise<void> {
    const { db, own } = this.parts;
    const { write, head, done } = this;
    // From here on, a process that takes over also undoes the write.
    const applied = inWriteOrder(write.steps).flatMap((step, at) => (done.includes(step) ? [at] : []));
    if (!(await own.change(head, { $set: { undo: true, applied } }))) return this.outcome();
    for (const step of done.toReversed()) await applyAlone(db, inverse(step)).catch(leave);
    // What was deleted, and inserted again too late, is deleted again.
    if ((await own.forget(head)) === 0) return this.outcome();
    throw refusal;
  }

  /**
   * Waits for the outcome after another process has taken over. Returns if it was applied; otherwise removes what
   * this process applied too late, and throws.
   */
  private async outcome(): Promise<void> {
    const { db, lease } = this.parts;
    const { _id } = this.head;
    const notes = journalOf(db);
    for (let waited = 0; waited <= 10; waited++) {
      // The outcome is stored before the note is deleted, so it is read second.
      const noted = await notes.findOne({ _id }, { projection: { _id: 1 } });
      const found = await notes.findOne<WriteOutcome>({ _id: outcomeId(_id) });
      if (found) {
        await removeLate(db, found, this.made);
        if (found.outcome === 'done') return;
        throw new WriteConflict('taken over');
      }
      if (!noted) break;
      await sleep(lease / 2);
    }
    throw errors.busy();
  }
}

/** Throws the error of a failed promise; if there are several, one that leaves the outcome unknown. */
async function allEnded(collections: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(collections)).filter((step) => step.status === 'rejected');
  const worst = failed.find(({ reason }) => !isRefusal(reason)) ?? failed[0];
  if (worst) throw worst.reason;
}

/** Another program has changed the document; its change stays. */
function leave(error: unknown): void {
  if (!isRefusal(error)) throw error;
}
