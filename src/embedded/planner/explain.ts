import type { Document } from 'bson';
import { isSimpleCollation } from '../values/index.js';
import type { IndexScan, Plan, Query } from './plan.js';
import type { ScanMeter } from './scan.js';

function indexStage(scan: IndexScan): Document {
  return {
    stage: 'IXSCAN',
    keyPattern: scan.index.meta.spec['key'],
    indexName: scan.index.name,
    isMultiKey: scan.index.meta.multikey.length > 0,
    multiKeyPaths: Object.fromEntries(
      scan.index.paths.map((path) => [path, scan.index.meta.multikey.includes(path) ? [path] : []]),
    ),
    isUnique: scan.index.unique,
    isSparse: scan.index.sparse,
    isPartial: scan.index.partialFilter !== undefined,
    indexVersion: 2,
    direction: scan.reverse ? 'backward' : 'forward',
    fieldsBounded: scan.bounds.used,
    spans: (scan.bounds.keys ?? scan.bounds.spans).length,
  };
}

function sourceStage(plan: Plan, filter: Document): Document {
  const rest = plan.exact || Object.keys(filter).length === 0 ? {} : { filter };
  switch (plan.kind) {
    case 'COLLSCAN':
      return { stage: 'COLLSCAN', ...rest, direction: plan.reverse ? 'backward' : 'forward' };
    case 'IXSCAN':
      return { stage: 'FETCH', ...rest, inputStage: indexStage(plan) };
    case 'OR':
      return {
        stage: 'FETCH',
        ...rest,
        inputStage: { stage: 'OR', inputStages: plan.branches.map(indexStage) },
      };
  }
}

/** The stages of a plan, outermost first, in MongoDB's names. */
export function describePlan(plan: Plan, query: Query): Document {
  let stage = sourceStage(plan, query.filter);
  if (query.sort !== undefined && !plan.sorted) {
    const presorted = plan.kind === 'IXSCAN' ? plan.leading : 0;
    stage = { stage: 'SORT', sortPattern: query.sort, type: 'simple', presorted, inputStage: stage };
  }
  if (query.skip) stage = { stage: 'SKIP', skipAmount: query.skip, inputStage: stage };
  if (query.limit !== undefined) stage = { stage: 'LIMIT', limitAmount: query.limit, inputStage: stage };
  return stage;
}

/** What the `queryPlanner` part of explain tells of a query that was planned. */
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

const COUNTS: Readonly<Record<string, (meter: ScanMeter) => Document>> = {
  COLLSCAN: ({ docsExamined }) => ({ docsExamined }),
  FETCH: ({ docsExamined }) => ({ docsExamined }),
  IXSCAN: ({ keysExamined }) => ({ keysExamined }),
};

/** A plan's stages with what each has read, after the query has run. */
export function withCounts(stage: Document, meter: ScanMeter): Document {
  const { inputStage, ...rest } = stage;
  const counts = COUNTS[stage['stage']]?.(meter);
  return inputStage === undefined
    ? { ...rest, ...counts }
    : { ...rest, ...counts, inputStage: withCounts(inputStage, meter) };
}
