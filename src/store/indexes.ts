import type { CreateIndexesOptions, IndexSpecification } from 'mongodb';
import type { ContentType, Schema } from '../schema/types.js';
import type { Store } from './client.js';
import { collectionName } from './collections.js';
import { uniqueIndexesOf } from './unique-indexes.js';

export interface Index {
  readonly keys: IndexSpecification;
  readonly options: CreateIndexesOptions;
}

const UNIQUE: CreateIndexesOptions = { unique: true };

/** The indexes of one collection of a content type: its identities, its references, and what the schema file asks for. */
export const indexesOf = (type: ContentType): readonly Index[] => {
  const references = [...type.attributes.values()].filter(
    (attribute) =>
      attribute.kind === 'media' ||
      (attribute.kind === 'relation' && attribute.owner && attribute.target !== null),
  );
  return [
    { keys: { id: 1 }, options: UNIQUE },
    { keys: { documentId: 1, locale: 1 }, options: UNIQUE },
    ...references.map(({ name }) => ({ keys: { [name]: 1 }, options: {} }) as const),
    ...type.indexes.map(({ columns }) => ({
      keys: Object.fromEntries(columns.map((column) => [column, 1] as const)),
      options: {},
    })),
  ];
};

/** Makes the indexes of every content type; those that exist stay. */
export const ensureIndexes = async (store: Store, schema: Schema): Promise<void> => {
  for (const type of schema.contentTypes.values()) {
    const names = new Set([collectionName(type, 'published'), collectionName(type, 'draft')]);
    for (const name of names)
      for (const { keys, options } of indexesOf(type))
        await store.db.collection(name).createIndex(keys, options);
    for (const { keys, options } of uniqueIndexesOf(type))
      await store.db.collection(collectionName(type, 'published')).createIndex(keys, options);
  }
};
