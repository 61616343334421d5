import type { Document } from 'mongodb';
import { fillSlots } from '../pipeline/slots.js';
import type { CompiledRead } from '../pipeline/types.js';
import type { Store } from './client.js';
import { collectionOf } from './collections.js';
import { asRefusal, readOptions } from './read-options.js';
import { resolveJoins, type SlotValues, TooManyValues } from './resolve-joins.js';

/** Ids that a filter through a relation may hold; above, it is done by `$lookup`. */
export const MOST_IDS = 10_000;

export interface ReadResult {
  readonly rows: readonly Document[];
  /** All entries that match; null where the read does not ask. */
  readonly total: number | null;
}

export interface RunOptions {
  /** The document asked for, where the plan reads one. */
  readonly documentId?: string | null;
  /** The same plan compiled with some semi-joins done by `$lookup`; see `compileRead`. */
  readonly recompile?: (byLookup: ReadonlySet<number>) => CompiledRead;
  readonly mostIds?: number;
  /** What runs of reads of this kind learn from each other. */
  readonly habit?: Habit;
}

/**
 * Whether the last page of a kind of read was also the whole: then the next one is not counted beside its page, but after it, if
 * at all.
 */
export interface Habit {
  pageTells: boolean;
}

/** Runs a compiled read. Throws an `ApiError` where it takes longer than the store's `maxTimeMS`. */
export function runRead(store: Store, compiled: CompiledRead, options: RunOptions = {}): Promise<ReadResult> {
  const { habit = { pageTells: false } } = options;
  return withJoins(store, compiled, options, async (read, valueFor) => {
    const page = (): Promise<Document[]> =>
      collectionOf(store, read.source)
        .aggregate([...fillSlots(read.stages, valueFor)], readOptions(store))
        .toArray();
    if (!read.withTotal) return { rows: await page(), total: null };
    if (habit.pageTells) {
      const rows = await page();
      const told = totalOf(read, rows);
      habit.pageTells = told !== null;
      return { rows, total: told ?? (await countRows(store, read, valueFor)) };
    }
    const [rows, total] = await Promise.all([page(), countRows(store, read, valueFor)]);
    habit.pageTells = totalOf(read, rows) !== null;
    return { rows, total: totalOf(read, rows) ?? total };
  });
}

/** How many entries a compiled read matches, whatever its page. */
export const runCount = (store: Store, compiled: CompiledRead, options: RunOptions = {}): Promise<number> =>
  withJoins(store, compiled, options, (read, valueFor) => countRows(store, read, valueFor));

/** The total, where the page itself tells it. */
function totalOf({ skip, limit }: CompiledRead, rows: readonly Document[]): number | null {
  const last = limit === null || rows.length < limit;
  return last && (rows.length > 0 || skip === 0) ? skip + rows.length : null;
}

/** Reads that once had too many ids, with what took their place: the next run does not try again. */
const widened = new WeakMap<CompiledRead, CompiledRead>();

/** Runs `run` with what the semi-joins of a read found, and with the form of the read that this takes. */
export async function withJoins<T>(
  store: Store,
  compiled: CompiledRead,
  { documentId = null, recompile, mostIds = MOST_IDS }: RunOptions,
  run: (read: CompiledRead, valueFor: SlotValues) => Promise<T>,
): Promise<T> {
  let read = widened.get(compiled) ?? compiled;
  const byLookup = new Set<number>();
  for (;;) {
    try {
      return await run(read, await resolveJoins(store, read, documentId, mostIds));
    } catch (error) {
      if (!(error instanceof TooManyValues) || !recompile) throw asRefusal(error, store);
      for (const number of error.numbers) byLookup.add(number);
      read = recompile(byLookup);
      widened.set(compiled, read);
    }
  }
}

async function countRows(store: Store, read: CompiledRead, valueFor: SlotValues): Promise<number> {
  const { source, counted } = read;
  const collection = collectionOf(store, source);
  const { maxTimeMS } = store;
  if (counted.length === 0 && store.exactMetadata) return collection.estimatedDocumentCount({ maxTimeMS });
  const [row] = await collection
    .aggregate([...fillSlots(counted, valueFor), { $count: 'n' }], { maxTimeMS })
    .toArray();
  // Of nothing, MongoDB answers with no row, others with a zero.
  return Number(row?.['n'] ?? 0);
}
