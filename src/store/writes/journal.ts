import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, MongoBulkWriteError } from 'mongodb';
import { errors } from '../../errors.js';
import { isOn } from '../../limits/mechanisms.js';
import { batchPerTick } from '../connection/batch-per-tick.js';
import { isDuplicateKey } from '../connection/duplicate.js';
import { applyAlone, inverse, isRefusal, WriteConflict } from '../entries/apply-step.js';
import type { Write, WriteStep } from '../entries/changes.js';
import { addEvents } from '../outbox/outbox.js';
import { batchedSteps } from './batched-steps.js';
import { newCompletions } from './completions.js';
import {
  inRounds,
  inWriteOrder,
  isNoted,
  type JournalHead,
  journalOf,
  noteOf,
  outcomeId,
  type WriteOutcome,
} from './journal-head.js';
import { newRecovery } from './journal-recovery.js';
import { removeLate } from './late-insertions.js';
import { newOwnNotes } from './own-notes.js';

/**
 * Milliseconds without a heartbeat after which an owner is considered dead, by the clock of the process that
 * watches it.
 */
const LEASE = 3000;
/** Writes on a server without transactions. */
export interface Journal {
  /**
   * Applies a write as an ordered sequence that a crash cannot leave incomplete: the write is noted, then
   * applied; then its events are added and the note is deleted, without the caller waiting for that. Throws
   * `WriteConflict` or a duplicate-key error if a step is refused, after undoing the previous steps.
   */
  write(write: Write): Promise<void>;
  /** Waits until the events of all applied writes have been added and their notes deleted. */
  settled(): Promise<void>;
  /** Whether a note that has not ended names this document. */
  isLocked(collection: string, id: unknown): Promise<boolean>;
  /** Completes the writes whose owners are dead, watching the heartbeats of unknown owners first. */
  recoverAll(): Promise<void>;
  /**
   * The same without waiting: only writes whose heartbeats were seen before and have stopped. For a running
   * server, which also deletes old outcomes here.
   */
  recoverOverdue(): Promise<void>;
}

export async function indexJournal(db: Db): Promise<void> {
  await journalOf(db).createIndex({ locks: 1 }, { name: 'locks', unique: true });
}

/**
 * @param db waits for the disk with each command. Otherwise a server that crashes and restarts loses steps that
 *   it has acknowledged, and whoever deletes the note after that deletes the only record of them.
 */
export function openJournal(db: Db, lease = LEASE): Journal {
  const notes = journalOf(db);
  const own = newOwnNotes(db, lease);
  const { change, showLife, forget } = own;
  const recovery = newRecovery(db, own, lease);

  const applyStep = batchedSteps(db);
  const completions = newCompletions(async (heads) => {
    await addEvents(
      db,
      heads.flatMap(({ events }) => events),
      null,
    );
    await forget(...heads);
  });

  /**
   * Waits for the outcome of a write that was taken over. Returns if it was applied; otherwise removes what
   * this process applied too late, and throws.
   * @param made what this process applied
   */
  const outcomeOf = async (head: JournalHead, made: readonly WriteStep[]): Promise<void> => {
    for (let waited = 0; waited <= 10; waited++) {
      // The outcome is stored before the note is deleted, so it is read second.
      const noted = await notes.findOne({ _id: head._id }, { projection: { _id: 1 } });
      const found = await notes.findOne<WriteOutcome>({ _id: outcomeId(head._id) });
      if (found) {
        await removeLate(db, found, made);
        if (found.outcome === 'done') return;
        throw new WriteConflict('taken over');
      }
      if (!noted) break;
      await sleep(lease / 2);
    }
    throw errors.busy();
  };

  const noteTogether = batchPerTick(async (heads: readonly JournalHead[]): Promise<(true | null)[]> => {
    const refused = await notes
      .insertMany(
        heads.map((head) => ({ ...head })),
        { ordered: false },
      )
      .then(() => null, refusedOf);
    return heads.map((_, at) => (refused?.has(at) ? null : true));
  });

  const note = async (write: Write): Promise<JournalHead> => {
    const { head, images } = noteOf(write, own.token);
    await completions.unlocked(head.locks);
    if (images.length === 0 && isOn('writes together') && (await noteTogether(head))) return head;
    try {
      await notes.insertMany([...images, head].map((noted) => ({ ...noted })));
    } catch (error) {
      await forget(head);
      if (!isDuplicateKey(error)) throw error;
      await recovery.overdue({ locks: { $in: head.locks } });
      throw new WriteConflict('mangrove.journal');
    }
    return head;
  };

  return {
    async write(write) {
      const began = performance.now();
      const head = await note(write);
      const life = showLife(head);
      const done: WriteStep[] = [];
      const made: WriteStep[] = [];
      let isOver = true;
      try {
        const applyInTurn = async (steps: readonly WriteStep[]): Promise<void> => {
          const apply = steps.length === 1 ? applyStep : (step: WriteStep) => applyAlone(db, step);
          for (const step of steps) {
            if (life.lost) return;
            if (await apply(step)) made.push(step);
            done.push(step);
          }
        };
        for (const round of inRounds(write.steps)) await allEnded(round.map(applyInTurn));
        if (life.lost) return await outcomeOf(head, made);
        // No other process can have taken over yet, and one that does from here on finds everything applied.
        if (performance.now() - began < lease / 2) {
          isOver = false;
          completions.add(head, life);
          return;
        }
        await addEvents(db, write.events, null);
        if ((await forget(head)) === 0) await outcomeOf(head, made);
      } catch (error) {
        if (!isRefusal(error) || done.length === write.steps.length) throw error;
        // From here on, a process that takes over also undoes the write.
        const applied = inWriteOrder(write.steps).flatMap((step, at) => (done.includes(step) ? [at] : []));
        if (!(await change(head, { $set: { undo: true, applied } }))) return await outcomeOf(head, made);
        for (const step of done.reverse()) await applyAlone(db, inverse(step)).catch(leave);
        // What was deleted, and inserted again too late, is deleted again.
        if ((await forget(head)) === 0) return await outcomeOf(head, made);
        throw error;
      } finally {
        if (isOver) life.stop();
      }
    },
    settled: completions.settled,
    isLocked: (collection, id) => isNoted(db, { collection, id }),
    recoverAll: recovery.all,
    async recoverOverdue() {
      await recovery.overdue();
      await recovery.forgetOutcomes();
    },
  };
}

/** Throws the error of a failed promise; if there are several, one that leaves the outcome unknown. */
async function allEnded(collections: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(collections)).filter((step) => step.status === 'rejected');
  const worst = failed.find(({ reason }) => !isRefusal(reason)) ?? failed[0];
  if (worst) throw worst.reason;
}

/** The positions of the refused documents of a bulk write; throws if they are unknown. */
function refusedOf(error: unknown): ReadonlySet<number> {
  if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError()) throw error;
  const refused = new Set([error.writeErrors].flat().map(({ index }) => index));
  if (refused.size === 0) throw error;
  return refused;
}

/** Another program has changed the document; its change stays. */
function leave(error: unknown): void {
  if (!isRefusal(error)) throw error;
}
