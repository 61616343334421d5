import type { Collection, Db } from 'mongodb';
import { isDuplicateKey } from '../connection/duplicate.js';
import { changeOwn, keepAlive, type Leased, type LeasedCollection, type Life, takeOver } from './lease.js';

/** A job of the project's own, as all processes know it. */
export interface StoredJob extends Leased {
  /** What `next` was computed from. */
  readonly when: string;
  /** When it is due. */
  readonly next: Date;
  readonly startedAt?: Date;
  readonly endedAt?: Date;
  /** What the last run threw; null: it went well. */
  readonly error?: string | null;
}

const JOBS = 'mangrove.jobs';
const jobs = (db: Db): Collection<StoredJob> => db.collection<StoredJob>(JOBS);
const leased = (db: Db): LeasedCollection => db.collection(JOBS);

/** Makes the job known; one whose expression changed is due by the new one. */
export async function registerJob(db: Db, _id: string, when: string, next: Date): Promise<void> {
  const made: StoredJob = { _id, when, next, owner: null, beat: 0 };
  await jobs(db)
    .insertOne(made)
    .catch(async (error: unknown) => {
      if (!isDuplicateKey(error)) throw error;
      await jobs(db).updateOne({ _id, when: { $ne: when } }, { $set: { when, next } });
    });
}

/** Those that are due, whether somebody runs them or not. */
export const dueJobs = (db: Db, names: readonly string[], now: Date): Promise<readonly StoredJob[]> =>
  jobs(db)
    .find({ _id: { $in: [...names] }, next: { $lte: now } })
    .toArray();

/** Takes a run that nobody has begun, or whose owner's beat stopped where it was seen; of several who try one does. */
export const takeJob = async (db: Db, job: StoredJob, by: string): Promise<boolean> =>
  (await takeOver(leased(db), job, { by, where: { next: job.next }, set: { startedAt: new Date() } })) !==
  null;

/** Shows life for a run every so many milliseconds. */
export const keepJob = (
  db: Db,
  held: { readonly _id: string; readonly owner: string },
  every: number,
  onLost: () => void,
): Life => keepAlive(leased(db), held, { every, onLost });

/** Ends a run; `next` null leaves it due, for whoever comes. */
export async function endJob(
  db: Db,
  held: { readonly _id: string; readonly owner: string },
  next: Date | null,
  error: string | null,
): Promise<void> {
  const ended = next === null ? {} : { next, endedAt: new Date(), error };
  await changeOwn(leased(db), held, { $set: { owner: null, ...ended } });
}
