import { settingsOf } from '../connection/settings.js';
import type { Store } from '../connection/store.js';

const versions = ({ db }: Store) => settingsOf<{ readonly _id: string; readonly value: number }>(db);

/** A number that increases with every change of roles, tokens or accounts; every process polls it. */
export const readAccessVersion = async (store: Store): Promise<number> =>
  (await versions(store).findOne({ _id: 'access' }))?.value ?? 0;

export const raiseAccessVersion = async (store: Store): Promise<void> => {
  await versions(store).updateOne({ _id: 'access' }, { $inc: { value: 1 } }, { upsert: true });
};
