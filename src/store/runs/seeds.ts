import type { Collection } from 'mongodb';
import type { Store } from '../connection/store.js';

/** What `mangrove seed` remembers: how far a run has come, and which file of the library a source has become. */
interface StoredSeed {
  readonly _id: string;
  /** Rows of a source that are stored. */
  readonly done?: number;
  readonly documentId?: string;
}

const seeds = ({ db }: Store): Collection<StoredSeed> => db.collection<StoredSeed>('mangrove.seeds');

/** Rows of a source that a run which was broken off had stored; 0: it begins. */
export const readProgress = async (store: Store, source: string): Promise<number> =>
  (await seeds(store).findOne({ _id: `run:${source}` }))?.done ?? 0;

/** Null: the run has ended. */
export const writeProgress = async (store: Store, source: string, done: number | null): Promise<void> => {
  const _id = `run:${source}`;
  if (done === null) await seeds(store).deleteOne({ _id });
  else await seeds(store).updateOne({ _id }, { $set: { done } }, { upsert: true });
};

/** The documentId of the file that a source was stored as. */
export const readSeededFile = async (store: Store, source: string): Promise<string | null> =>
  (await seeds(store).findOne({ _id: `file:${source}` }))?.documentId ?? null;

export const writeSeededFile = async (store: Store, source: string, documentId: string): Promise<void> => {
  await seeds(store).updateOne({ _id: `file:${source}` }, { $set: { documentId } }, { upsert: true });
};
