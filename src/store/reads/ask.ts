/** A page asked of the server: its rows as the bytes that came, each made into what the caller works with. */
import { BSON, type Document, MongoNetworkError, MongoServerError } from 'mongodb';
import { type Budget, byteCounter, LARGE } from '../../limits/budget.js';
import { nextTurn } from '../../limits/turns.js';
import { collectionName } from '../../pipeline/collection.js';
import type { Doc, Source } from '../../pipeline/types.js';
import { AS_STORED } from '../../values/bson.js';
import { collectionOf, databaseOf } from '../connection/collections.js';
import type { Store } from '../connection/store.js';
import { isUnavailable } from '../connection/unavailable.js';
import { inTurn } from './in-turn.js';
import { rawBatch } from './raw-batch.js';
import { isLate, readOptions } from './read-options.js';

/** Rows that are asked for in one answer; a longer page, or one over 16 MB, comes by a cursor. */
const ONE_ANSWER = 1000;

export interface Page {
  readonly store: Store;
  readonly source: Source;
  readonly stages: Document[];
  /** How many rows there may be; null: any number. */
  readonly limit: number | null;
  /** The rows, asked for as others ask for them, too, or else as this page asks `alone`. */
  readonly together: (limit: number, alone: AskAlone) => ReturnType<AskAlone>;
}

/** Asks for a page in one command. Null: a cursor has to bring it. */
export type AskAlone = () => Promise<readonly Uint8Array[] | null>;

export const toObject = (row: Uint8Array): Doc => BSON.deserialize(row, AS_STORED);

/** The rows of a page. Throws a 400 where they are more bytes than the request may read. */
export const askRows = <T>(page: Page, make: (row: Uint8Array) => T): Promise<readonly T[]> =>
  inTurn(page.store, () => takeRows(page, make));

async function takeRows<T>(page: Page, make: (row: Uint8Array) => T): Promise<readonly T[]> {
  const { limit, store } = page;
  const take = taker(store.budget);
  const made: T[] = [];
  const add = async (rows: readonly Uint8Array[]): Promise<void> => {
    for (const row of rows) {
      // One that holds a whole page takes long: others go first.
      if (take(row)) await nextTurn();
      made.push(make(row));
    }
  };
  const isShort = limit !== null && limit <= ONE_ANSWER;
  const rows = isShort ? await page.together(limit, () => askAtOnce(page, limit)) : null;
  if (rows) await add(rows);
  else await askByCursor(page, add);
  return made;
}

/** Counts the bytes of a row; true where they are many. */
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
 * One command, without a cursor around it: half of what the driver does for a small answer. Null: the rows did not fit in one answer, or
 * the server was not reached, and the driver knows better how to go on.
 */
export async function askAtOnce(
  { store, source, stages }: Pick<Page, 'store' | 'source' | 'stages'>,
  limit: number,
): Promise<readonly Uint8Array[] | null> {
  const { session, signal, maxTimeMS, allowDiskUse } = readOptions(store);
  const database = databaseOf(store, source.type);
  const { readPreference, readConcern } = database;
  const command = {
    aggregate: collectionName(source.type, source.status),
    pipeline: stages,
    // One more than there are, so that the server knows that it is done.
    cursor: { batchSize: limit + 1 },
    maxTimeMS,
    allowDiskUse,
    ...(readConcern && { readConcern: readConcern.toJSON() }),
  };
  try {
    const reply = await database.command(command, {
      raw: true,
      ...(readPreference && { readPreference }),
      ...(session && { session }),
      ...(signal && { signal }),
    });
    const { id, rows } = rawBatch(reply['cursor']);
    return id === 0n ? rows : null;
  } catch (error) {
    if (isWorthAnotherTry(error) && !signal?.aborted) return null;
    throw error;
  }
}

/** The server did not answer, or is not the one to ask any more: reads by a cursor are tried again by the driver. */
const isWorthAnotherTry = (error: unknown): boolean =>
  isUnavailable(error) &&
  (error instanceof MongoNetworkError || error instanceof MongoServerError) &&
  !isLate(error);

async function askByCursor(
  { store, source, stages }: Page,
  add: (rows: readonly Uint8Array[]) => Promise<void>,
): Promise<void> {
  const cursor = collectionOf(store, source).aggregate<Uint8Array>(stages, {
    ...readOptions(store),
    raw: true,
  });
  try {
    while (await cursor.hasNext()) {
      store.budget?.signal.throwIfAborted();
      await add(cursor.readBufferedDocuments());
    }
  } finally {
    await cursor.close();
  }
}
