import { LRUCache } from 'lru-cache';
import { BSON, type Db, ObjectId } from 'mongodb';
import { isOn } from '../../limits/mechanisms.js';
import { collectionsOf } from '../../schema/stored/collections.js';
import type { ContentType } from '../../schema/types.js';
import { documentIdOf } from '../../values/bson-bytes.js';
import { groupBy } from '../../values/group.js';
import { idText } from '../../values/id-text.js';
import { oncePer } from '../../values/once-per.js';
import { objectAt } from '../../values/plain-object.js';
import { batchedLookup, batchPerTick } from '../connection/batch-per-tick.js';
import { anyFilter } from '../connection/filter.js';
import { type RawBatch, readFirstBatch } from '../connection/raw-rows.js';
import { isUnavailable } from '../connection/unavailable.js';
import type { Entry } from './changes.js';

export type EntryFilter = Readonly<Record<string, unknown>>;

export interface EntryOptions {
  /** The fields to return, besides `_id`; null: all. */
  readonly fields?: readonly string[] | null;
  /** The most entries to return. */
  readonly limit?: number;
  /** Cancels the read. */
  readonly signal?: AbortSignal;
}

interface EntryQuery extends EntryOptions {
  readonly collection: string;
  readonly filter: EntryFilter;
}

/** Maximum number of entries that one response returns: as many as a cursor's first batch. */
const ONE_ANSWER = 101;

/**
 * Reads entries for writes. 64-bit integers stay `Long`, so that a value that is read and written again keeps
 * its BSON type.
 */
export async function readEntries(
  db: Db,
  collection: string,
  filter: EntryFilter,
  options: EntryOptions = {},
): Promise<Entry[]> {
  const query = { ...options, collection, filter };
  return (
    (await readTogether(db, query)) ??
    (await readListsTogether(db, query)) ??
    (await readAtOnce(db, query)) ??
    (await readByCursor(db, query))
  );
}

/** Reads the stored versions of documents, as bytes. */
type EntriesOf = ReturnType<typeof batchedLookup<readonly Uint8Array[]>>;

/** By collection and by the other conditions of the filter. */
const gatherersOf = oncePer((_: Db) => new LRUCache<string, EntriesOf>({ max: 1000 }));

/**
 * Combines reads of single documents. Null if the query has to be sent individually. Each caller gets its own
 * objects.
 */
async function readTogether(db: Db, query: EntryQuery): Promise<Entry[] | null> {
  const { collection, filter, fields, signal } = query;
  const { documentId, ...rest } = filter;
  const isPlain = Object.values(rest).every((value) => value === null || typeof value === 'string');
  if (typeof documentId !== 'string' || fields || !isPlain || !isOn('writes together')) return null;
  const key = `${collection} ${JSON.stringify(rest)}`;
  const gatherers = gatherersOf(db);
  const entriesOf = gatherers.get(key) ?? newEntries(db, collection, rest);
  gatherers.set(key, entriesOf);
  const found = await entriesOf(documentId);
  signal?.throwIfAborted();
  return found && (found.value ?? []).map(toEntry);
}

const newEntries = (db: Db, collection: string, rest: EntryFilter): EntriesOf =>
  batchedLookup(async (documentIds) => {
    const filter = { documentId: { $in: documentIds }, ...rest };
    const { id, rows } = await firstBatch(db, { collection, filter });
    if (!id.isZero()) throw new RangeError('more than fits in one answer');
    return groupBy(rows, documentIdOf);
  });

/** Reads documents by `_id`, as bytes. */
type RowsOf = ReturnType<typeof batchPerTick<readonly unknown[], readonly Uint8Array[]>>;

/** By collection and fields. */
const listGatherersOf = oncePer((_: Db) => new LRUCache<string, RowsOf>({ max: 1000 }));

/** The same for reads of documents by a list of `_id`s, all of which are ObjectIds or strings: of others, several may be equal. */
async function readListsTogether(db: Db, query: EntryQuery): Promise<Entry[] | null> {
  const { collection, filter, fields, limit, signal } = query;
  const { _id, ...rest } = filter;
  const ids = objectAt(_id)['$in'];
  const isPlain =
    Array.isArray(ids) && ids.every(isNamed) && Object.keys(rest).length === 0 && limit === undefined;
  if (!isPlain || !isOn('writes together')) return null;
  const key = `${collection} ${fields?.join() ?? ''}`;
  const gatherers = listGatherersOf(db);
  const rowsOf = gatherers.get(key) ?? newLists(db, { collection, fields: fields ?? null });
  gatherers.set(key, rowsOf);
  const found = await rowsOf(ids);
  signal?.throwIfAborted();
  return found?.map(toEntry) ?? null;
}

const newLists = (db: Db, query: Pick<EntryQuery, 'collection' | 'fields'>): RowsOf =>
  batchPerTick(async (lists) => {
    const { id, rows } = await firstBatch(db, { ...query, filter: { _id: { $in: lists.flat() } } });
    if (!id.isZero()) throw new RangeError('more than fits in one answer');
    const byId = new Map(rows.map((row) => [idText(toEntry(row)['_id']), row]));
    return lists.map((ids) => [...new Set(ids.map(idText))].flatMap((name) => byId.get(name) ?? []));
  });

const isNamed = (id: unknown): boolean => typeof id === 'string' || id instanceof ObjectId;

/**
 * Reads the first batch without a driver cursor, which would be most of the cost for a few entries. Null if
 * there are more entries or the server is unavailable; the driver then retries with a cursor.
 */
async function readAtOnce(db: Db, query: EntryQuery): Promise<Entry[] | null> {
  const { collection, signal } = query;
  try {
    const { id, rows } = await firstBatch(db, query);
    if (id.isZero()) return rows.map(toEntry);
    await db.command({ killCursors: collection, cursors: [id] }).catch(() => undefined);
    return null;
  } catch (error) {
    if (isUnavailable(error) && !signal?.aborted) return null;
    throw error;
  }
}

async function firstBatch(db: Db, query: EntryQuery): Promise<RawBatch> {
  const { collection, filter, signal } = query;
  const { projection } = optionsOf(query);
  const { readPreference, readConcern } = db;
  const command = {
    find: collection,
    filter,
    ...(projection && { projection }),
    batchSize: ONE_ANSWER,
    ...(query.limit !== undefined && { limit: query.limit }),
    ...(readConcern && { readConcern: readConcern.toJSON() }),
  };
  const options = { ...(readPreference && { readPreference }), ...(signal && { signal }) };
  return readFirstBatch(db, command, options);
}

const toEntry = (row: Uint8Array): Entry => BSON.deserialize(row, { promoteLongs: false });

const optionsOf = ({ fields = null, limit, signal }: EntryOptions) => ({
  projection: fields && Object.fromEntries(fields.map((field) => [field, 1])),
  reading: { promoteLongs: false, ...(limit !== undefined && { limit }), ...(signal && { signal }) },
});

function readByCursor(db: Db, query: EntryQuery): Promise<Entry[]> {
  const { projection, reading } = optionsOf(query);
  return db
    .collection(query.collection)
    .find(anyFilter(query.filter), { ...reading, ...(projection && { projection }) })
    .toArray();
}

/** The greatest numeric `id` in a collection; 0 if it is empty. */
export async function highestId(db: Db, collection: string): Promise<number> {
  const [last] = await db
    .collection(collection)
    .find({}, { projection: { id: 1 } })
    .sort({ id: -1 })
    .limit(1)
    .toArray();
  return Number(last?.['id'] ?? 0) || 0;
}

/** The greatest numeric `id` in the collections of a content type. */
export const highestIdOf = async (db: Db, type: ContentType): Promise<number> =>
  Math.max(...(await Promise.all(collectionsOf(type).map((name) => highestId(db, name)))));
