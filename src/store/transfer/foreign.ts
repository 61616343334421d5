import { MongoClient } from 'mongodb';
import { endingCommands } from '../connection/closed-sockets.js';
import { collectionNames } from '../connection/collections.js';
import { ALL_DECODED } from '../connection/decoding.js';
import { databaseIn } from '../connection/deployment.js';
import { anyFilter } from '../connection/filter.js';

export type ForeignDocument = Readonly<Record<string, unknown>>;

/** A document and its collection. */
export interface PlacedDocument {
  readonly collection: string;
  readonly document: ForeignDocument;
}

/** A database of another program, opened only for reading. 64-bit integers are read as `bigint`. */
export interface ForeignDatabase {
  /** Hosts and database, without credentials. */
  readonly name: string;
  collections(): Promise<readonly string[]>;
  count(collection: string): Promise<number>;
  /** All documents, in natural order. */
  all(collection: string): AsyncIterable<ForeignDocument>;
  /** The documents with these `_id`s, in any order; `idsOnly` omits their other fields. */
  byIds(collection: string, ids: readonly unknown[], idsOnly?: boolean): Promise<readonly ForeignDocument[]>;
  close(): Promise<void>;
}

/**
 * Opens a database for reading.
 * @param database null: the one in the URI, or else `strapi`, the default of Strapi 3
 * @throws MongoServerSelectionError if no server responds
 */
export async function openForeign(uri: string, database: string | null = null): Promise<ForeignDatabase> {
  const client = new MongoClient(uri, {
    ...ALL_DECODED,
    ...endingCommands(),
    useBigInt64: true,
    readPreference: 'primaryPreferred',
    retryWrites: false,
  });
  try {
    await client.connect();
  } catch (error) {
    await client.close();
    throw error;
  }
  const db = client.db(database ?? databaseIn(uri) ?? 'strapi');
  return {
    name: `${client.options.hosts.map(String).join(',')}/${db.databaseName}`,
    collections: async () => (await collectionNames(db)).filter((name) => !name.startsWith('system.')).sort(),
    count: (collection) => db.collection(collection).countDocuments(),
    all: (collection) => db.collection(collection).find({}, { batchSize: 500 }),
    byIds: (collection, ids, idsOnly = false) =>
      db
        .collection(collection)
        .find(anyFilter({ _id: { $in: [...ids] } }), idsOnly ? { projection: { _id: 1 } } : {})
        .toArray(),
    close: () => client.close(),
  };
}
