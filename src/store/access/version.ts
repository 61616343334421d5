import type { Collection } from 'mongodb';
import type { Store } from '../connection/store.js';

interface Setting {
  readonly _id: string;
  readonly value: number;
}

const settings = (store: Store): Collection<Setting> => store.db.collection<Setting>('mangrove.settings');

/** A number that grows with every change of roles, tokens or accounts; every process watches it. */
export const readAccessVersion = async (store: Store): Promise<number> =>
  (await settings(store).findOne({ _id: 'access' }))?.value ?? 0;

export const raiseAccessVersion = async (store: Store): Promise<void> => {
  await settings(store).updateOne({ _id: 'access' }, { $inc: { value: 1 } }, { upsert: true });
};
