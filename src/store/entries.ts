import type { Db, Document, Filter } from 'mongodb';
import type { Entry } from './changes.js';
import { isUnavailable } from './unavailable.js';

export type EntryFilter = Readonly<Record<string, unknown>>;

export interface EntryOptions {
  /** What is sent, beside `_id`; null: all. */
  readonly fields?: readonly string[] | null;
  /** Ends the reading. */
  readonly signal?: AbortSignal;
}

interface EntryQuery extends EntryOptions {
  readonly collection: string;
  readonly filter: EntryFilter;
}

/** Entries of one answer: as many as a cursor's first batch would have. */
const ONE_ANSWER = 101;

/**
 * Entries as they are stored, for the writers. 64-bit integers stay `Long`, so that a value that is read and written again keeps
 * its BSON type.
 */
export async function readEntries(
  db: Db,
  collection: string,
  filter: EntryFilter,
  options: EntryOptions = {},
): Promise<Entry[]> {
  const query = { ...options, collection, filter };
  return (await readAtOnce(db, query)) ?? (await readByCursor(db, query));
}

const optionsOf = ({ fields = null, signal }: EntryOptions) => ({
  projection: fields && Object.fromEntries(fields.map((field) => [field, 1])),
  reading: { promoteLongs: false, ...(signal && { signal }) },
});

/**
 * One command without a cursor around it, which is most of what the driver does for a few entries. Null: there are more, or the server
 * could not be asked, which the driver tries again with a cursor.
 */
async function readAtOnce(db: Db, query: EntryQuery): Promise<Entry[] | null> {
  const { collection, filter, signal } = query;
  const { projection, reading } = optionsOf(query);
  const { readPreference, readConcern } = db;
  const command = {
    find: collection,
    filter,
    ...(projection && { projection }),
    batchSize: ONE_ANSWER,
    ...(readConcern && { readConcern: readConcern.toJSON() }),
  };
  try {
    const { cursor } = await db.command(command, { ...reading, ...(readPreference && { readPreference }) });
    if (Number(cursor.id) === 0) return cursor.firstBatch;
    await db.command({ killCursors: collection, cursors: [cursor.id] }).catch(() => undefined);
    return null;
  } catch (error) {
    if (isUnavailable(error) && !signal?.aborted) return null;
    throw error;
  }
}

function readByCursor(db: Db, query: EntryQuery): Promise<Entry[]> {
  const { projection, reading } = optionsOf(query);
  return db
    .collection(query.collection)
    .find(query.filter as Filter<Document>, { ...reading, ...(projection && { projection }) })
    .toArray();
}

/** The greatest numeric `id` in a collection; 0 where it is empty. */
export async function highestId(db: Db, collection: string): Promise<number> {
  const [last] = await db
    .collection(collection)
    .find({}, { projection: { id: 1 } })
    .sort({ id: -1 })
    .limit(1)
    .toArray();
  return Number(last?.['id'] ?? 0) || 0;
}
