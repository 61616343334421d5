import type { Document } from 'bson';
import { fail } from '../errors.js';
import { type CompiledIndex, compileCollection } from '../indexes/compile-index.js';
import { isWildcard } from '../indexes/index-key.js';
import type { CollectionMeta } from '../storage/catalog.js';
import type { Reader } from '../storage/view.js';
import { isSimpleCollation } from '../values/index.js';
import { use } from '../values/shortcuts.js';
import { type Bounds, indexBounds } from './bounds.js';
import { admitsPartial, sparseServes } from './implied.js';
import { windowBounds } from './key-window.js';
import type { CollectionScan, IndexScan, Plan, Query } from './plan.js';
import { type Predicates, readPredicates } from './predicates.js';
import { orderOfIndex } from './sort-order.js';
import { wildcardServes } from './wildcard.js';

/** A scan of the hinted index: the whole of it, unordered, if it has another collation. */
function forcedScan(
  index: CompiledIndex,
  collection: CollectionMeta,
  predicates: Predicates,
  query: Query,
): IndexScan {
  if (sameCollation(index, query)) return scanOf(index, collection, indexBounds(index, predicates), query);
  const whole = scanOf(index, collection, indexBounds(index, readPredicates({})), {
    ...query,
    sort: undefined,
  });
  const sorted = query.sort === undefined;
  const exact = Object.keys(query.filter).length === 0;
  return { ...whole, sorted, exact };
}

/** The number of entries in a span after which it is considered large. */
const PROBE = 400;

const sameCollation = (index: CompiledIndex, query: Query): boolean =>
  JSON.stringify(index.collation) ===
  JSON.stringify(isSimpleCollation(query.collation) ? undefined : query.collation);

/**
 * Whether a query has a condition on an index's first field. The bounds of other indexes are never computed.
 */
function concerns({ paths }: CompiledIndex, { filter, sort = {} }: Query, { byPath }: Predicates): boolean {
  const first = paths[0] as string;
  return byPath.has(first) || first in filter || first in sort;
}

function candidate(
  index: CompiledIndex,
  query: Query,
  predicates: Predicates,
  collection: CollectionMeta,
): IndexScan | undefined {
  if (!index.ordered || !concerns(index, query, predicates) || !sameCollation(index, query)) return undefined;
  if (!sparseServes(index, predicates) || !admitsPartial(index, query.filter, predicates)) return undefined;
  const bounds = indexBounds(index, predicates);
  const scan = scanOf(index, collection, bounds, query);
  return bounds.used > 0 || (query.sort !== undefined && scan.sorted) ? scan : undefined;
}

function scanOf(index: CompiledIndex, collection: CollectionMeta, bounds: Bounds, query: Query): IndexScan {
  const { reverse, sorted } = orderOfIndex(index, bounds, query.sort);
  return {
    kind: 'IXSCAN',
    collection,
    index,
    bounds,
    reverse,
    sorted,
    exact: bounds.exact,
  };
}

/** More fixed fields first, then more bounded ones, then an order that avoids sorting, then fewer fields. */
function rank(scan: IndexScan): number {
  const whole = scan.bounds.keys !== undefined ? 1000 : 0;
  return (
    whole +
    scan.bounds.fixed * 100 +
    scan.bounds.used * 10 +
    (scan.sorted ? 5 : 0) -
    scan.index.paths.length * 0.1
  );
}

/** Whether an index scan reads at most this many entries. */
export function isSmall(reader: Reader, scan: IndexScan, most: number): boolean {
  if (scan.bounds.keys !== undefined) return true;
  let seen = 0;
  for (const span of scan.bounds.spans) {
    for (const _ of reader.keys(span)) {
      seen += 1;
      if (seen > most) return false;
    }
  }
  return true;
}

const best = (scans: readonly IndexScan[]): IndexScan | undefined =>
  scans.reduce<IndexScan | undefined>(
    (top, scan) => (top === undefined || rank(scan) > rank(top) ? scan : top),
    undefined,
  );

/**
 * Between the narrowest scan and one in the right order: the ordered one, unless the narrow one is small anyway.
 */
function weigh(reader: Reader, query: Query, scans: readonly IndexScan[]): IndexScan | undefined {
  const narrow = best(scans.filter((scan) => scan.bounds.used > 0));
  if (query.sort === undefined || narrow?.sorted === true) return narrow;
  const ordered = best(scans.filter((scan) => scan.sorted));
  if (narrow === undefined || ordered === undefined) return narrow ?? ordered;
  if (query.limit === undefined && ordered.bounds.used < narrow.bounds.used) return narrow;
  return isSmall(reader, narrow, PROBE) ? narrow : ordered;
}

function hinted(query: Query, indexes: readonly CompiledIndex[]): CompiledIndex | undefined {
  const { hint } = query;
  if (hint === undefined) return undefined;
  const text = JSON.stringify(hint);
  const named = indexes.filter((index) =>
    typeof hint === 'string' ? index.name === hint : JSON.stringify(index.meta.spec['key']) === text,
  );
  if (named.length > 1)
    fail('IndexNotFound', `Hint matched multiple indexes, must hint by index name. Matched: ${text}`);
  return (
    named[0] ??
    fail(
      'BadValue',
      'error processing query: planner returned error :: caused by :: hint provided does not correspond to an existing index',
    )
  );
}

function collectionScan(collection: CollectionMeta, query: Query): CollectionScan {
  const natural = query.sort?.['$natural'] ?? (query.hint as Document | undefined)?.['$natural'];
  const sorted = query.sort === undefined || '$natural' in query.sort;
  const exact = Object.keys(query.filter).length === 0;
  return { kind: 'COLLSCAN', collection, reverse: Number(natural ?? 1) < 0, sorted, exact };
}

function unionOf(
  collection: CollectionMeta,
  query: Query,
  branches: readonly Document[],
  indexes: readonly CompiledIndex[],
): Plan | undefined {
  const { $or: _, ...common } = query.filter;
  const scans: IndexScan[] = [];
  for (const branch of branches) {
    const filter = Object.keys(common).length === 0 ? branch : { $and: [common, branch] };
    const predicates = readPredicates(filter);
    const found = indexes.map((index) =>
      candidate(index, { ...query, filter, sort: undefined }, predicates, collection),
    );
    const scan = best(found.filter((one): one is IndexScan => one !== undefined && one.bounds.used > 0));
    if (scan === undefined) return undefined;
    scans.push(scan);
  }
  return { kind: 'OR', collection, branches: scans, sorted: false, exact: false };
}

const isNaturalHint = ({ hint }: Query): boolean => typeof hint === 'object' && '$natural' in hint;

const isNatural = (query: Query): boolean =>
  (query.sort !== undefined && '$natural' in query.sort) || isNaturalHint(query);

/** An index in the requested order, although another one reads less: for a sort that would need too much memory. */
export function orderedPlan(collection: CollectionMeta, query: Query): Plan | undefined {
  const predicates = readPredicates(query.filter);
  const indexes = compileCollection(collection).indexes.filter((index) => !index.hidden);
  const scans = indexes.map((index) => candidate(index, query, predicates, collection));
  const ordered = scans.filter((scan): scan is IndexScan => scan?.sorted === true);
  return query.hint === undefined ? best(ordered) : undefined;
}

/** Chooses how to read: with an index that serves the filter or the sort, otherwise from the whole collection. */
export function choosePlan(reader: Reader, collection: CollectionMeta, query: Query): Plan {
  const simple =
    Object.keys(query.filter).length === 0 && query.sort === undefined && query.hint === undefined;
  if (query.min === undefined && query.max === undefined && (simple || isNatural(query))) {
    return collectionScan(collection, query);
  }
  if (isNaturalHint(query)) fail('NoQueryExecutionPlans', 'a scan in natural order has no min() or max()');
  const all = compileCollection(collection).indexes;
  const predicates = readPredicates(query.filter);
  const indexes = all.filter((index) => !index.hidden);
  const forced = hinted(query, indexes);
  if (query.min !== undefined || query.max !== undefined) {
    if (forced === undefined)
      fail(51173, 'When using min()/max() a hint of which index to use must be provided');
    return scanOf(forced, collection, windowBounds(forced, query), query);
  }
  if (forced !== undefined && isWildcard(forced.meta.spec['key']) && !wildcardServes(forced, query.filter)) {
    fail(
      'NoQueryExecutionPlans',
      'error processing query: planner returned error :: caused by :: No query solutions',
    );
  }
  if (forced?.ordered) return forcedScan(forced, collection, predicates, query);
  const scans = indexes.map((index) => candidate(index, query, predicates, collection));
  const usable = scans.filter((scan): scan is IndexScan => scan !== undefined);
  const chosen = weigh(reader, query, usable);
  if (predicates.branches !== undefined && (chosen === undefined || chosen.bounds.used === 0)) {
    const union = unionOf(collection, query, predicates.branches, indexes);
    const better = (branches: readonly IndexScan[]): boolean =>
      chosen === undefined ||
      query.limit === undefined ||
      branches.every((scan) => isSmall(reader, scan, PROBE));
    if (union?.kind === 'OR' && better(union.branches) && use(query.shortcuts, 'indexUnions')) return union;
  }
  return chosen !== undefined && use(query.shortcuts, 'indexes') ? chosen : collectionScan(collection, query);
}
