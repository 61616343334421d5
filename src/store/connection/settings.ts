import type { Collection, Db } from 'mongodb';

export const SETTINGS_COLLECTION = 'mangrove.settings';

/** A collection for Mangrove's own notes: documents of several kinds, distinguished by `_id`. */
export const settingsOf = <T extends { readonly _id: string }>(db: Db): Collection<T> =>
  db.collection<T>(SETTINGS_COLLECTION);
