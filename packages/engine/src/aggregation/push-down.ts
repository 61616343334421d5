import type { Document } from 'bson';
import { isWhole64, toDouble } from '../values/numbers.js';
import { type Shortcuts, use } from '../values/shortcuts.js';
import { isDocument } from '../values/types.js';
import { checkStages } from './check-stages.js';
import { neededFields } from './needed-fields.js';
import { movedWindows } from './optimize.js';
import { stageName } from './stage-rules.js';

/** The part of a pipeline that the storage can run with its indexes, and the remaining stages. */
export interface PushedDown {
  readonly filter: Document;
  readonly sort: Document | undefined;
  readonly skip: number | undefined;
  readonly limit: number | undefined;
  /** The top-level fields that the remaining stages read; undefined if they need whole documents. */
  readonly fields: ReadonlySet<string> | undefined;
  readonly rest: readonly Document[];
}

/** A pipeline with no stage pushed down to the storage. */
export const pushNothing = (rest: readonly Document[]): PushedDown => ({
  filter: {},
  sort: undefined,
  skip: undefined,
  limit: undefined,
  fields: undefined,
  rest,
});

/** A count that the storage can use; anything unusual is left to the stage, which reports the error. */
function count(value: unknown, least: number): number | undefined {
  const number = toDouble(value);
  return isWhole64(value) && number >= least ? number : undefined;
}

/** Whether a sort uses only plain fields. */
const isPlainSort = (sort: unknown): sort is Document =>
  isDocument(sort) &&
  Object.keys(sort).length > 0 &&
  Object.entries(sort).every(
    ([name, value]) => name !== '$natural' && (count(value, -1) === 1 || count(value, -1) === -1),
  );

interface Window {
  skip: number;
  limit: number;
}

/** Combines `$skip` and `$limit` in any order into one window. */
function takeWindow(stages: readonly Document[], from: number): { window: Window; next: number } {
  const window: Window = { skip: 0, limit: Number.POSITIVE_INFINITY };
  let next = from;
  for (; next < stages.length; next++) {
    const stage = stages[next] as Document;
    const name = stageName(stage);
    const number =
      name === '$skip' ? count(stage['$skip'], 0) : name === '$limit' ? count(stage['$limit'], 1) : undefined;
    if (number === undefined) break;
    if (name === '$limit') window.limit = Math.min(window.limit, number);
    else {
      window.skip += number;
      window.limit = Math.max(0, window.limit - number);
    }
  }
  // An empty window cannot be written as a limit, which is at least 1.
  if (window.limit === 0) return { window: { skip: 0, limit: Number.POSITIVE_INFINITY }, next: from };
  return { window, next };
}

/**
 * Splits a pipeline into the part that a storage can run (leading `$match`es, then a `$sort`, then `$skip` and `$limit`) and the
 * rest, which `runPipeline` takes. Running the rest over `find(filter, sort, skip, limit)` is equivalent to the whole pipeline.
 * Throws for anything that is not a stage or is in the wrong place, which the rest alone would no longer reveal.
 */
export function pushDown(given: readonly Document[], shortcuts: Shortcuts): PushedDown {
  checkStages(given);
  const pushed = split(given, shortcuts);
  const isPushed = pushed.rest.length < given.length;
  return !isPushed || use(shortcuts, 'pushDown') ? pushed : pushNothing(given);
}

/** The fields that stages read, if they do not read whole documents and only those are decoded. */
export function partlyNeeded(
  stages: readonly Document[],
  shortcuts: Shortcuts,
): ReadonlySet<string> | undefined {
  const fields = neededFields(stages);
  return fields !== undefined && use(shortcuts, 'partialDecoding') ? fields : undefined;
}

function split(given: readonly Document[], shortcuts: Shortcuts): PushedDown {
  const stages = movedWindows(given, shortcuts);
  const filters: Document[] = [];
  let next = 0;
  const takeMatches = (): void => {
    for (; stageName(stages[next]) === '$match' && isDocument(stages[next]?.['$match']); next++) {
      const filter = stages[next]?.['$match'] as Document;
      if (Object.keys(filter).length > 0) filters.push(filter);
    }
  };
  takeMatches();
  let sort: Document | undefined;
  while (stageName(stages[next]) === '$sort' && isPlainSort(stages[next]?.['$sort'])) {
    sort = stages[next]?.['$sort'] as Document;
    next += 1;
    takeMatches();
  }
  const { window, next: end } = takeWindow(stages, next);
  const rest = stages.slice(end);
  const [first] = filters;
  return {
    filter: first === undefined ? {} : filters.length === 1 ? first : { $and: filters },
    sort,
    skip: window.skip > 0 ? window.skip : undefined,
    limit: Number.isFinite(window.limit) ? window.limit : undefined,
    fields: partlyNeeded(rest, shortcuts),
    rest,
  };
}
