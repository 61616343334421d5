import { MongoClient } from 'mongodb';
import { namesIn } from '../connection/collections.js';
import { databaseIn } from '../connection/deployment.js';
import { anyFilter } from '../connection/filter.js';

export type ForeignDocument = Readonly<Record<string, unknown>>;

/** A document and the collection that it belongs to. */
export interface PlacedDocument {
  readonly collection: string;
  readonly document: ForeignDocument;
}

/** A database of another program, which is only read. 64-bit integers come as `bigint`. */
export interface ForeignDatabase {
  /** Host and database, without a password. */
  readonly name: string;
  collections(): Promise<readonly string[]>;
  count(collection: string): Promise<number>;
  /** Every document, in the order in which the collection holds them. */
  all(collection: string): AsyncIterable<ForeignDocument>;
  /** Those with these `_id`s, in no order; `idsOnly` leaves their other fields out. */
  byIds(collection: string, ids: readonly unknown[], idsOnly?: boolean): Promise<readonly ForeignDocument[]>;
  close(): Promise<void>;
}

/**
 * Opens a database to read from.
 * @param database the one to read; null: the one that the address names, else `strapi`, which is Strapi 3's default
 * @throws what the driver says where no server answers
 */
export async function openForeign(uri: string, database: string | null = null): Promise<ForeignDatabase> {
  const client = new MongoClient(uri, {
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
    collections: async () => (await namesIn(db)).filter((name) => !name.startsWith('system.')).sort(),
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
