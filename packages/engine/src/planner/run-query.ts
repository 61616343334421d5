import type { Document } from 'bson';
import { type EngineError, fail } from '../errors.js';
import { type ByteFilter, compileByteFilter, compileWholeFilter } from '../matching/byte-filter.js';
import { rootsOf } from '../matching/roots.js';
import type { CollectionMeta } from '../storage/catalog.js';
import { recordKey } from '../storage/layout.js';
import type { Reader } from '../storage/view.js';
import { type Flow, PAUSE, type Paced, type Pause } from '../values/pace.js';
import { use } from '../values/shortcuts.js';
import { currentWork } from '../values/work.js';
import { choosePlan, orderedPlan } from './choose-plan.js';
import { admittedFound, sortedFound, valuesFound } from './column-rows.js';
import { chooseColumns, takeRows } from './column-scan.js';
import { isCountScan, type Plan, type Query } from './plan.js';
import { countPlan, type Found, lendingReader, type ScanMeter, scanPlan, takeFrom } from './scan.js';
import { sortRows } from './sort-rows.js';

/** The filter of a query over stored documents. */
const filterOf = ({ filter, collation, variables, shortcuts }: Query): ByteFilter =>
  (use(shortcuts, 'byteFilters') ? compileByteFilter : compileWholeFilter)(filter, { collation, variables });

/** Whether stored documents match: true, or nothing. */
function holdsOf(query: Query): (bytes: Buffer) => true | undefined {
  const { test } = filterOf(query);
  return (bytes) => test(bytes) || undefined;
}

const REFUSED_SORT = 'QueryExceededMemoryLimitNoDiskUseAllowed';

/** Tests the documents of a query, and counts them. */
interface Testing {
  readonly filter: ByteFilter;
  readonly meter: ScanMeter;
}

function refuseSort(limit: number): never {
  return fail(
    REFUSED_SORT,
    `Sort exceeded memory limit of ${limit} bytes, but did not opt in to external sorting.`,
  );
}

function* sortedRows(
  reader: Reader,
  plan: Plan,
  query: Query & { readonly sort: Document },
  { meter, filter }: Testing,
): Generator<Found | Pause> {
  const { sort } = query;
  const { shortcuts, skip = 0, limit } = query;
  const most = limit !== undefined && use(shortcuts, 'topSorts') ? skip + limit : undefined;
  const decodesKeys = use(shortcuts, 'partialDecoding');
  // Fields that a filter has skipped can be used when the sort keys are read.
  const { document } = filter;
  const roots = new Set([...(rootsOf({}, sort) ?? [])].map((name) => document.slot(name)));
  const { limits, allowDiskUse } = currentWork();
  let held = 0;
  // Only keys and numbers are kept while sorting: the documents stay in lmdb.
  const keysOf = (bytes: Buffer): Document | undefined => {
    if (plan.exact) document.read(bytes);
    else if (!filter.test(bytes)) return undefined;
    if (most === undefined) held += bytes.length;
    if (held > limits.sortBytes && !allowDiskUse) refuseSort(limits.sortBytes);
    return decodesKeys ? document.members(roots) : document.whole();
  };
  const rows = (function* () {
    for (const item of takeFrom(reader, plan, meter, { of: keysOf })) {
      if (item === PAUSE) yield PAUSE;
      else yield { row: item.record, document: item.taken };
    }
  })();
  const sorted = sortRows(rows, sort, query.collation, most);
  const from = lendingReader(reader);
  for (const record of sorted) {
    if (record === PAUSE) {
      yield PAUSE;
      continue;
    }
    const bytes = from.get(recordKey(plan.collection.table, record));
    if (bytes !== undefined) yield { record, bytes };
  }
}

/** The rows sorted or, if that would need too much memory, in index order. */
function* sortedOrOrdered(
  reader: Reader,
  plan: Plan,
  query: Query & { readonly sort: Document },
  testing: Testing,
): Generator<Found | Pause> {
  try {
    yield* sortedRows(reader, plan, query, testing);
  } catch (error) {
    const isRefused = (error as EngineError).codeName === REFUSED_SORT;
    const ordered = isRefused ? orderedPlan(plan.collection, query) : undefined;
    if (ordered === undefined) throw error;
    // Nothing has been yielded by then: the limit is on what is collected to be sorted.
    yield* scanPlan(reader, ordered, testing.meter, { admits: testing.filter.test });
  }
}

function* window<T>(rows: Flow<T>, skip: number, limit: number | undefined): Generator<T | Pause> {
  if (limit === 0) return;
  let at = 0;
  const end = limit === undefined ? Number.POSITIVE_INFINITY : skip + limit;
  for (const row of rows) {
    if (row === PAUSE) {
      yield PAUSE;
      continue;
    }
    if (at++ < skip) continue;
    yield row;
    if (at >= end) return;
  }
}

/** Runs a query on a plan: filter, sort, skip and limit. Yields stored bytes, undecoded, each valid until the next one is requested. */
export function runPlan(reader: Reader, plan: Plan, query: Query, meter: ScanMeter): Flow<Found> {
  const { sort, skip = 0, limit } = query;
  // Documents that an exact plan skips need not be read: the index counts them.
  const isExact = plan.exact && (sort === undefined || plan.sorted);
  if (isExact && (skip === 0 || use(query.shortcuts, 'entrySkips'))) {
    const found = scanPlan(reader, plan, meter, { skip });
    return limit === undefined ? found : window(found, 0, limit);
  }
  const rows = rowsOf(reader, plan, query, meter);
  return skip === 0 && limit === undefined ? rows : window(rows, skip, limit);
}

/** The matches, sorted: by columns if they exist and need less work, otherwise as the plan reads them. */
function* rowsOf(reader: Reader, plan: Plan, query: Query, meter: ScanMeter): Generator<Found | Pause> {
  const { sort } = query;
  const { rows, ended } = yield* chooseColumns(reader, plan, query);
  if (rows !== undefined) {
    const asked = { reader, plan, query, meter, filterOf: () => filterOf(query) };
    yield* sort === undefined ? admittedFound(asked, rows) : sortedFound(asked, rows);
    return;
  }
  const filter = filterOf(query);
  const before = meter.docsExamined;
  try {
    yield* sort === undefined || plan.sorted
      ? scanPlan(reader, plan, meter, { admits: filter.test })
      : sortedOrOrdered(reader, plan, { ...query, sort }, { meter, filter });
  } finally {
    ended(meter.docsExamined - before);
  }
}

/** Chooses a plan and runs the query on it. */
export function runQuery(
  reader: Reader,
  collection: CollectionMeta,
  query: Query,
  meter: ScanMeter,
): Flow<Found> {
  return runPlan(reader, choosePlan(reader, collection, query), query, meter);
}

/** The environment for reading distinct values. */
interface ValueReading {
  readonly reader: Reader;
  readonly meter: ScanMeter;
  /** The values of a document if columns do not contain them. */
  valuesOf(bytes: Buffer): Iterable<unknown>;
}

/** The values that the documents of a plan have at a path; they may repeat. */
export function* valuesOfPlan(
  { reader, meter, valuesOf }: ValueReading,
  plan: Plan,
  query: Query,
  path: string,
): Generator<unknown | Pause> {
  const { rows } = yield* chooseColumns(reader, plan, query, { values: path });
  if (rows !== undefined) {
    yield* valuesFound({ reader, plan, query, meter, filterOf: () => filterOf(query) }, rows, valuesOf);
    return;
  }
  for (const found of runPlan(reader, plan, { ...query, columns: undefined }, meter)) {
    if (found === PAUSE) yield PAUSE;
    else yield* valuesOf(found.bytes);
  }
}

/** Whether everything is requested, so that the collection's own count is sufficient. */
export const isWhole = ({ filter, hint }: Query): boolean =>
  hint === undefined && Object.keys(filter).every((name) => name === '$comment');

/** How documents are counted: none of their content is needed. */
export const planCount = (reader: Reader, collection: CollectionMeta, query: Query): Plan =>
  choosePlan(reader, collection, { ...query, sort: undefined });

/** The number of documents that match; from the collection's own count or the index alone if possible. */
export function* countQuery(
  reader: Reader,
  collection: CollectionMeta,
  query: Query,
  meter: ScanMeter,
): Paced<number> {
  const { skip = 0, limit } = query;
  const cut = (count: number): number =>
    Math.max(0, Math.min(count - skip, limit ?? Number.POSITIVE_INFINITY));
  if (isWhole(query) && use(query.shortcuts, 'storedCounts')) return cut(reader.count(collection.table));
  const plan = planCount(reader, collection, query);
  const most = skip + (limit ?? Number.POSITIVE_INFINITY);
  if (isCountScan(plan) && use(query.shortcuts, 'countScans'))
    return cut(yield* countPlan(reader, plan, meter, most));
  const { rows } = yield* chooseColumns(reader, plan, query, 'count');
  const flow =
    rows === undefined
      ? takeFrom(reader, plan, meter, { of: holdsOf(query) })
      : takeRows(
          reader,
          rows,
          { table: collection.table, meter },
          { ofRow: () => true, ofRecords: () => holdsOf(query) },
        );
  let count = 0;
  for (const item of flow) {
    if (item === PAUSE) yield PAUSE;
    else count += 1;
    if (count >= most) break;
  }
  return cut(count);
}
