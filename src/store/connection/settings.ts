import type { Collection, Db } from 'mongodb';

export const SETTINGS = 'mangrove.settings';

/** What Mangrove notes for itself: documents of several kinds, each by a name of its own. */
export const settingsOf = <T extends { readonly _id: string }>(db: Db): Collection<T> =>
  db.collection<T>(SETTINGS);
