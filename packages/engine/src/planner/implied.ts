import type { Document } from 'bson';
import type { CompiledIndex } from '../indexes/compile-index.js';
import { HOLDS } from '../matching/comparison.js';
import { bsonTypeOf, compareValues, equalValues, isDocument, typeOrder } from '../values/index.js';
import { type Predicate, type Predicates, readPredicates } from './predicates.js';

const isPresent = (predicate: Predicate | undefined): boolean =>
  predicate !== undefined &&
  (predicate.limits !== undefined || predicate.points?.every((point) => point !== null) === true);

/** Whether a sparse index contains every document that the filter may match. */
export function sparseServes(index: CompiledIndex, predicates: Predicates): boolean {
  return !index.sparse || index.paths.some((path) => isPresent(predicates.byPath.get(path)));
}

function conjuncts(filter: Document): [string, unknown][] {
  return Object.entries(filter).flatMap(([key, condition]): [string, unknown][] =>
    key === '$and' && Array.isArray(condition)
      ? condition.flatMap((clause) => conjuncts(clause))
      : [[key, condition]],
  );
}

const NUMBERS = new Set(['int', 'long', 'double', 'decimal']);

function typeImplied(wanted: unknown, predicate: Predicate | undefined): boolean {
  const points = predicate?.points;
  if (points === undefined) return false;
  return points.every((point) => {
    const type = bsonTypeOf(point);
    return (
      wanted === type || (wanted === 'number' && NUMBERS.has(type)) || (wanted === 2 && type === 'string')
    );
  });
}

/** Whether all values that a predicate allows lie in a range. */
function rangeImplied(name: string, bound: unknown, predicate: Predicate | undefined): boolean {
  const lies = (HOLDS as Readonly<Record<string, (order: number) => boolean>>)[name];
  if (lies === undefined || predicate === undefined) return false;
  const within = (value: unknown): boolean =>
    typeOrder(value) === typeOrder(bound) && !Number.isNaN(value) && lies(compareValues(value, bound));
  if (predicate.points !== undefined) return predicate.points.every(within);
  const { gt, gte, lt, lte } = predicate.limits ?? {};
  const [open, closed] = name.startsWith('$g') ? [gt, gte] : [lt, lte];
  if (closed !== undefined) return within(closed);
  return (
    open !== undefined &&
    (within(open) || (typeOrder(open) === typeOrder(bound) && compareValues(open, bound) === 0))
  );
}

/** The conditions of a filter on one path, with and without its patterns. */
interface Said {
  readonly all: Predicate | undefined;
  readonly withoutPatterns: Predicate | undefined;
}

function conditionImplied(condition: unknown, { all: predicate, withoutPatterns }: Said): boolean {
  if (!isDocument(condition)) {
    return predicate?.points?.every((point) => equalValues(point, condition)) === true;
  }
  const entries = Object.entries(condition);
  return entries.every(([name, operand]) => {
    if (name === '$exists') return operand === true && isPresent(predicate);
    if (name === '$type') return typeImplied(operand, predicate);
    if (name === '$eq') return predicate?.points?.every((point) => equalValues(point, operand)) === true;
    return rangeImplied(name, operand, withoutPatterns);
  });
}

const isPattern = (value: unknown): boolean => bsonTypeOf(value) === 'regex';

/**
 * MongoDB sees no range in a pattern, although it may scan one for it, so a partial index on a range requires the range as well.
 */
const withoutPatterns = (clauses: readonly [string, unknown][]): Predicates =>
  readPredicates({
    $and: clauses.flatMap(([path, condition]) => {
      if (path.startsWith('$') || isPattern(condition)) return [];
      if (!isDocument(condition)) return [{ [path]: condition }];
      const { $regex: _, $options: __, ...rest } = condition;
      return Object.keys(rest).length === 0 && '$regex' in condition ? [] : [{ [path]: rest }];
    }),
  });

/** Whether a filter implies a partial index's own filter, so that the index contains every matching document. */
export function admitsPartial(index: CompiledIndex, filter: Document, predicates: Predicates): boolean {
  if (index.partialFilter === undefined) return true;
  const given = conjuncts(filter);
  const unpatterned = withoutPatterns(given);
  return conjuncts(index.partialFilter).every(
    ([path, condition]) =>
      given.some(([other, same]) => other === path && equalValues(same, condition)) ||
      conditionImplied(condition, {
        all: predicates.byPath.get(path),
        withoutPatterns: unpatterned.byPath.get(path),
      }),
  );
}
