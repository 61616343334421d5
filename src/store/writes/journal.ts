import { setTimeout as sleep } from 'node:timers/promises';
import { ObjectId } from 'bson';
import { type Db, type DeleteResult, type Document, MongoBulkWriteError } from 'mongodb';
import { errors } from '../../errors.js';
import { isOn } from '../../limits/mechanisms.js';
import { isDuplicateKey, unlessDuplicate } from '../connection/duplicate.js';
import { anyFilter } from '../connection/filter.js';
import { inOneTurn } from '../connection/gather.js';

import { applyAlone, inverse, takeBack, WriteConflict } from '../entries/apply-step.js';
import type { Write, WriteStep } from '../entries/changes.js';
import { addEvents, haveEvents } from '../outbox/outbox.js';
import { changeOwn, keepAlive, type Life, takeOver, watchBeats } from '../runs/lease.js';
import { newStepper } from './apply-in-turn.js';
import { newEnds } from './journal-ends.js';
import {
  type Ending,
  type Head,
  imagesApart,
  inRounds,
  journalOf,
  lockOf,
  noteOf,
  type Outcome,
  outcomeId,
  stepsOf,
} from './journal-head.js';

/**
 * Milliseconds without a heartbeat after which an owner is considered dead, by the clock of the process that
 * watches it.
 */
const LEASE = 3000;
/** Seconds after which images without a head and outcomes are deleted; longer than clocks may differ. */
const KEPT_SECONDS = 3600;

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
   * server.
   */
  recoverOverdue(): Promise<void>;
}

export async function indexJournal(db: Db): Promise<void> {
  await journalOf(db).createIndex({ locks: 1 }, { name: 'locks', unique: true });
}

const isRefusal = (error: unknown): boolean => error instanceof WriteConflict || isDuplicateKey(error);

/**
 * @param db waits for the disk with each command. Otherwise a server that crashes and restarts loses steps that
 *   it has acknowledged, and whoever deletes the note after that deletes the only record of them.
 */
export function openJournal(db: Db, lease = LEASE): Journal {
  const token = new ObjectId().toHexString();
  const notes = journalOf(db);
  const others = watchBeats(lease);

  const applyStep = newStepper(db);
  const owned = ({ _id }: Head) => ({ _id, owner: token });
  const change = (head: Head, update: Document): Promise<boolean> => changeOwn(notes, owned(head), update);
  const showLife = (head: Head): Life => keepAlive(notes, owned(head), { every: lease / 3 });

  /** Deletes a note with one command; false if another process has taken over. */
  const drop = async (head: Head): Promise<boolean> => {
    const { deletedCount } = await forget(head);
    return deletedCount === 1 + imagesApart(head);
  };

  /** Deletes notes and their images, while this process owns them. */
  const forget = (...heads: readonly Head[]): Promise<DeleteResult> => {
    const ours = { _id: { $in: heads.map(({ _id }) => _id) }, owner: token };
    const write = { $in: heads.filter((head) => imagesApart(head) > 0).map(({ _id }) => _id) };
    return notes.deleteMany(write.$in.length > 0 ? { $or: [ours, { write }] } : ours);
  };

  const ends = newEnds(async (heads) => {
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
   */
  const outcomeOf = async (head: Head): Promise<void> => {
    for (let waited = 0; waited <= 10; waited++) {
      // The outcome is stored before the note is deleted, so it is read second.
      const noted = await notes.findOne({ _id: head._id }, { projection: { _id: 1 } });
      const found = await notes.findOne<Outcome>({ _id: outcomeId(head._id) });
      if (found?.outcome === 'done') return;
      if (found) {
        await removeLate(db, found);
        throw new WriteConflict('taken over');
      }
      if (!noted) break;
      await sleep(lease / 2);
    }
    throw errors.busy();
  };

  /** Applies or undoes a write; null if another process has taken over. */
  const end = async (head: Head, isLost: () => boolean): Promise<Ending | null> => {
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
    const ended: Ending = { outcome: undo ? 'undone' : 'done', inserted };
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

  const noteTogether = inOneTurn(async (heads: readonly Head[]): Promise<(true | null)[]> => {
    const refused = await notes
      .insertMany(
        heads.map((head) => ({ ...head })),
        { ordered: false },
      )
      .then(() => null, refusedOf);
    return heads.map((_, at) => (refused?.has(at) ? null : true));
  });

  const note = async (write: Write): Promise<Head> => {
    const { head, images } = noteOf(write, token);
    await ends.unlocked(head.locks);
    if (images.length === 0 && isOn('notes together') && (await noteTogether(head))) return head;
    try {
      await notes.insertMany([...images, head].map((noted) => ({ ...noted })));
    } catch (error) {
      await forget(head);
      if (!isDuplicateKey(error)) throw error;
      await recoverOverdue({ locks: { $in: head.locks } });
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
      let isOver = true;
      try {
        const applyInTurn = async (steps: readonly WriteStep[]): Promise<void> => {
          const apply = steps.length === 1 ? applyStep : (step: WriteStep) => applyAlone(db, step);
          for (const step of steps) {
            if (life.lost) return;
            await apply(step);
            done.push(step);
          }
        };
        for (const round of inRounds(write.steps)) await allEnded(round.map(applyInTurn));
        if (life.lost) return await outcomeOf(head);
        // No other process can have taken over yet, and one that does from here on finds everything applied.
        if (performance.now() - began < lease / 2) {
          isOver = false;
          ends.add(head, life);
          return;
        }
        await addEvents(db, write.events, null);
        if (!(await drop(head))) await outcomeOf(head);
      } catch (error) {
        if (!isRefusal(error) || done.length === write.steps.length) throw error;
        // From here on, a process that takes over also undoes the write.
        if (!(await change(head, { $set: { undo: true } }))) return await outcomeOf(head);
        for (const step of done.reverse()) await applyAlone(db, inverse(step)).catch(leave);
        await forget(head);
        throw error;
      } finally {
        if (isOver) life.stop();
      }
    },
    settled: ends.settled,
    isLocked: async (collection, id) =>
      (await notes.countDocuments({ locks: lockOf({ collection, id }) }, { limit: 1 })) > 0,
    async recoverAll() {
      // Writes that other processes note meanwhile are not awaited.
      const noted = { _id: { $in: (await heads()).map(({ _id }) => _id) } };
      while ((await recoverOverdue(noted)) > 0) await sleep(lease / 3);
      await tidy(db);
    },
    async recoverOverdue() {
      await recoverOverdue();
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

async function applyAll(db: Db, steps: readonly WriteStep[]): Promise<void> {
  for (const step of steps) await applyAlone(db, step);
}

/** Another program has changed the document; its change stays. */
function leave(error: unknown): void {
  if (!isRefusal(error)) throw error;
}

async function removeLate(db: Db, { inserted }: Outcome): Promise<void> {
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
