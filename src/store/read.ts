import { assemble } from '../pipeline/assemble.js';
import { fillSlots } from '../pipeline/slots.js';
import type { CompiledRead, Doc, ReadForm } from '../pipeline/types.js';
import type { Store } from './client.js';
import { collectionOf } from './collections.js';
import { asRefusal, isTooLarge, readOptions } from './read-options.js';
import { resolveJoins, type SlotValues, TooManyValues } from './resolve-joins.js';

/** Ids that a filter through a relation may hold; above, it is done by `$lookup`. */
export const MOST_IDS = 10_000;

export interface ReadResult {
  readonly rows: readonly Doc[];
  /** All entries that match; null where the read does not ask. */
  readonly total: number | null;
}

export interface RunOptions {
  /** The document asked for, where the plan reads one. */
  readonly documentId?: string | null;
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
    const page = async (): Promise<readonly Doc[]> => {
      const rows = await collectionOf(store, read.source)
        .aggregate([...fillSlots(read.stages, valueFor)], readOptions(store))
        .toArray();
      return read.setJoins.length === 0 ? rows : assemble(rows, read.setJoins);
    };
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
function totalOf({ skip, limit }: CompiledRead, rows: readonly Doc[]): number | null {
  const last = limit === null || rows.length < limit;
  return last && (rows.length > 0 || skip === 0) ? skip + rows.length : null;
}

/** Reads that were too large for their form, with what took their place: the next run does not try again. */
const settled = new WeakMap<CompiledRead, CompiledRead>();

/** Runs `run` with what the semi-joins of a read found, and in the form of the read that this takes. */
export async function withJoins<T>(
  store: Store,
  compiled: CompiledRead,
  { documentId = null, mostIds = MOST_IDS }: RunOptions,
  run: (read: CompiledRead, valueFor: SlotValues) => Promise<T>,
): Promise<T> {
  let read = settled.get(compiled) ?? compiled;
  for (;;) {
    try {
      return await run(read, await resolveJoins(store, read, documentId, mostIds));
    } catch (error) {
      const form = formAfter(error, read);
      if (form === null) throw asRefusal(error, store);
      read = read.inForm(form);
      settled.set(compiled, read);
    }
  }
}

/** The form that a read is tried in next; null where no other would help. */
function formAfter(error: unknown, { form, setJoins }: CompiledRead): ReadForm | null {
  if (error instanceof TooManyValues)
    return { ...form, byLookup: new Set([...form.byLookup, ...error.numbers]) };
  return setJoins.length > 0 && isTooLarge(error) ? { ...form, populate: 'rows' } : null;
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
