import { settingsOf } from '../connection/settings.js';
import type { Store } from '../connection/store.js';

/** The progress of a setup step that runs once. */
type Mark = 'begun' | 'filled' | 'done';

const marks = ({ db }: Store) => settingsOf<{ readonly _id: string; readonly mark: Mark }>(db);

/** Null if it has not begun. */
export const readMark = async (store: Store, name: string): Promise<Mark | null> =>
  (await marks(store).findOne({ _id: name }))?.mark ?? null;

export const writeMark = async (store: Store, name: string, mark: Mark): Promise<void> => {
  await marks(store).updateOne({ _id: name }, { $set: { mark } }, { upsert: true });
};
