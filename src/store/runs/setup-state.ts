import type { Collection } from 'mongodb';
import type { Store } from '../connection/store.js';

/** The progress of something that happens once. */
export type Mark = 'begun' | 'filled' | 'done';

interface StoredMark {
  readonly _id: string;
  readonly mark: Mark;
}

const marks = (store: Store): Collection<StoredMark> => store.db.collection<StoredMark>('mangrove.settings');

/** Null: never begun. */
export const readMark = async (store: Store, name: string): Promise<Mark | null> =>
  (await marks(store).findOne({ _id: name }))?.mark ?? null;

export const writeMark = async (store: Store, name: string, mark: Mark): Promise<void> => {
  await marks(store).updateOne({ _id: name }, { $set: { mark } }, { upsert: true });
};
