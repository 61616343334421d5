import type { Document } from 'bson';
import { fail } from '../errors.js';
import type { CollectionMeta, IndexMeta } from '../storage/catalog.js';
import { equalValues, isDocument } from '../values/index.js';
import { existing } from './collections.js';
import { type Command, collectionName, commit } from './operation.js';

function chosen(collection: CollectionMeta, which: unknown): readonly IndexMeta[] {
  const removable = collection.indexes.filter((index) => index.spec['name'] !== '_id_');
  if (which === '*') return removable;
  if (Array.isArray(which)) return which.flatMap((one) => chosen(collection, one));
  if (which === '_id_' || (isDocument(which) && equalValues(which, { _id: 1 })))
    fail('InvalidOptions', 'cannot drop _id index');
  if (typeof which !== 'string' && !isDocument(which)) {
    fail('TypeMismatch', "BSON field 'dropIndexes.index' must be a string, an object or an array of strings");
  }
  const text = JSON.stringify(which);
  const found = removable.filter((index) =>
    isDocument(which) ? equalValues(index.spec['key'], which) : index.spec['name'] === which,
  );
  if (isDocument(which) && found.length > 1) {
    fail('AmbiguousIndexKeyPattern', `${found.length} indexes have the key ${text}; name the one to drop`);
  }
  if (found.length === 0) {
    fail(
      'IndexNotFound',
      isDocument(which)
        ? `can't find index with key: ${text}`
        : `index not found with name [${String(which)}]`,
    );
  }
  return found;
}

export const dropIndexes: Command = async (operation) => {
  const { db, body } = operation;
  const name = collectionName(operation);
  return commit(operation, (batch): Document => {
    const collection = existing(batch.catalog.get(db, name), `${db}.${name}`);
    batch.exclude(collection);
    const dropped = new Set(chosen(collection, body['index']));
    batch.saveCollection({
      ...collection,
      indexes: collection.indexes.filter((index) => !dropped.has(index)),
    });
    for (const index of dropped) batch.doom(index.table, `index '${index.spec['name']}' dropped`);
    return { nIndexesWas: collection.indexes.length, ok: 1 };
  });
};
