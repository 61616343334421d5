import type { Collection, Document } from 'mongodb';
import { collectionName } from '../pipeline/collection.js';
import type { Source } from '../pipeline/types.js';
import type { Store } from './client.js';

export { collectionName };

/** The collection of a content type in one status. */
export const collectionOf = (store: Store, { type, status }: Source): Collection<Document> =>
  store.db.collection(collectionName(type, status));
