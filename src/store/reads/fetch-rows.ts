/** Reads a page from the server: each row is converted from its bytes to the form that the caller needs. */
import { BSON, type Document, MongoNetworkError, MongoServerError } from 'mongodb';
import { type Budget, byteCounter, LARGE } from '../../limits/budget.js';
import { isOn } from '../../limits/mechanisms.js';
import { yieldToEventLoop } from '../../limits/yield.js';
import type { Doc, Source } from '../../pipeline/types.js';
import { AS_STORED } from '../../values/bson.js';
import { collectionOf, databaseOf } from '../connection/collections.js';
import { RAW_ROWS, readFirstBatch } from '../connection/raw-rows.js';
import { isUnavailable } from '../connection/unavailable.js';
import { isLate, readOptions } from './read-options.js';
import type { ReadScope } from './read-scope.js';
import { withReadSlot } from './read-slot.js';

/** Maximum number of rows in a single response; longer pages, and those over 16 MB, are read by a cursor. */
const ONE_ANSWER = 1000;

export interface PageOfRows {
  readonly scope: ReadScope;
  readonly source: Source;
  readonly stages: Document[];
  /** Maximum number of rows; null: no limit. */
  readonly limit: number | null;
  /** Reads the rows together with other requests or, if that is not possible, by `single`. */
  readonly together: (limit: number, single: Fetch) => ReturnType<Fetch>;
}

/** Reads a page by one command. Null if a cursor is needed. */
export type Fetch = () => Promise<readonly Uint8Array[] | null>;

export const toObject = (row: Uint8Array): Doc => BSON.deserialize(row, AS_STORED);

/** The rows of a page. Throws a 400 if they exceed the bytes that the request may read. */
export const fetchRows = <T>(page: PageOfRows, make: (row: Uint8Array) => T): Promise<readonly T[]> =>
  withReadSlot(page.scope, () => takeRows(page, make));

async function takeRows<T>(page: PageOfRows, make: (row: Uint8Array) => T): Promise<readonly T[]> {
  const { limit, scope } = page;
  const take = taker(scope.budget);
  const made: T[] = [];
  const add = async (rows: readonly Uint8Array[]): Promise<void> => {
    for (const row of rows) {
      // A row that contains a whole page takes long to process, so others go first.
      if (take(row)) await yieldToEventLoop();
      made.push(make(row));
    }
  };
  const isShort = limit !== null && limit <= ONE_ANSWER && isOn('reads without a cursor');
  const rows = isShort ? await page.together(limit, () => fetchBatch(page, limit)) : null;
  if (rows) await add(rows);
  else await fetchByCursor(page, add);
  return made;
}

/** Counts the bytes of a row; true if it is large. */
function taker(budget: Budget | undefined): (row: Uint8Array) => boolean {
  if (!budget) return () => false;
  const count = byteCounter(budget);
  return ({ byteLength }) => {
    budget.signal.throwIfAborted();
    count(byteLength);
    return byteLength > LARGE;
  };
}

/**
 * Reads a page by one command without a driver cursor, which halves the driver's work for a small response.
 * Null if the rows did not fit in one response, or the server could not be reached and the driver should
 * retry with a cursor.
 */
export async function fetchBatch(
  {
    scope,
    source,
    stages,
    hint,
  }: Pick<PageOfRows, 'scope' | 'source' | 'stages'> & { readonly hint?: string },
  limit: number,
): Promise<readonly Uint8Array[] | null> {
  const { session, signal, maxTimeMS, allowDiskUse } = readOptions(scope);
  const database = databaseOf(scope.store, source.type);
  const { readPreference, readConcern } = database;
  const command = {
    aggregate: source.collection,
    pipeline: stages,
    // One more than the limit, so that the server knows that the result is complete.
    cursor: { batchSize: limit + 1 },
    maxTimeMS,
    allowDiskUse,
    ...(hint && { hint }),
    ...(readConcern && { readConcern: readConcern.toJSON() }),
  };
  try {
    const { id, rows } = await readFirstBatch(database, command, {
      ...(readPreference && { readPreference }),
      ...(session && { session }),
      ...(signal && { signal }),
    });
    return id.isZero() ? rows : null;
  } catch (error) {
    if (isWorthAnotherTry(error) && !signal?.aborted) return null;
    throw error;
  }
}

/** Whether the server failed in a way for which the driver retries reads with a cursor. */
const isWorthAnotherTry = (error: unknown): boolean =>
  isUnavailable(error) &&
  (error instanceof MongoNetworkError || error instanceof MongoServerError) &&
  !isLate(error);

async function fetchByCursor(
  { scope, source, stages }: PageOfRows,
  add: (rows: readonly Uint8Array[]) => Promise<void>,
): Promise<void> {
  const cursor = collectionOf(scope.store, source).aggregate<Uint8Array>(stages, {
    ...readOptions(scope),
    ...RAW_ROWS,
  });
  try {
    while (await cursor.hasNext()) {
      scope.budget?.signal.throwIfAborted();
      await add(cursor.readBufferedDocuments());
    }
  } finally {
    await cursor.close();
  }
}
