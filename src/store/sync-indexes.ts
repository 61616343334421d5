import { MongoServerError } from 'mongodb';
import type { Schema } from '../schema/types.js';
import type { Store } from './client.js';
import { desiredIndexes, type PlacedIndex } from './indexes.js';

/** An index as a server lists it. */
export interface StoredIndex {
  readonly collection: string;
  readonly name: string;
  readonly keys: Readonly<Record<string, unknown>>;
  readonly unique: boolean;
}

/** How the indexes of a database differ from what the schemas ask for. */
export interface Drift {
  readonly missing: readonly PlacedIndex[];
  /** Of a wanted name, but with other keys or not unique where it should be. */
  readonly changed: readonly PlacedIndex[];
  /** In a collection of the project's own, asked for by no schema: made by hand, or by an older schema. Never dropped by itself. */
  readonly extra: readonly StoredIndex[];
}

/** The indexes of the content types' collections. */
export async function storedIndexes({ db }: Store, schema: Schema): Promise<readonly StoredIndex[]> {
  const collections = [...new Set(desiredIndexes(schema).map(({ collection }) => collection))];
  const found = await db.listCollections({}, { nameOnly: true }).toArray();
  const existing = new Set(found.map(({ name }) => name));
  const lists = collections.map(async (collection): Promise<StoredIndex[]> => {
    if (!existing.has(collection)) return [];
    const indexes = await db.collection(collection).listIndexes().toArray();
    return indexes.map(({ name, key, unique }) => ({
      collection,
      name: String(name),
      keys: key as StoredIndex['keys'],
      unique: unique === true,
    }));
  });
  return (await Promise.all(lists)).flat();
}

export async function indexDrift(store: Store, schema: Schema): Promise<Drift> {
  const desired = desiredIndexes(schema);
  const wanted = new Set(desired.map(keyOf));
  const stored = await storedIndexes(store, schema);
  const known = new Map(stored.map((index) => [keyOf(index), index]));
  return {
    missing: desired.filter((index) => !known.has(keyOf(index))),
    changed: desired.filter((index) => {
      const found = known.get(keyOf(index));
      return found !== undefined && !sameIndex(index, found);
    }),
    extra: stored.filter(
      (index) =>
        index.name !== '_id_' && !index.collection.startsWith('mangrove.') && !wanted.has(keyOf(index)),
    ),
  };
}

const keyOf = ({ collection, name }: { collection: string; name: string }): string => `${collection} ${name}`;

const sameIndex = ({ keys, options }: PlacedIndex, found: StoredIndex): boolean =>
  (options.unique ?? false) === found.unique &&
  JSON.stringify(Object.entries(keys)) ===
    JSON.stringify(Object.entries(found.keys).map(([path, way]) => [path, Number(way)]));

/** An index that the stored content does not allow. */
export class IndexError extends Error {}

/** Makes one index, replacing one of its name that is another. Throws `IndexError` where stored values are not unique. */
export async function makeIndex({ db }: Store, index: PlacedIndex, replace: boolean): Promise<void> {
  const collection = db.collection(index.collection);
  try {
    if (replace) await collection.dropIndex(index.name);
    await collection.createIndex(index.keys, { ...index.options, name: index.name });
  } catch (error) {
    if (!(error instanceof MongoServerError) || !DUPLICATES.has(Number(error.code)) || !index.options.unique)
      throw error;
    const paths = Object.keys(index.keys).join(', ');
    throw new IndexError(
      `${index.collection} holds entries with the same ${paths}, so ${index.name} cannot be unique`,
    );
  }
}

/** Duplicate values, in the codes of several servers (some answer with their general error). */
const DUPLICATES = new Set([1, 11000, 11001]);

/** A collection with more entries than this is told of before an index is built over it. */
const LARGE = 100_000;

/**
 * Makes what is missing. `say` gets a line before an index is built over a large collection, so that a start that takes long
 * says why. Changed and extra indexes stay as they are: `mangrove indexes sync` is for them.
 */
export async function ensureIndexes(
  store: Store,
  schema: Schema,
  say: (line: string) => void = (line) => void process.stderr.write(`${line}\n`),
  large = LARGE,
): Promise<void> {
  const { missing } = await indexDrift(store, schema);
  const sizes = new Map<string, number>();
  for (const index of missing) {
    const { collection, name } = index;
    const size = sizes.get(collection) ?? (await store.db.collection(collection).estimatedDocumentCount());
    sizes.set(collection, size);
    if (size > large) say(`Building index ${name} over the ${size} entries of ${collection}`);
    await makeIndex(store, index, false);
  }
}
