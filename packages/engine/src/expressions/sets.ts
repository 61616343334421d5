import { fail } from '../errors.js';
import { isTruthy } from '../values/type-names.js';
import { stepwise, tick } from '../values/work.js';
import { type Argument, anArray, checkArgument, needed } from './argument.js';
import { binary, type Operators, unary, variadic } from './operator.js';
import type { Scope } from './scope.js';

/** An operand of a set operator with any number of operands. */
const operandOf = (code: number): Argument<readonly unknown[]> =>
  anArray(code, 'All operands of $op must be arrays. One argument is of type: $type');

/** One of two operands. */
const oneOf = (code: number, place: 'First' | 'Second'): Argument<readonly unknown[]> =>
  anArray(code, `both operands of $op must be arrays. ${place} argument is of type: $type`);

/** The distinct values of an array, in MongoDB's order. */
function distinct(values: Iterable<unknown>, scope: Scope): unknown[] {
  const hash = stepwise(scope.hash);
  const seen = new Map<unknown, unknown>();
  for (const value of values) {
    const key = hash(value);
    if (!seen.has(key)) seen.set(key, value);
  }
  return [...seen.values()].sort(stepwise(scope.compare));
}

const hashes = (values: readonly unknown[], scope: Scope): Set<unknown> => {
  const hash = stepwise(scope.hash);
  return new Set(values.map((value) => hash(value)));
};

type Sets = Iterable<readonly unknown[]>;

function union(sets: Sets, _name: string, scope: Scope): unknown {
  const all: unknown[] = [];
  for (const set of sets)
    for (const item of set) {
      tick();
      all.push(item);
    }
  return distinct(all, scope);
}

function intersection(sets: Sets, _name: string, scope: Scope): unknown {
  const hash = stepwise(scope.hash);
  let common: readonly unknown[] | undefined;
  for (const set of sets) {
    if (common === undefined) common = set;
    else {
      const other = hashes(set, scope);
      common = common.filter((item) => other.has(hash(item)));
    }
  }
  return distinct(common ?? [], scope);
}

function difference(a: readonly unknown[], b: readonly unknown[], _name: string, scope: Scope): unknown {
  const hash = stepwise(scope.hash);
  const without = hashes(b, scope);
  const out: unknown[] = [];
  for (const value of a) {
    const key = hash(value);
    if (without.has(key)) continue;
    without.add(key);
    out.push(value);
  }
  return out;
}

function isSubset(a: readonly unknown[], b: readonly unknown[], _name: string, scope: Scope): boolean {
  const all = hashes(b, scope);
  const hash = stepwise(scope.hash);
  return a.every((value) => all.has(hash(value)));
}

function allEqual(operands: Iterable<unknown>, name: string, scope: Scope): boolean {
  const values = [...operands];
  if (values.length < 2) fail(17045, `${name} needs at least two arguments had: ${values.length}`);
  const [first, ...rest] = values.map((value) => {
    checkArgument(operandOf(17044), value, name);
    return hashes(value, scope);
  }) as [Set<unknown>];
  return (rest as Set<unknown>[]).every(
    (other) => other.size === first.size && [...first].every((key) => other.has(key)),
  );
}

const holds = (value: unknown): boolean => {
  tick();
  return isTruthy(value);
};

/** Operators that treat arrays as sets. */
export const SETS: Operators = {
  $setUnion: variadic(union, operandOf(17043)),
  $setIntersection: variadic(intersection, operandOf(17047)),
  $setDifference: binary(difference, [oneOf(17048, 'First'), oneOf(17049, 'Second')]),
  $setEquals: variadic(allEqual),
  $setIsSubset: binary(isSubset, [needed(oneOf(17046, 'First')), needed(oneOf(17042, 'Second'))]),
  $anyElementTrue: unary(
    (items) => items.some(holds),
    needed(anArray(17041, "$op's argument must be an array, but is $type")),
  ),
  $allElementsTrue: unary(
    (items) => items.every(holds),
    needed(anArray(17040, "$op's argument must be an array, but is $type")),
  ),
};
