import type { Collection, Db, Document } from 'mongodb';
import type { Source } from '../../pipeline/types.js';
import type { ContentType } from '../../schema/types.js';
import { memberOf, oncePer } from '../../values/once-per.js';
import type { Store } from './store.js';

/** The collection of a source. */
export const collectionOf = (store: Store, { type, collection }: Source): Collection<Document> =>
  databaseOf(store, type).collection(collection);

/** Databases by name, so that all requests share one object for each. */
const readAlike = oncePer((_: Db) => new Map<string, Db>());

/** The database of a content type, with the read preference of the store. */
export function databaseOf({ content, db }: Store, { storage }: ContentType): Db {
  if (storage === null || (storage.database === null && !content.apart)) return db;
  const readPreference = db.readPreference ?? 'primary';
  const { client, writeConcern } = content;
  const name = storage.database ?? content.name;
  return memberOf(readAlike(db), name, () => client.db(name, { readPreference, writeConcern }));
}

/** The names of all collections in a database. */
export const collectionNames = async (db: Db): Promise<readonly string[]> =>
  (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);

export const hasCollection = async (db: Db, name: string): Promise<boolean> =>
  (await db.listCollections({ name }, { nameOnly: true }).toArray()).length > 0;
