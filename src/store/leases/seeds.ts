import type { Collection } from 'mongodb';
import type { Store } from '../connection/store.js';

/** What `mangrove seed` records: the progress of a run, and the file that each source was stored as. */
interface StoredSeed {
  readonly _id: string;
  /** Number of stored rows of a source. */
  readonly done?: number;
  readonly documentId?: string;
}

const seeds = ({ db }: Store): Collection<StoredSeed> => db.collection<StoredSeed>('mangrove.seeds');

/** Number of rows that an interrupted run stored; 0 if there was none. */
export const readProgress = async (store: Store, source: string): Promise<number> =>
  (await seeds(store).findOne({ _id: `run:${source}` }))?.done ?? 0;

/** @param done null when the run has ended */
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
