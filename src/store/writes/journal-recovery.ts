/** Ends the writes of processes that have died: applies or undoes them, and stores the outcome for an owner that only stalled. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ObjectId } from 'bson';
import type { Db, Document } from 'mongodb';
import { isDuplicateKey, unlessDuplicate } from '../connection/duplicate.js';
import { anyFilter } from '../connection/filter.js';
import { applyAlone, takeBack, WriteConflict } from '../entries/apply-step.js';
import type { WriteStep } from '../entries/changes.js';
import { addEvents, haveEvents } from '../outbox/outbox.js';
import { takeOver, watchBeats } from '../runs/lease.js';
import { type Ended, type Head, journalOf, type Outcome, outcomeId, stepsOf } from './journal-head.js';
import type { OwnNotes } from './own-notes.js';

/** Seconds after which images without a head and outcomes are deleted; longer than clocks may differ. */
const KEPT_SECONDS = 3600;

export interface Recovery {
  /** Ends all writes of dead processes, watching the heartbeats of unknown owners first. */
  all(): Promise<void>;
  /**
   * The same without waiting, among the notes that match: only writes whose heartbeats were seen before and have
   * stopped. Returns how many are left.
   */
  overdue(filter?: Document): Promise<number>;
}

export const isRefusal = (error: unknown): boolean => error instanceof WriteConflict || isDuplicateKey(error);

/** @param lease milliseconds without a heartbeat after which an owner is considered dead */
export function newRecovery(db: Db, { token, change, showLife, forget }: OwnNotes, lease: number): Recovery {
  const notes = journalOf(db);
  const others = watchBeats(lease);

  /** Applies or undoes a write; null if another process has taken over. */
  const end = async (head: Head, isLost: () => boolean): Promise<Ended | null> => {
    const steps = await stepsOf(db, head);
    let undo = head.undo;
    if (steps && !undo) {
      undo = await applyAll(db, steps).then(
        () => false,
        // Events are added only for an applied write. If they exist, whatever refuses a step now came later
        // and stays.
        async (error: unknown) => {
          if (isRefusal(error)) return !(await haveEvents(db, head.events));
          throw error;
        },
      );
      if (undo && !(await change(head, { $set: { undo: true } }))) return null;
    }
    if (isLost()) return null;
    if (steps && undo)
      for (const step of [...steps].reverse()) await takeBack(db, step, `${head._id} undone`);
    if (!undo) await addEvents(db, head.events, null);
    const inserted = (steps ?? []).flatMap(({ collection, id, before, after }) =>
      undo && !before && after ? [{ collection, id, _rev: after['_rev'] }] : [],
    );
    const ended: Ended = { outcome: undo ? 'undone' : 'done', inserted };
    return (await change(head, { $set: { ended } })) ? ended : null;
  };

  /** Returns whether the write was ended here. */
  const recover = async (head: Head): Promise<boolean> => {
    const life = showLife(head);
    try {
      const ended = head.ended ?? (await end(head, () => life.lost));
      if (!ended) return false;
      const _id = outcomeId(head._id);
      await notes.insertOne({ _id, locks: [_id], ...ended }).catch(unlessDuplicate);
      await forget(head);
      return true;
    } finally {
      life.stop();
    }
  };

  /**
   * Takes a note over if its heartbeat has stopped for the length of a lease, and ends its write. Only one of
   * several processes succeeds. False if another process takes it over, or if it is still alive.
   */
  const recoverIfOverdue = async (head: Head): Promise<boolean> => {
    if (!others.isOverdue(head)) return false;
    const taken = await takeOver(notes, head, { by: token });
    others.forget(head._id);
    return taken !== null && recover(taken);
  };

  const heads = (filter: Document = {}): Promise<Head[]> =>
    notes.find<Head>({ ...filter, steps: { $exists: true } }, { promoteLongs: false }).toArray();

  const recoverOverdue = async (filter: Document = {}): Promise<number> => {
    const found = await heads(filter);
    if (Object.keys(filter).length === 0) others.keepOnly(new Set(found.map(({ _id }) => _id)));
    let left = 0;
    for (const head of found) if (!(await recoverIfOverdue(head))) left += 1;
    return left;
  };

  return {
    async all() {
      // Writes that other processes note meanwhile are not awaited.
      const noted = { _id: { $in: (await heads()).map(({ _id }) => _id) } };
      while ((await recoverOverdue(noted)) > 0) await sleep(lease / 3);
      await tidy(db);
    },
    overdue: recoverOverdue,
  };
}

async function applyAll(db: Db, steps: readonly WriteStep[]): Promise<void> {
  for (const step of steps) await applyAlone(db, step);
}

/** Removes what the first owner inserted after another process had undone its write. */
export async function removeLate(db: Db, { inserted }: Outcome): Promise<void> {
  for (const { collection, id, _rev } of inserted)
    await db.collection(collection).deleteOne(anyFilter({ _id: id, _rev }));
}

/** Deletes images whose head was never written, and outcomes that were never read. */
async function tidy(db: Db): Promise<void> {
  const notes = journalOf(db);
  const old = ObjectId.createFromTime(Date.now() / 1000 - KEPT_SECONDS).toHexString();
  const outcomes = notes.find<Outcome>({ _id: { $lt: old }, outcome: { $exists: true } });
  for (const outcome of await outcomes.toArray()) {
    await removeLate(db, outcome);
    await notes.deleteOne({ _id: outcome._id });
  }
  const noted = await notes.distinct('_id', { steps: { $exists: true } });
  await notes.deleteMany({ write: { $lt: old, $nin: noted } });
}
