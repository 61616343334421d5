import type { Document } from 'bson';
import { isNumeric, isSimpleCollation } from '../values/index.js';
import { isWithin } from '../values/paths.js';
import { isTruthy } from '../values/type-names.js';
import { hasOperator } from '../values/types.js';
import { boundsText, countBounds } from './bounds-text.js';
import type { IndexScan, Plan, Query } from './plan.js';
import { isWhole } from './run-query.js';
import type { ScanMeter } from './scan.js';

/** What is done with the results of a plan. */
export interface Shown {
  readonly projection?: Document | undefined;
  /** The index's own key is returned instead of the document. */
  readonly returnKey?: boolean | undefined;
  /** The entries are only counted. */
  readonly counts?: boolean | undefined;
  /** The paths that are read by columns. */
  readonly columns?: readonly string[] | undefined;
}

function indexStage(scan: IndexScan, stage: 'IXSCAN' | 'COUNT_SCAN' = 'IXSCAN'): Document {
  const { index, reverse } = scan;
  const { multikey: places, spec } = index.meta;
  return {
    stage,
    keyPattern: spec['key'],
    indexName: index.name,
    ...(spec['collation'] === undefined ? {} : { collation: spec['collation'] }),
    isMultiKey: places.length > 0,
    multiKeyPaths: Object.fromEntries(
      index.paths.map((path) => [path, places.filter((place) => isWithin(path, place)).sort()]),
    ),
    isUnique: index.unique,
    isSparse: index.sparse,
    isPartial: index.partialFilter !== undefined,
    indexVersion: spec['v'] ?? 2,
    ...(stage === 'COUNT_SCAN'
      ? { indexBounds: countBounds(scan) }
      : { direction: reverse ? 'backward' : 'forward', indexBounds: boundsText(scan) }),
  };
}

/** Whether a single document is looked up by _id only. */
function isLookup({ index, bounds }: IndexScan, { filter, hint, skip, min, max }: Query): boolean {
  const [[name, id] = [], ...others] = Object.entries(filter);
  const isPoint = !hasOperator(id) || Object.keys(id).join() === '$eq';
  const isFree = hint === undefined && min === undefined && max === undefined && !skip;
  return (
    name === '_id' &&
    others.length === 0 &&
    isPoint &&
    isFree &&
    bounds.keys?.length === 1 &&
    index.name === '_id_'
  );
}

function sourceStage(plan: Plan, query: Query, { counts }: Shown): Document {
  const { filter } = query;
  const rest = plan.exact || Object.keys(filter).length === 0 ? {} : { filter };
  switch (plan.kind) {
    case 'COLLSCAN':
      if (counts === true && isWhole(query)) return { stage: 'RECORD_STORE_FAST_COUNT' };
      return { stage: 'COLLSCAN', ...rest, direction: plan.reverse ? 'backward' : 'forward' };
    case 'IXSCAN': {
      if (counts === true && plan.exact && plan.bounds.isOneRange) return indexStage(plan, 'COUNT_SCAN');
      if (isLookup(plan, query)) return { stage: 'IDHACK', indexName: plan.index.name };
      const below = indexStage(plan);
      return counts === true && plan.exact ? below : { stage: 'FETCH', ...rest, inputStage: below };
    }
    case 'OR':
      return {
        stage: 'FETCH',
        ...rest,
        inputStage: { stage: 'OR', inputStages: plan.branches.map((branch) => indexStage(branch)) },
      };
  }
}

/** A projection of top-level fields, which are either all included or all excluded. */
const isSimple = (projection: Document): boolean =>
  Object.entries(projection).every(
    ([path, value]) => !path.includes('.') && (typeof value === 'boolean' || isNumeric(value)),
  ) &&
  new Set(
    Object.entries(projection)
      .filter(([path]) => path !== '_id')
      .map(([, value]) => isTruthy(value)),
  ).size < 2;

/** The stage that produces the output, above one of the plan. */
function shownStage({ projection = {}, returnKey, counts }: Shown, inputStage: Document): Document {
  if (counts === true) return inputStage;
  if (returnKey === true) return { stage: 'RETURN_KEY', inputStage };
  if (Object.keys(projection).length === 0) return inputStage;
  const kind = isSimple(projection) ? 'SIMPLE' : 'DEFAULT';
  return { stage: `PROJECTION_${kind}`, transformBy: projection, inputStage };
}

/** The stages of a plan, outermost first, in MongoDB's names. */
export function describePlan(plan: Plan, query: Query, shown: Shown = {}): Document {
  const { columns = [] } = shown;
  let stage: Document = { ...sourceStage(plan, query, shown), ...(columns.length > 0 && { columns }) };
  if (query.sort !== undefined && !plan.sorted) {
    const most = query.limit === undefined ? {} : { limitAmount: (query.skip ?? 0) + query.limit };
    stage = { stage: 'SORT', sortPattern: query.sort, ...most, type: 'simple', inputStage: stage };
  }
  if (query.skip) stage = { stage: 'SKIP', skipAmount: query.skip, inputStage: stage };
  stage = shownStage(shown, stage);
  if (query.limit !== undefined) stage = { stage: 'LIMIT', limitAmount: query.limit, inputStage: stage };
  return stage;
}

/** The `queryPlanner` part of explain for a planned query. */
export function explainPlanner(query: Query): Document {
  return {
    parsedQuery: query.filter,
    ...(isSimpleCollation(query.collation) ? {} : { collation: query.collation }),
    indexFilterSet: false,
    maxIndexedOrSolutionsReached: false,
    maxIndexedAndSolutionsReached: false,
    maxScansToExplodeReached: false,
  };
}

const COUNTS: Readonly<Record<string, readonly (keyof ScanMeter)[]>> = {
  COLLSCAN: ['docsExamined'],
  FETCH: ['docsExamined'],
  IXSCAN: ['keysExamined'],
  COUNT_SCAN: ['keysExamined'],
  IDHACK: ['keysExamined', 'docsExamined'],
};

/** A plan's stages with what each has read, after the query has run. */
export function withCounts(stage: Document, meter: ScanMeter): Document {
  const { inputStage, ...rest } = stage;
  const counts = Object.fromEntries((COUNTS[stage['stage']] ?? []).map((name) => [name, meter[name]]));
  return inputStage === undefined
    ? { ...rest, ...counts }
    : { ...rest, ...counts, inputStage: withCounts(inputStage, meter) };
}
