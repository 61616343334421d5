/** Inspects collections of other programs: their structure and sample documents. Writes nothing. */
import { BSON, type CollectionInfo, type Db, type Document } from 'mongodb';
import { storedAs } from '../../pipeline/sources/stored.js';
import type { ContentType } from '../../schema/types.js';
import { collectionOf } from '../connection/collections.js';
import { RAW_ROWS } from '../connection/raw-rows.js';
import type { Store } from '../connection/store.js';

export interface CollectionFacts {
  readonly name: string;
  readonly type: 'collection' | 'view' | 'timeseries';
  /** The collection or view whose documents a view shows. */
  readonly viewOn: string | null;
  readonly capped: boolean;
  readonly sharded: boolean;
  readonly count: number;
  /** `$jsonSchema` of the validator; null if there is none. */
  readonly jsonSchema: Document | null;
  readonly indexes: readonly {
    readonly keys: Document;
    readonly unique: boolean;
    readonly partial: boolean;
  }[];
}

export interface Sampled {
  /** Whether these are all documents; known once they have been read. */
  readonly whole: boolean;
  readonly documents: AsyncIterable<Document>;
}

/** Limits of a sample, in documents and bytes. */
const MAX_DOCUMENTS = 10_000;
const MAX_BYTES = 256 * 1024 * 1024;

/** The collections of a database, by name, except those of the server and of Mangrove. */
export async function collectionFacts(db: Db, wanted: (name: string) => boolean): Promise<CollectionFacts[]> {
  const listed = await db.listCollections<CollectionInfo>().toArray();
  const names = listed.filter(({ name }) => !/^(system|mangrove)\./.test(name) && wanted(name));
  return Promise.all(names.sort((a, b) => (a.name < b.name ? -1 : 1)).map((info) => factsOf(db, info)));
}

async function factsOf(db: Db, info: CollectionInfo): Promise<CollectionFacts> {
  const { name, type } = info;
  const isView = type === 'view';
  const [count, indexes, sharded] = await Promise.all([
    isView ? countUpTo(db, name, MAX_DOCUMENTS + 1) : db.collection(name).estimatedDocumentCount(),
    isView ? [] : db.collection(name).indexes(),
    isView ? false : isSharded(db, name),
  ]);
  return factsFrom(info, { count, indexes, sharded });
}

interface Counted {
  readonly count: number;
  readonly sharded: boolean;
  readonly indexes: readonly Document[];
}

/** Combines a collection's entry in `listCollections` with the results of further queries. */
export function factsFrom(
  { name, type, options = {} }: Document,
  { count, sharded, indexes }: Counted,
): CollectionFacts {
  return {
    name,
    type: type === 'view' || type === 'timeseries' ? type : 'collection',
    viewOn: type === 'view' && typeof options.viewOn === 'string' ? options.viewOn : null,
    capped: options.capped === true,
    sharded,
    count,
    jsonSchema: options.validator?.$jsonSchema ?? null,
    indexes: indexes.map(({ key, unique, partialFilterExpression }) => ({
      keys: key,
      unique: unique === true,
      partial: partialFilterExpression !== undefined,
    })),
  };
}

async function countUpTo(db: Db, name: string, limit: number): Promise<number> {
  const [row] = await db
    .collection(name)
    .aggregate([{ $limit: limit }, { $count: 'n' }])
    .toArray();
  return Number(row?.['n'] ?? 0);
}

/** Servers without sharding, or that do not report it, have no sharded collections. */
const isSharded = async (db: Db, name: string): Promise<boolean> =>
  db.command({ collStats: name }).then(
    ({ sharded }) => sharded === true,
    () => false,
  );

/** All documents of a small collection, or a random 10,000 of a large one; values keep their BSON types. */
export function sampleOf(
  db: Db,
  { name, count, type }: CollectionFacts,
  maxBytes: number = MAX_BYTES,
): Sampled {
  let whole = count <= MAX_DOCUMENTS;
  const stages = whole ? [{ $limit: MAX_DOCUMENTS }] : [{ $sample: { size: MAX_DOCUMENTS } }];
  async function* documents(): AsyncGenerator<Document> {
    let bytes = 0;
    const cursor = db.collection(name).aggregate<Uint8Array>(stages, { ...RAW_ROWS, allowDiskUse: true });
    try {
      for await (const row of cursor) {
        bytes += row.byteLength;
        yield BSON.deserialize(row, {
          promoteValues: false,
          bsonRegExp: true,
          validation: { utf8: false },
        });
        if (bytes > maxBytes) {
          whole = false;
          return;
        }
      }
    } finally {
      await cursor.close();
    }
  }
  return {
    get whole() {
      return whole && type === 'collection';
    },
    documents: documents(),
  };
}

/** Collections up to this size are searched without an index. */
const SMALL = 10_000;

export interface Probe {
  /** How many of the values exist, each counted once. */
  readonly found: number;
}

/**
 * Counts how many of these values a field has; null if no index supports the search and the collection is too
 * large to scan.
 */
export async function probe(
  db: Db,
  target: CollectionFacts,
  path: string,
  values: readonly unknown[],
): Promise<Probe | null> {
  const indexed = path === '_id' || target.indexes.some(({ keys }) => Object.keys(keys)[0] === path);
  if (!indexed && target.count > SMALL) return null;
  const rows = await db
    .collection(target.name)
    .aggregate([{ $match: { [path]: { $in: values } } }, { $group: { _id: `$${path}` } }, { $count: 'n' }])
    .toArray();
  return { found: Number(rows[0]?.['n'] ?? 0) };
}

type Keys = Readonly<Record<string, 1 | -1>>;

/**
 * The indexes of an adopted collection, by their keys. The indexes of a view belong to its source and are not
 * listed.
 */
export async function adoptedIndexes(
  store: Store,
  type: ContentType,
): Promise<{ readonly database: string; readonly indexes: readonly Keys[] }> {
  const collection = collectionOf(store, storedAs(type, 'published'));
  const indexes = await collection.indexes().catch(() => []);
  return { database: collection.dbName, indexes: indexes.map(({ key }) => key as Keys) };
}
