import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Collection, Db, Document } from 'mongodb';
import { textOf } from '../../values/plain-object.js';
import { isDuplicateKey } from '../connection/duplicate.js';
import { keepAlive, type Leased, takeOver } from './lease.js';

/** A migration that has begun or is complete. */
export interface StoredRun {
  readonly _id: string;
  readonly state: 'running' | 'undoing' | 'done';
  /** Number of completed steps. */
  readonly step: number;
  /** JSON: the schema that was applied before the migration, and the one after the completed steps. */
  readonly before: string;
  readonly shape: string;
  readonly startedAt: Date;
  readonly endedAt?: Date;
}

type Note = Document & { _id: string };

const SCHEMA = 'schema';
const LOCK = 'lock';
const RUN = 'run/';

const notes = (db: Db): Collection<Note> => db.collection<Note>('mangrove.migrations');

/** The applied schema, as JSON; null if none has been recorded. */
export const readApplied = async (db: Db): Promise<string | null> =>
  textOf((await notes(db).findOne({ _id: SCHEMA }))?.['shape']);

export async function writeApplied(db: Db, shape: string): Promise<void> {
  await notes(db).updateOne({ _id: SCHEMA }, { $set: { shape, at: new Date() } }, { upsert: true });
}

/** All runs, by name. */
export async function readRuns(db: Db): Promise<readonly StoredRun[]> {
  const found = await notes(db)
    .find<StoredRun>({ state: { $exists: true } })
    .sort({ _id: 1 })
    .toArray();
  return found.map((note) => ({ ...note, _id: note._id.slice(RUN.length) }));
}

export async function writeRun(db: Db, { _id, ...run }: StoredRun): Promise<void> {
  await notes(db).replaceOne({ _id: `${RUN}${_id}` }, run, { upsert: true });
}

export async function removeRun(db: Db, name: string): Promise<void> {
  await notes(db).deleteOne({ _id: `${RUN}${name}` });
}

export interface Lock {
  /** True once another process has taken the lock over: nothing more may be written. */
  readonly lost: boolean;
  release(): Promise<void>;
}

/**
 * Milliseconds without a heartbeat after which the holder is considered dead, by the clock of the waiting
 * process.
 */
const LEASE = 5000;

/** Takes the lock on migrations of a database; null if a live process holds it. */
export async function takeLock(db: Db, lease = LEASE): Promise<Lock | null> {
  const owner = randomUUID();
  if (!(await insertLock(db, owner)) && !(await waitAndTake(db, owner, lease))) return null;
  const life = keepAlive(notes(db), { _id: LOCK, owner }, { every: lease / 5 });
  return {
    get lost() {
      return life.lost;
    },
    release: async () => {
      life.stop();
      await notes(db).deleteOne({ _id: LOCK, owner });
    },
  };
}

/** False if the lock exists. */
const insertLock = (db: Db, owner: string): Promise<boolean> =>
  notes(db)
    .insertOne({ _id: LOCK, owner, beat: 0 })
    .then(
      () => true,
      (error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
        return false;
      },
    );

/** Watches the holder for the length of a lease and takes the lock if its beat does not change. */
async function waitAndTake(db: Db, owner: string, lease: number): Promise<boolean> {
  const seen = await notes(db).findOne<Leased>({ _id: LOCK });
  if (!seen) return insertLock(db, owner);
  await sleep(lease);
  return (await takeOver(notes(db), seen, { by: owner })) !== null;
}
