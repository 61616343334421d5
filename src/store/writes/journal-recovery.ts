/** Ends the writes of processes that have died: applies or undoes them, and stores the outcome for an owner that only stalled. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db, Document } from 'mongodb';
import { databaseTime } from '../connection/database-time.js';
import { unlessDuplicate } from '../connection/duplicate.js';
import { insertedFirst } from '../connection/insert.js';
import { takeOver, watchBeats } from '../leases/lease.js';
import { AbandonedWrite } from './abandoned-write.js';
import { type JournalHead, journalOf, outcomeId, type WriteOutcome } from './journal-head.js';
import { removeLate } from './late-insertions.js';
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

/** @param lease milliseconds without a heartbeat after which an owner is considered dead */
export function newRecovery(db: Db, own: OwnNotes, lease: number): Recovery {
  const notes = journalOf(db);
  const others = watchBeats(lease);

  /** Returns whether the write was ended here. */
  const recover = async (head: JournalHead): Promise<boolean> => {
    const life = own.showLife(head);
    try {
      const ended = head.ended ?? (await new AbandonedWrite(db, own, head, life).end());
      if (!ended) return false;
      const _id = outcomeId(head._id);
      await notes.insertOne({ _id, locks: [_id], ...ended }).catch(unlessDuplicate);
      await own.forget(head);
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
    const taken = await takeOver(notes, head, { by: own.token });
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
    if (await insertedFirst(notes, { _id: write, locks: [write] })) await notes.deleteMany({ write });
  }
}
