import type { Document } from 'bson';
import { fail } from '../errors.js';
import { type CompiledIndex, compileCollection } from '../indexes/compile-index.js';
import { knownIndexFields } from '../indexes/index-fields.js';
import { isKnownIndex, readIndexSpec } from '../indexes/index-spec.js';
import { addToIndex } from '../indexes/maintain.js';
import { noteIndex } from '../indexes/notes.js';
import { type CollectionMeta, type IndexMeta, namespaceOf } from '../storage/catalog.js';
import { recordOf, tableRange } from '../storage/layout.js';
import type { Writable } from '../storage/view.js';
import { decodeDocument } from '../values/index.js';
import { shellText } from '../values/shell-text.js';
import { createCollection, refuseView } from './collections.js';
import { type Command, collectionName, type Operation, write } from './operation.js';

/** More a collection does not have. */
const MOST_INDEXES = 64;

/** Fills a new index from the documents that are there. */
function build(view: Writable, collection: CollectionMeta, index: IndexMeta): IndexMeta {
  const whole = { ...collection, indexes: [...collection.indexes, index] };
  const compiled = compileCollection(whole).indexes.at(-1) as CompiledIndex;
  let meta = index;
  for (const { key, value } of view.entries(tableRange(collection.table))) {
    const stored = { record: recordOf(key), document: decodeDocument(value) };
    meta = noteIndex(meta, addToIndex(view, collection, compiled, stored));
  }
  return meta;
}

function addIndexes(
  operation: Operation,
  view: Writable,
  name: string,
  specs: readonly Document[],
): Document {
  const { db } = operation;
  if (db === 'config' && name === 'transactions')
    fail('IllegalOperation', 'not allowed to create index on config.transactions');
  const known = view.catalog.get(db, name);
  if (known !== undefined) refuseView(known);
  let collection = known ?? createCollection(view, db, name, {});
  const numIndexesBefore = collection.indexes.length;
  const ignoring = operation.body['ignoreUnknownIndexOptions'] === true;
  for (const given of specs) {
    if (operation.body['apiStrict'] === true && Object.values(given['key'] ?? {}).includes('text'))
      fail('APIStrictError', 'The index with name text cannot be created with apiStrict: true');
    const spec = readIndexSpec(ignoring ? knownIndexFields(given) : given, collection);
    if (isKnownIndex(collection, spec)) continue;
    checkBuild(operation, view, collection);
    view.exclude(collection);
    if (collection.indexes.length >= MOST_INDEXES) {
      fail(
        'CannotCreateIndex',
        `add index fails, too many indexes for ${db}.${name} key:${shellText(spec['key'])}`,
      );
    }
    const index = build(view, collection, { table: view.catalog.newTable(), spec, multikey: [] });
    collection = { ...collection, indexes: [...collection.indexes, index] };
    view.saveCollection(collection);
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

/** In a transaction only an empty collection that nobody else sees yet gets indexes. */
function checkBuild({ transaction, engine }: Operation, view: Writable, collection: CollectionMeta): void {
  if (transaction === undefined) return;
  const { db, name, table } = collection;
  const isNew = engine.catalog.collections.get(namespaceOf(db, name))?.table !== table;
  if (isNew && view.count(table) === 0) return;
  fail(
    'OperationNotSupportedInTransaction',
    `Cannot create new indexes on ${isNew ? 'non-empty' : 'existing'} collection ${db}.${name} in a multi-document transaction.`,
  );
}

export const createIndexes: Command = async (operation) => {
  const indexes: readonly Document[] = operation.body['indexes'];
  if (indexes.length === 0) fail('BadValue', 'Must specify at least one index to create');
  const name = collectionName(operation);
  return write(operation, (view) => addIndexes(operation, view, name, indexes));
};
