/** Compares the indexes that the schemas require with those in the database, and creates the missing ones. */

import { BSON, type Document } from 'mongodb';
import type { RecordEvent } from '../../events/events.js';
import { createGate, runThrough } from '../../limits/gate.js';
import type { Schema } from '../../schema/types.js';
import { groupBy } from '../../values/group.js';
import { collectionNames } from '../connection/collections.js';
import { isDuplicateValue } from '../connection/duplicate.js';
import type { Store } from '../connection/store.js';
import { desiredIndexes, type PlacedIndex } from './indexes.js';

/** An index as the server lists it. */
interface StoredIndex {
  readonly collection: string;
  readonly name: string;
  readonly keys: Readonly<Record<string, unknown>>;
  readonly unique: boolean;
  /** `partialFilterExpression`; null if the index covers every document. */
  readonly filter: Document | null;
}

/** A required index with which a stored index conflicts. */
interface ChangedIndex extends PlacedIndex {
  /** The name of the stored index. */
  readonly stored: string;
}

/** How the indexes in a database differ from those that the schemas require. */
interface Drift {
  readonly missing: readonly PlacedIndex[];
  /** An index with the same name or keys exists, but its keys, filter or uniqueness differ. */
  readonly changed: readonly ChangedIndex[];
  /**
   * Indexes of Mangrove's content collections that no schema requires: created by hand, or by an earlier
   * schema. Never dropped automatically.
   */
  readonly extra: readonly StoredIndex[];
}

/** MongoDB's limit of indexes per collection, including `_id`. */
const MAX_INDEXES = 64;
/** Collections read at a time; with a small connection pool, more of them could time out waiting for a connection. */
const AT_ONCE = 8;

/** The stored indexes of the content types' collections. */
export async function storedIndexes({ db }: Store, schema: Schema): Promise<readonly StoredIndex[]> {
  const collections = [...new Set(desiredIndexes(schema).map(({ collection }) => collection))];
  const existing = new Set(await collectionNames(db));
  const gate = createGate({ atOnce: AT_ONCE, maxWaiting: Number.POSITIVE_INFINITY });
  const lists = collections.map(async (collection): Promise<StoredIndex[]> => {
    if (!existing.has(collection)) return [];
    const indexes = await runThrough(gate, () => db.collection(collection).listIndexes().toArray());
    return indexes.map(({ name, key, unique, partialFilterExpression }) => ({
      collection,
      name: String(name),
      keys: key,
      unique: unique === true,
      filter: partialFilterExpression ?? null,
    }));
  });
  return (await Promise.all(lists)).flat();
}

export const indexDrift = async (store: Store, schema: Schema): Promise<Drift> =>
  driftOf(schema, await storedIndexes(store, schema));

function driftOf(schema: Schema, stored: readonly StoredIndex[]): Drift {
  const desired = desiredIndexes(schema);
  const used = new Set<StoredIndex>();
  const missing: PlacedIndex[] = [];
  const changed: ChangedIndex[] = [];
  for (const index of desired) {
    const here = stored.filter(({ collection }) => collection === index.collection);
    const equal = here.find((found) => isSame(index, found));
    const other =
      equal ?? here.find(({ name }) => name === index.name) ?? here.find((found) => bars(index, found));
    if (other) used.add(other);
    if (!other) missing.push(index);
    else if (!equal) changed.push({ ...index, stored: other.name });
  }
  return {
    missing,
    changed,
    extra: stored.filter(
      (index) => index.name !== '_id_' && !index.collection.startsWith('mangrove.') && !used.has(index),
    ),
  };
}

/** The same index, whatever its name. */
const isSame = (index: PlacedIndex, found: StoredIndex): boolean =>
  bars(index, found) && (index.options.unique ?? false) === found.unique;

/**
 * Whether `found` prevents the creation of an index with the same keys and filter (MongoDB's
 * `IndexOptionsConflict`).
 */
const bars = ({ keys, options }: PlacedIndex, found: StoredIndex): boolean =>
  JSON.stringify(Object.entries(keys)) ===
    JSON.stringify(Object.entries(found.keys).map(([path, way]) => [path, Number(way)])) &&
  filterText(options.partialFilterExpression ?? null) === filterText(found.filter);

const filterText = (filter: Document | null): string =>
  filter === null ? '' : BSON.EJSON.stringify(filter, { relaxed: true });

/** Errors for collections that would need more indexes than MongoDB allows. */
export const crowded = (schema: Schema): readonly string[] =>
  [...byCollection(desiredIndexes(schema))]
    .map(([collection, indexes]) => ({ collection, count: indexes.length + 1 }))
    .filter(({ count }) => count > MAX_INDEXES)
    .map(
      ({ collection, count }) =>
        `The schema requires ${count} indexes on ${collection}, and a collection can have at most ${MAX_INDEXES}; each relation, media attribute, unique attribute and entry in indexes needs one.`,
    );

/** The stored content or the server does not allow the indexes. */
export class IndexError extends Error {}

/**
 * Creates indexes, those of one collection with one command, so that its documents are scanned once. Throws
 * `IndexError` if stored values are not unique.
 */
export async function makeIndexes(store: Store, indexes: readonly PlacedIndex[]): Promise<void> {
  for (const [collection, list] of byCollection(indexes)) {
    try {
      await create(store, collection, list);
    } catch (error) {
      if (!isDuplicateValue(error) || list.length === 1) throw refusal(error, list);
      // One of them failed; creating each separately shows which.
      for (const index of list)
        await create(store, collection, [index]).catch((cause: unknown) => {
          throw refusal(cause, [index]);
        });
    }
  }
}

/** Replaces a conflicting index with the required one. */
export async function replaceIndex(store: Store, index: ChangedIndex): Promise<void> {
  await store.db.collection(index.collection).dropIndex(index.stored);
  await makeIndexes(store, [index]);
}

const create = ({ db }: Store, collection: string, indexes: readonly PlacedIndex[]): Promise<unknown> =>
  db
    .collection(collection)
    .createIndexes(indexes.map(({ keys, options, name }) => ({ key: { ...keys }, ...options, name })));

const byCollection = (indexes: readonly PlacedIndex[]): ReadonlyMap<string, readonly PlacedIndex[]> =>
  groupBy(indexes, ({ collection }) => collection);

function refusal(error: unknown, indexes: readonly PlacedIndex[]): unknown {
  const [index] = indexes;
  if (!isDuplicateValue(error) || !index?.options.unique) return error;
  const paths = Object.keys(index.keys).join(', ');
  return new IndexError(
    `${index.collection} contains entries with the same ${paths}, so ${index.name} cannot be unique`,
  );
}

/** Building indexes on a collection with more entries than this is reported. */
const LARGE = 100_000;

/**
 * Creates the missing indexes. Reports an event through `record` before it builds indexes on a large
 * collection, to explain a slow start. Changed and extra indexes are left to `mangrove indexes sync`.
 */
export async function ensureIndexes(
  store: Store,
  schema: Schema,
  record: RecordEvent = () => undefined,
  large = LARGE,
): Promise<void> {
  const problems = crowded(schema);
  if (problems.length > 0) throw new IndexError(problems.join('\n'));
  const stored = await storedIndexes(store, schema);
  const existing = new Set(stored.map(({ collection }) => collection));
  const { missing } = driftOf(schema, stored);
  for (const [collection, indexes] of byCollection(missing)) {
    const size = existing.has(collection)
      ? await store.db.collection(collection).estimatedDocumentCount()
      : 0;
    const names = indexes.map(({ name }) => name);
    if (size > large) record({ name: 'indexes-building', indexes: names, collection, entries: size });
    await makeIndexes(store, indexes);
  }
}
