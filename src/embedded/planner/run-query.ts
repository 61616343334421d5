import type { Document } from 'bson';
import { type EngineError, fail } from '../errors.js';
import { type ByteFilter, compileByteFilter } from '../matching/byte-filter.js';
import { rootsOf } from '../matching/roots.js';
import type { CollectionMeta } from '../storage/catalog.js';
import { recordKey } from '../storage/layout.js';
import type { Reader } from '../storage/view.js';
import { ByteDocument } from '../values/byte-document.js';
import { type Flow, PAUSE, type Paced, type Pause } from '../values/pace.js';
import { currentWork } from '../values/work.js';
import { choosePlan, orderedPlan } from './choose-plan.js';
import type { Walk } from './known-counts.js';
import type { Plan, Query } from './plan.js';
import { countPlan, type Found, type ScanMeter, scanPlan, takeFrom } from './scan.js';
import { sortRows, sortRuns } from './sort-rows.js';

/** The filter of a query over stored documents. */
const filterOf = ({ filter, collation, variables }: Query): ByteFilter =>
  compileByteFilter(filter, { collation, variables });

const REFUSED_SORT = 'QueryExceededMemoryLimitNoDiskUseAllowed';

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
  meter: ScanMeter,
): Generator<Found | Pause> {
  const { sort } = query;
  const most = query.limit === undefined ? undefined : (query.skip ?? 0) + query.limit;
  // What a filter has stepped over once is where the sort keys are read, too.
  const filter = plan.exact ? undefined : filterOf(query);
  const document = filter?.document ?? new ByteDocument();
  const roots = new Set([...(rootsOf({}, sort) ?? [])].map((name) => document.slot(name)));
  const { limits, allowDiskUse } = currentWork();
  let held = 0;
  // Only keys and numbers are kept while sorting: the documents stay in lmdb.
  const keysOf = (bytes: Buffer): Document | undefined => {
    if (filter === undefined) document.read(bytes);
    else if (!filter.test(bytes)) return undefined;
    if (most === undefined) held += bytes.length;
    if (held > limits.sortBytes && !allowDiskUse) refuseSort(limits.sortBytes);
    return document.members(roots);
  };
  const found = counted(takeFrom(reader, plan, meter, { of: keysOf }), () =>
    query.counts?.begin(reader, plan.collection, query),
  );
  const rows = (function* () {
    for (const item of found) yield item === PAUSE ? PAUSE : { row: item.record, document: item.taken };
  })();
  const leading = plan.kind === 'IXSCAN' ? plan.leading : 0;
  const sorted =
    leading > 0
      ? sortRuns(rows, sort, query.collation, { most, leading })
      : sortRows(rows, sort, query.collation, most);
  for (const record of sorted) {
    if (record === PAUSE) {
      yield PAUSE;
      continue;
    }
    const bytes = reader.get(recordKey(plan.collection.table, record));
    if (bytes !== undefined) yield { record, bytes };
  }
}

/** The rows as they are sorted, or, where that would hold too much, as an index has them in order. */
function* sortedOrOrdered(
  reader: Reader,
  plan: Plan,
  query: Query & { readonly sort: Document },
  meter: ScanMeter,
): Generator<Found | Pause> {
  try {
    yield* sortedRows(reader, plan, query, meter);
  } catch (error) {
    const isRefused = (error as EngineError).codeName === REFUSED_SORT;
    const ordered = isRefused ? orderedPlan(plan.collection, query) : undefined;
    if (ordered === undefined) throw error;
    yield* scanPlan(reader, ordered, meter, { admits: filterOf(query).test });
  }
}

/** What a scan takes, and in the walk how much that was where the scan came to its end. */
function* counted<T>(flow: Flow<T>, begin: () => Walk | undefined): Generator<T | Pause> {
  const walk = begin();
  let count = 0;
  try {
    for (const item of flow) {
      if (item !== PAUSE) count += 1;
      if (walk !== undefined) walk.steps += 1;
      yield item;
    }
    if (walk !== undefined) walk.count = count;
  } finally {
    if (walk !== undefined) walk.isRunning = false;
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

/** Runs a query on a plan: filter, sort, skip and limit. Yields stored bytes, undecoded. */
export function runPlan(reader: Reader, plan: Plan, query: Query, meter: ScanMeter): Flow<Found> {
  const { sort, skip = 0, limit } = query;
  // What an exact plan skips need not be read: the index alone counts it.
  if (plan.exact && (sort === undefined || plan.sorted)) {
    const found = scanPlan(reader, plan, meter, { skip });
    return limit === undefined ? found : window(found, 0, limit);
  }
  const rows =
    sort === undefined || plan.sorted
      ? scanPlan(reader, plan, meter, { admits: filterOf(query).test })
      : sortedOrOrdered(reader, plan, { ...query, sort }, meter);
  return skip === 0 && limit === undefined ? rows : window(rows, skip, limit);
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

/** The number of documents that match; from the collection's own count or the index alone where that suffices. */
export function* countQuery(
  reader: Reader,
  collection: CollectionMeta,
  query: Query,
  meter: ScanMeter,
): Paced<number> {
  const { skip = 0, limit } = query;
  const cut = (count: number): number =>
    Math.max(0, Math.min(count - skip, limit ?? Number.POSITIVE_INFINITY));
  if (Object.keys(query.filter).length === 0 && query.hint === undefined) {
    return cut(reader.count(collection.table));
  }
  const known = query.counts === undefined ? undefined : yield* query.counts.find(reader, collection, query);
  if (known !== undefined) {
    meter.tables.add(collection.table);
    return cut(known);
  }
  const plan = choosePlan(reader, collection, { ...query, sort: undefined });
  const walk = query.counts?.begin(reader, collection, query);
  try {
    if (plan.kind === 'IXSCAN' && plan.exact) {
      const count = yield* countPlan(reader, plan, meter);
      if (walk !== undefined) walk.count = count;
      return cut(count);
    }
    const { test } = filterOf(query);
    const most = skip + (limit ?? Number.POSITIVE_INFINITY);
    let count = 0;
    for (const item of takeFrom(reader, plan, meter, { of: (bytes) => test(bytes) || undefined })) {
      if (walk !== undefined) walk.steps += 1;
      if (item === PAUSE) yield PAUSE;
      else count += 1;
      if (count >= most) return cut(count);
    }
    if (walk !== undefined) walk.count = count;
    return cut(count);
  } finally {
    if (walk !== undefined) walk.isRunning = false;
  }
}
