import { type Budget, overBudget } from '../../limits/budget.js';
import { isOn } from '../../limits/mechanisms.js';
import { assemble } from '../../pipeline/populate/assemble.js';
import { fillSlots } from '../../pipeline/slots.js';
import { idsInOrder } from '../../pipeline/sorts/ordering.js';
import type { CompiledRead, Doc, Ordering, ReadForm, SetJoin, Stage } from '../../pipeline/types.js';
import { collectionOf } from '../connection/collections.js';
import type { Store } from '../connection/store.js';
import { fetchRows, type PageOfRows, toObject } from './fetch-rows.js';
import { fetchSimilar, similarRead } from './fetch-similar.js';
import { fetchTogether } from './fetch-together.js';
import { asRefusal, isCursorLost, isTooLarge, readOptions } from './read-options.js';
import { type ReadScope, scopeFor } from './read-scope.js';
import { withReadSlot } from './read-slot.js';
import { type RunParams, resolveJoins, type SlotValues, TooManyValues } from './resolve-joins.js';
import { countsByMetadata, exactTotal, type Total, totalWithin } from './totals.js';

/** Maximum size of a document, in bytes. */
const MAX_DOCUMENT = 16 * 1024 * 1024;

export interface ReadResult {
  readonly rows: readonly Doc[];
  /** Number of all matching entries; null if the read does not request it. */
  readonly total: number | null;
  /** The total is older than the page or a lower bound, because counting took too long. */
  readonly inexact?: true;
}

/**
 * Converts rows to another form than objects. Values stored by other programs are converted to their response
 * form.
 */
export interface RowReader {
  row(bytes: Uint8Array): Doc;
  /** Converts the single document of a read in sets. */
  lists(bytes: Uint8Array, joins: readonly SetJoin[]): Doc;
}

interface RunOptions extends RunParams {
  /** If absent, rows become objects. */
  readonly reader?: RowReader;
  /** Shared by the runs of similar reads. */
  readonly counting?: CountStrategy;
}

/**
 * Whether the last page of a similar read contained all entries. If so, the next page is not counted in
 * parallel, but only if it turns out to be necessary.
 */
export interface CountStrategy {
  canSkipCount: boolean;
}

/** Runs a compiled read. Throws an `ApiError` if it takes longer than the store's `maxTimeMS`. */
export function runRead(
  given: ReadScope,
  compiled: CompiledRead,
  options: RunOptions = {},
): Promise<ReadResult> {
  const scope = scopeFor(given, compiled.source.type);
  const { counting = { canSkipCount: false }, documentId = null, reader } = options;
  return withJoins(scope, compiled, options, async (read, valueFor) => {
    const run = { scope, read, valueFor, reader, documentId };
    if (read.ordering) return runOrdered(run);
    const page = () => pageOf(run);
    if (!read.withTotal) return { rows: await page(), total: null };
    const total = () => totalWithin(scope, read, valueFor);
    if (!counting.canSkipCount || !isOn('count strategy')) {
      const [rows, found] = await Promise.all([page(), total()]);
      counting.canSkipCount = totalFromPage(read, rows) !== null;
      return withTotal(read, rows, found);
    }
    const rows = await page();
    counting.canSkipCount = totalFromPage(read, rows) !== null;
    return withTotal(read, rows, counting.canSkipCount ? null : await total());
  });
}

/** A read whose semi-joins are resolved. */
interface Run {
  readonly scope: ReadScope;
  readonly read: CompiledRead;
  readonly valueFor: SlotValues;
  readonly reader: RowReader | undefined;
  readonly documentId: string | null;
}

/**
 * A total that follows from the page is exact. If counting took too long, the total is a lower bound from the
 * page.
 */
function withTotal(read: CompiledRead, rows: readonly Doc[], found: Total | null): ReadResult {
  const total = totalFromPage(read, rows);
  if (total !== null) return { rows, total };
  const least = read.skip + rows.length + (rows.length === read.limit ? 1 : 0);
  if (found?.exact) return { rows, total: found.count };
  return { rows, total: Math.max(found?.count ?? 0, least), inexact: true };
}

async function pageOf(run: Run, valueFor: SlotValues = run.valueFor): Promise<readonly Doc[]> {
  const { scope, read, reader, documentId } = run;
  const { setJoins } = read;
  const inSets = setJoins.length > 0;
  const asRow = reader ? (inSets ? (row: Uint8Array) => reader.lists(row, setJoins) : reader.row) : toObject;
  const limit = inSets ? 1 : read.limit;
  const stages = [...fillSlots(read.stages, valueFor)];
  const similar = documentId === null && !inSets ? similarRead(read.source, stages) : null;
  const together: PageOfRows['together'] = (limit, single) =>
    similar
      ? fetchSimilar({ scope, similar }, single).then((rows) => rows?.slice(0, limit) ?? null)
      : documentId === null
        ? single()
        : fetchTogether({ scope, read, documentId }, single);
  const rows = await fetchRows({ scope, source: read.source, stages, limit, together }, asRow);
  return inSets ? assemble(rows, setJoins) : rows;
}

/**
 * Runs a sort in sets: reads the sorted ids of all matching entries, then the page. The number of ids is the
 * total.
 */
async function runOrdered(run: Run): Promise<ReadResult> {
  const { scope, read, valueFor } = run;
  const { ids, all } = await idsOfPage(scope, read, valueFor);
  const total = read.withTotal ? all : null;
  if (ids.length === 0) return { rows: [], total };
  const rows = await pageOf(run, withPage(valueFor, ids));
  const byId = new Map(rows.map((row) => [String(row['id']), row]));
  const found = ids.map((id) => byId.get(String(id))).filter((row) => row !== undefined);
  return { rows: found, total };
}

/** The stages that return the sort values of all matching entries, up to the limit of a sort in sets. */
export const orderingStages = (
  { maxIds }: Store,
  { counted }: CompiledRead,
  { stages }: Ordering,
): readonly Stage[] => [...counted, { $limit: maxIds + 1 }, ...stages];

async function idsOfPage(
  scope: ReadScope,
  read: CompiledRead,
  valueFor: SlotValues,
): Promise<{ readonly ids: readonly unknown[]; readonly all: number }> {
  const { source, ordering, skip, limit } = read;
  if (ordering === null) return { ids: [], all: 0 };
  const stages = orderingStages(scope.store, read, ordering);
  const [document] = await withReadSlot(scope, () =>
    collectionOf(scope.store, source)
      .aggregate([...fillSlots(stages, valueFor)], readOptions(scope))
      .toArray(),
  );
  const ids = idsInOrder(document, ordering);
  if (ids === null || ids.length > scope.store.maxIds) throw new TooManyToOrder();
  return { ids: ids.slice(skip, limit === null ? undefined : skip + limit), all: ids.length };
}

const withPage =
  (valueFor: SlotValues, ids: readonly unknown[]): SlotValues =>
  (of) =>
    of === 'page' ? ids : valueFor(of);

/** The slots of a read, including the ids of its page if it is read by ids. */
export const slotsOfPage = async (
  scope: ReadScope,
  read: CompiledRead,
  valueFor: SlotValues,
): Promise<SlotValues> =>
  read.ordering ? withPage(valueFor, (await idsOfPage(scope, read, valueFor)).ids) : valueFor;

/** There are more entries than a sort in sets allows, or some have the same `id`. */
class TooManyToOrder extends Error {}

/** The number of entries that a compiled read matches, regardless of its page. */
export const runCount = (
  given: ReadScope,
  compiled: CompiledRead,
  options: RunOptions = {},
): Promise<number> => {
  const scope = scopeFor(given, compiled.source.type);
  return withJoins(scope, compiled, options, (read, valueFor) => exactTotal(scope, read, valueFor));
};

/** The source of a total. */
export type CountedBy = 'sort' | 'page' | 'metadata' | 'count';

/** The source of the total for a read with this page; null if no total is requested. */
export function countedBy(store: Store, read: CompiledRead, rows: readonly unknown[]): CountedBy | null {
  if (!read.withTotal) return null;
  if (read.ordering) return 'sort';
  if (totalFromPage(read, rows) !== null) return 'page';
  return countsByMetadata(store, read) ? 'metadata' : 'count';
}

/** The total, if it follows from the page. */
function totalFromPage({ skip, limit }: CompiledRead, rows: readonly unknown[]): number | null {
  const last = limit === null || rows.length < limit;
  return last && (rows.length > 0 || skip === 0) ? skip + rows.length : null;
}

/** Reads whose form failed, with the form that replaced it, so that later runs do not try the first again. */
const settled = new WeakMap<CompiledRead, CompiledRead>();

const asItIs = (read: CompiledRead): CompiledRead => read;

/**
 * Calls `run` with the values of a read's semi-joins; if the form of the read fails, repeats it in another
 * form.
 */
export async function withJoins<T>(
  scope: ReadScope,
  compiled: CompiledRead,
  params: RunParams,
  run: (read: CompiledRead, valueFor: SlotValues) => Promise<T>,
): Promise<T> {
  const { shared, bind } = compiled.bound ?? { shared: compiled, bind: asItIs };
  let form = settled.get(shared) ?? shared;
  let again = false;
  for (;;) {
    const read = form === shared ? compiled : bind(form);
    try {
      return await run(read, await resolveJoins(scope, read, params));
    } catch (error) {
      if (isCursorLost(error) && !again) {
        again = true;
        continue;
      }
      const next = formAfter(error, read);
      if (next?.populate === 'rows' && read.form.populate !== 'rows') checkRoom(scope.budget);
      if (next === null) throw asRefusal(error, scope.store, read.dependsOnAdopted);
      form = form.inForm(next);
      settled.set(shared, form);
    }
  }
}

/**
 * A read that exceeds 16 MB in sets returns at least as much by row. Throws if the request may not read that
 * much.
 */
function checkRoom(budget: Budget | undefined): void {
  if (budget && budget.limits.maxBytes <= MAX_DOCUMENT) throw overBudget('maxBytes', budget.limits);
}

/** The next form to try for a read; null if no other form would help. */
function formAfter(error: unknown, { form, ordering, setJoins }: CompiledRead): ReadForm | null {
  if (error instanceof TooManyValues)
    return { ...form, byLookup: new Set([...form.byLookup, ...error.numbers]) };
  if (error instanceof TooManyToOrder) return { ...form, sort: 'rows' };
  if (!isTooLarge(error)) return null;
  if (form.sort === 'sets' && ordering) return { ...form, sort: 'rows' };
  return setJoins.length > 0 ? { ...form, populate: 'rows' } : null;
}
