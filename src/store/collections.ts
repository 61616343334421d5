import type { Collection, Db, Document } from 'mongodb';
import { collectionName } from '../pipeline/collection.js';
import type { Source } from '../pipeline/types.js';
import type { ContentType } from '../schema/types.js';
import type { Store } from './client.js';

export { collectionName };

/** The collection of a content type in one status. */
export const collectionOf = (store: Store, { type, status }: Source): Collection<Document> =>
  databaseOf(store, type).collection(collectionName(type, status));

/** The database that a content type lies in, read as the store reads. */
const databaseOf = ({ client, db }: Store, { storage }: ContentType): Db =>
  storage?.database ? client.db(storage.database, { readPreference: db.readPreference ?? 'primary' }) : db;
