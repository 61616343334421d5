import type { Collection, Db } from 'mongodb';
import { isDuplicateKey } from '../connection/duplicate.js';
import { changeOwn, keepAlive, type Leased, type LeasedCollection, type Life, takeOver } from './lease.js';

/** A job of the project, shared by all processes. */
export interface StoredJob extends Leased {
  /** The schedule that `next` was computed from. */
  readonly when: string;
  /** When it is due. */
  readonly next: Date;
  readonly startedAt?: Date;
  readonly endedAt?: Date;
  /** The error of the last run; null if it succeeded. */
  readonly error?: string | null;
}

const JOBS = 'mangrove.jobs';
const jobs = (db: Db): Collection<StoredJob> => db.collection<StoredJob>(JOBS);
const leased = (db: Db): LeasedCollection => db.collection(JOBS);

/** Registers a job; if its schedule has changed, `next` is updated. */
export async function registerJob(db: Db, _id: string, when: string, next: Date): Promise<void> {
  const made: StoredJob = { _id, when, next, owner: null, beat: 0 };
  await jobs(db)
    .insertOne(made)
    .catch(async (error: unknown) => {
      if (!isDuplicateKey(error)) throw error;
      await jobs(db).updateOne({ _id, when: { $ne: when } }, { $set: { when, next } });
    });
}

/** The jobs that are due, whether or not they are running. */
export const dueJobs = (db: Db, names: readonly string[], now: Date): Promise<readonly StoredJob[]> =>
  jobs(db)
    .find({ _id: { $in: [...names] }, next: { $lte: now } })
    .toArray();

/**
 * Takes a run that has not begun, or whose owner's heartbeat has stopped since it was read; only one process
 * succeeds.
 */
export const takeJob = async (db: Db, job: StoredJob, by: string): Promise<boolean> =>
  (await takeOver(leased(db), job, { by, where: { next: job.next }, set: { startedAt: new Date() } })) !==
  null;

/** Sends heartbeats for a run, every `every` milliseconds. */
export const keepJob = (
  db: Db,
  held: { readonly _id: string; readonly owner: string },
  every: number,
  onLost: () => void,
): Life => keepAlive(leased(db), held, { every, onLost });

/** Ends a run; with `next` null the job stays due, for any process. */
export async function endJob(
  db: Db,
  held: { readonly _id: string; readonly owner: string },
  next: Date | null,
  error: string | null,
): Promise<void> {
  const ended = next === null ? {} : { next, endedAt: new Date(), error };
  await changeOwn(leased(db), held, { $set: { owner: null, ...ended } });
}
