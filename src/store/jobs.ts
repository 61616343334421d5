import type { Collection, Db } from 'mongodb';
import { isDuplicateKey } from './duplicate.js';

/** A job of the project's own, as all processes know it. */
export interface StoredJob {
  readonly _id: string;
  /** What `next` was computed from. */
  readonly when: string;
  /** When it is due. */
  readonly next: Date;
  /** Who runs it now; null: nobody. */
  readonly owner: string | null;
  /** Grows while the owner lives. */
  readonly beat: number;
  readonly startedAt?: Date;
  readonly endedAt?: Date;
  /** What the last run threw; null: it went well. */
  readonly error?: string | null;
}

const jobs = (db: Db): Collection<StoredJob> => db.collection<StoredJob>('mangrove.jobs');

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
export const takeJob = async (db: Db, { _id, owner, beat, next }: StoredJob, by: string): Promise<boolean> =>
  (
    await jobs(db).updateOne(
      { _id, owner, beat, next },
      { $set: { owner: by, startedAt: new Date() }, $inc: { beat: 1 } },
    )
  ).modifiedCount === 1;

/** Whether it is still ours. */
export const beatJob = async (db: Db, _id: string, owner: string): Promise<boolean> =>
  (await jobs(db).updateOne({ _id, owner }, { $inc: { beat: 1 } })).matchedCount === 1;

/** Ends a run; `next` null leaves it due, for whoever comes. */
export async function endJob(
  db: Db,
  { _id, owner }: { readonly _id: string; readonly owner: string },
  next: Date | null,
  error: string | null,
): Promise<void> {
  const ended = next === null ? {} : { next, endedAt: new Date(), error };
  await jobs(db).updateOne({ _id, owner }, { $set: { owner: null, ...ended } });
}
