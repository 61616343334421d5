import type { Document } from 'bson';
import { fail } from '../errors.js';
import { type CompiledIndex, compileCollection } from '../indexes/compile-index.js';
import { isKnownIndex, readIndexSpec } from '../indexes/index-spec.js';
import { addToIndex } from '../indexes/maintain.js';
import { noteIndex } from '../indexes/notes.js';
import type { Batch } from '../storage/batch.js';
import type { CollectionMeta, IndexMeta } from '../storage/catalog.js';
import { recordOf, tableRange } from '../storage/layout.js';
import { decodeDocument, isDocument } from '../values/index.js';
import { createCollection, refuseView } from './collections.js';
import { type Command, collectionName, commit, refuseInTransaction } from './operation.js';

/** Fills a new index from the documents that are there. */
function build(batch: Batch, collection: CollectionMeta, index: IndexMeta): IndexMeta {
  const whole = { ...collection, indexes: [...collection.indexes, index] };
  const compiled = compileCollection(whole).indexes.at(-1) as CompiledIndex;
  let meta = index;
  for (const { key, value } of batch.entries(tableRange(collection.table))) {
    meta = noteIndex(meta, addToIndex(batch, collection, compiled, recordOf(key), decodeDocument(value)));
  }
  return meta;
}

function addIndexes(batch: Batch, db: string, name: string, specs: readonly Document[]): Document {
  const known = batch.catalog.get(db, name);
  if (known !== undefined) refuseView(known);
  let collection = known ?? createCollection(batch, db, name, {});
  const numIndexesBefore = collection.indexes.length;
  for (const given of specs) {
    const spec = readIndexSpec(given, collection);
    if (isKnownIndex(collection, spec)) continue;
    const index = build(batch, collection, { table: batch.catalog.newTable(), spec, multikey: [] });
    collection = { ...collection, indexes: [...collection.indexes, index] };
    batch.saveCollection(collection);
  }
  const numIndexesAfter = collection.indexes.length;
  const note = numIndexesAfter === numIndexesBefore ? { note: 'all indexes already exist' } : {};
  return {
    numIndexesBefore,
    numIndexesAfter,
    createdCollectionAutomatically: known === undefined,
    ...note,
    ok: 1,
  };
}

export const createIndexes: Command = async (operation) => {
  refuseInTransaction(operation);
  const { db, body } = operation;
  const name = collectionName(operation);
  const { indexes } = body;
  if (!Array.isArray(indexes) || indexes.length === 0 || !indexes.every(isDocument)) {
    return fail('BadValue', 'Must specify at least one index to create');
  }
  return commit(operation, (batch) => addIndexes(batch, db, name, indexes));
};
