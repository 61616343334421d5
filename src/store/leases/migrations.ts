import type { Collection, Db, Document } from 'mongodb';
import { textOf } from '../../values/plain-object.js';
import { type Lock, takeLock } from './lock.js';

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

/** All runs, in the order in which they began. */
export async function readRuns(db: Db): Promise<readonly StoredRun[]> {
  const found = await notes(db)
    .find<StoredRun>({ state: { $exists: true } })
    .sort({ startedAt: 1, _id: 1 })
    .toArray();
  return found.map((note) => ({ ...note, _id: note._id.slice(RUN.length) }));
}

export async function writeRun(db: Db, { _id, ...run }: StoredRun): Promise<void> {
  await notes(db).replaceOne({ _id: `${RUN}${_id}` }, run, { upsert: true });
}

export async function removeRun(db: Db, name: string): Promise<void> {
  await notes(db).deleteOne({ _id: `${RUN}${name}` });
}

/** Takes the lock on migrations of a database; null if a live process holds it. */
export const takeMigrationLock = (db: Db, lease?: number): Promise<Lock | null> =>
  takeLock({ documents: notes(db), _id: LOCK }, lease);
