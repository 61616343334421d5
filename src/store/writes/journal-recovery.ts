/** Ends the writes of processes that have died: applies or undoes them, and stores the outcome for an owner that only stalled. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db, Document } from 'mongodb';
import { isBson } from '../../values/bson.js';
import { databaseTime } from '../connection/database-time.js';
import { deleteNamed } from '../connection/delete.js';
import { isDuplicateKey, unlessDuplicate } from '../connection/duplicate.js';
import { anyFilter } from '../connection/filter.js';
import { applyAgain, takeBack, WriteConflict } from '../entries/apply-step.js';
import { revisionOf, type WriteStep } from '../entries/changes.js';
import { takeOver, watchBeats } from '../leases/lease.js';
import { addEvents, haveEvents, isTold } from '../outbox/outbox.js';
import {
  type Ended,
  type Inserted,
  insertedAs,
  type JournalHead,
  journalOf,
  lockOf,
  outcomeId,
  statusIn,
  stepsOf,
  type WriteOutcome,
} from './journal-head.js';
import type { OwnNotes } from './own-notes.js';

/** Milliseconds, by the server's clock, for which outcomes and barred heads are kept once they have been found. */
const KEPT = 3_600_000;

export interface Recovery {
  /** Ends all writes of dead processes, watching the heartbeats of unknown owners first. */
  all(): Promise<void>;
  /**
   * The same without waiting, among the notes that match: only writes whose heartbeats were seen before and have
   * stopped. Returns how many are left.
   */
  overdue(filter?: Document): Promise<number>;
  /** Deletes old outcomes. */
  forgetOutcomes(): Promise<void>;
}

export const isRefusal = (error: unknown): boolean => error instanceof WriteConflict || isDuplicateKey(error);

/** @param lease milliseconds without a heartbeat after which an owner is considered dead */
export function newRecovery(db: Db, { token, change, showLife, forget }: OwnNotes, lease: number): Recovery {
  const notes = journalOf(db);
  const others = watchBeats(lease);

  /** Applies or undoes a write; null if another process has taken over. */
  const end = async (head: JournalHead, isLost: () => boolean): Promise<Ended | null> => {
    // The events of a write are added before its note goes, so they are there when another can note the same deletion.
    const isAnothers = async ({ collection, before }: WriteStep): Promise<boolean> =>
      before !== null &&
      isBson(before['_rev'], 'ObjectId') &&
      (await isTold(
        db,
        { status: statusIn(collection), before: revisionOf(before), after: null },
        head.events,
      ));
    const steps = await stepsOf(db, head);
    const made: WriteStep[] = [];
    const applyAll = async (all: readonly WriteStep[]): Promise<void> => {
      for (const step of all) if (await applyAgain(db, step, isAnothers)) made.push(step);
    };
    const lose = async (): Promise<null> => {
      const found = await notes.findOne<WriteOutcome>({ _id: outcomeId(head._id) });
      if (found) await removeLate(db, found, made);
      return null;
    };
    // Events are added only for an applied write.
    let undo = head.undo || (steps === null && !(await haveEvents(db, head.events)));
    if (steps && !undo) {
      undo = await applyAll(steps).then(
        () => false,
        // If its events exist, whatever refuses a step now came later and stays.
        async (error: unknown) => {
          if (isRefusal(error)) return !(await haveEvents(db, head.events));
          throw error;
        },
      );
      if (undo && !(await change(head, { $set: { undo: true } }))) return lose();
    }
    if (isLost()) return lose();
    const applied = (steps ?? []).filter((_, at) => head.applied?.includes(at) ?? true);
    const write = `${head._id} undone`;
    const _rev = `${write} ${token}`;
    if (undo) for (const step of applied.reverse()) await takeBack(db, step, { write, _rev }, isAnothers);
    if (!undo) await addEvents(db, head.events, null);
    const inserted = (some: readonly WriteStep[]) =>
      some.flatMap((step) => (!step.before && step.after ? [insertedAs(step, step.after)] : []));
    const deletions = applied.filter(({ before, after }) => before && !after);
    // An owner that undoes its write inserts what it had deleted.
    const undone = head.applied ? deletions.map((step) => insertedAs(step, step.before ?? {})) : [];
    const ended: Ended = undo
      ? { outcome: 'undone', inserted: [...inserted(steps ?? []), ...undone] }
      : { outcome: 'done', inserted: inserted(made) };
    if (await change(head, { $set: { ended } })) return ended;
    // Another process has undone it as well, and gave what it found the revision of its own.
    if (undo)
      await removeInserted(
        db,
        deletions.map((step) => insertedAs(step, { ...step.before, _rev })),
      );
    return lose();
  };

  /** Returns whether the write was ended here. */
  const recover = async (head: JournalHead): Promise<boolean> => {
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
  const recoverIfOverdue = async (head: JournalHead): Promise<boolean> => {
    if (!others.isOverdue(head)) return false;
    const taken = await takeOver(notes, head, { by: token });
    others.forget(head._id);
    return taken !== null && recover(taken);
  };

  const heads = (filter: Document = {}): Promise<JournalHead[]> =>
    notes.find<JournalHead>({ ...filter, steps: { $exists: true } }, { promoteLongs: false }).toArray();

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
      await forgetOutcomes(db);
      await forgetImages(db);
    },
    overdue: recoverOverdue,
    forgetOutcomes: () => forgetOutcomes(db),
  };
}

/**
 * Removes what an owner of a write inserted after another process had ended it. Of one that is done, these are documents that
 * both have inserted: in between, they were removed.
 * @param made what this owner applied
 */
export async function removeLate(
  db: Db,
  { outcome, inserted }: WriteOutcome,
  made: readonly WriteStep[],
): Promise<void> {
  const own = new Set(made.map(lockOf));
  await removeInserted(db, outcome === 'undone' ? inserted : inserted.filter((one) => own.has(lockOf(one))));
}

async function removeInserted(db: Db, inserted: readonly Inserted[]): Promise<void> {
  for (const { collection, id, ...state } of inserted)
    await deleteNamed(db.collection(collection), anyFilter({ _id: id, ...state }));
}

/**
 * Deletes outcomes that were never read, and what bars the heads of images, an hour after the first process found them.
 */
async function forgetOutcomes(db: Db): Promise<void> {
  const notes = journalOf(db);
  const kept = { steps: { $exists: false }, write: { $exists: false } };
  if (!(await notes.findOne(kept, { projection: { _id: 1 } }))) return;
  await notes.updateMany({ ...kept, found: { $exists: false } }, { $currentDate: { found: true } });
  const now = await databaseTime(db);
  const old = { ...kept, found: { $lt: new Date(Number(now) - KEPT) } };
  for (const outcome of await notes.find<WriteOutcome>({ ...old, outcome: { $exists: true } }).toArray())
    await removeLate(db, outcome, []);
  await notes.deleteMany(old);
}

/**
 * Deletes images whose head was never stored. It may be on its way, however old they seem by its writer's clock: a
 * document with its `_id` bars it, and the write is repeated.
 */
async function forgetImages(db: Db): Promise<void> {
  const notes = journalOf(db);
  for (const write of await notes.distinct('write')) {
    const isNoted = await notes.insertOne({ _id: write, locks: [write] }).then(
      () => false,
      (error: unknown) => {
        unlessDuplicate(error);
        return true;
      },
    );
    if (!isNoted) await notes.deleteMany({ write });
  }
}
