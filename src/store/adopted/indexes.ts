import type { ContentType } from '../../schema/types.js';
import { collectionOf } from '../connection/collections.js';
import type { Store } from '../connection/store.js';

type Keys = Readonly<Record<string, 1 | -1>>;

/** The indexes of an adopted collection, by their keys; those of a view belong to its source and are not listed. */
export async function adoptedIndexes(
  store: Store,
  type: ContentType,
): Promise<{ readonly database: string; readonly indexes: readonly Keys[] }> {
  const collection = collectionOf(store, { type, status: 'published' });
  const indexes = await collection.indexes().catch(() => []);
  return { database: collection.dbName, indexes: indexes.map(({ key }) => key as Keys) };
}
