import { isDeepStrictEqual } from 'node:util';
import type { Document } from 'bson';
import { fail } from '../errors.js';
import { type CompiledIndex, compileCollection, documentKeys } from '../indexes/compile-index.js';
import { knownIndexFields } from '../indexes/index-fields.js';
import { isKnownIndex, readIndexSpec } from '../indexes/index-spec.js';
import { addKeys } from '../indexes/maintain.js';
import { noteIndex } from '../indexes/notes.js';
import { Batch } from '../storage/batch.js';
import { type CollectionMeta, doomedKey, type IndexMeta, namespaceOf, newIndex } from '../storage/catalog.js';
import { recordOf, tableRange } from '../storage/layout.js';
import type { Writable } from '../storage/view.js';
import { documentReader } from '../values/byte-document.js';
import { shellText } from '../values/shell-text.js';
import { buildAhead, dropUnused, isCurrent, type ReadyIndex } from './build-ahead.js';
import { createCollection, refuseView } from './collections.js';
import { type Command, collectionName, type Operation, write } from './operation.js';

/** The maximum for a collection. */
const MOST_INDEXES = 64;

/** Fills a new index from the existing documents. */
function build(view: Writable, collection: CollectionMeta, index: IndexMeta): IndexMeta {
  const whole = { ...collection, indexes: [...collection.indexes, index] };
  const compiled = compileCollection(whole).indexes.at(-1) as CompiledIndex;
  let meta = index;
  const read = documentReader(compiled.roots && new Set(compiled.roots));
  for (const { key, value } of view.entries(tableRange(collection.table))) {
    const keys = documentKeys(compiled, read(value));
    addKeys(view, collection, compiled, { record: recordOf(key), keys });
    meta = noteIndex(meta, keys);
  }
  return meta;
}

/** The indexes that `createIndexes` requests, and those that are already filled. */
interface Asked {
  readonly name: string;
  readonly specs: readonly Document[];
  readonly ready: readonly ReadyIndex[];
}

/** An index that is already filled, if nothing has been written to its collection since. */
function takeReady(
  operation: Operation,
  view: Writable,
  collection: CollectionMeta,
  ready: ReadyIndex | undefined,
): IndexMeta | undefined {
  if (ready === undefined || !(view instanceof Batch)) return undefined;
  const { table } = collection;
  if (ready.collection.table !== table || view.touchedTables.has(table) || !isCurrent(operation, ready))
    return undefined;
  view.remove(doomedKey(ready.meta.table));
  return ready.meta;
}

interface AddedIndexes {
  readonly reply: Document;
  /** The filled indexes that the collection has taken over. */
  readonly used: ReadonlySet<ReadyIndex>;
}

function addIndexes(operation: Operation, view: Writable, { name, specs, ready }: Asked): AddedIndexes {
  const { db } = operation;
  if (db === 'config' && name === 'transactions')
    fail('IllegalOperation', 'not allowed to create index on config.transactions');
  const known = view.catalog.get(db, name);
  if (known !== undefined) refuseView(known);
  let collection = known ?? createCollection(view, db, name, {});
  const numIndexesBefore = collection.indexes.length;
  const used = new Set<ReadyIndex>();
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
    const filled = ready.find(({ meta }) => isDeepStrictEqual(meta.spec, spec));
    const taken = takeReady(operation, view, collection, filled);
    if (taken !== undefined && filled !== undefined) used.add(filled);
    const index = taken ?? build(view, collection, newIndex(view.catalog.newTable(), spec));
    collection = { ...collection, indexes: [...collection.indexes, index] };
    view.saveCollection(collection);
  }
  const numIndexesAfter = collection.indexes.length;
  const note = numIndexesAfter === numIndexesBefore ? { note: 'all indexes already exist' } : {};
  const createdCollectionAutomatically = known === undefined;
  return {
    reply: { numIndexesBefore, numIndexesAfter, createdCollectionAutomatically, ...note, ok: 1 },
    used,
  };
}

/** In a transaction, only an empty collection that nobody else sees yet can get indexes. */
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
  const ready = await buildAhead(operation, name, indexes);
  let used: ReadonlySet<ReadyIndex> = new Set();
  try {
    return await write(operation, (view) => {
      const added = addIndexes(operation, view, { name, specs: indexes, ready });
      used = added.used;
      return added.reply;
    });
  } finally {
    await dropUnused(operation, ready, used);
  }
};
