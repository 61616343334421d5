import type { Db, Document, Filter } from 'mongodb';
import type { Entry } from './changes.js';

export type EntryFilter = Readonly<Record<string, unknown>>;

export interface EntryOptions {
  /** What is sent, beside `_id`; null: all. */
  readonly fields?: readonly string[] | null;
  /** Ends the reading. */
  readonly signal?: AbortSignal;
}

/**
 * Entries as they are stored, for the writers. 64-bit integers stay `Long`, so that a value that is read and written again keeps
 * its BSON type.
 */
export function readEntries(
  db: Db,
  collection: string,
  filter: EntryFilter,
  { fields = null, signal }: EntryOptions = {},
): Promise<Entry[]> {
  return db
    .collection(collection)
    .find(filter as Filter<Document>, {
      promoteLongs: false,
      ...(signal && { signal }),
      ...(fields && { projection: Object.fromEntries(fields.map((field) => [field, 1])) }),
    })
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
