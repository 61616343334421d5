import { fail } from '../errors.js';
import { isTruthy } from '../values/type-names.js';
import { bsonTypeOf, isNullish } from '../values/types.js';
import { tick } from '../values/work.js';
import { binary, type Operators, unary, variadic } from './operator.js';
import type { Scope } from './scope.js';

function arrayOf(value: unknown, code: number, name: string): readonly unknown[] {
  if (!Array.isArray(value)) {
    return fail(
      code,
      `All operands of ${name} must be arrays. One argument is of type: ${bsonTypeOf(value)}`,
    );
  }
  return value;
}

/** The distinct values of an array, in MongoDB's order. */
function distinct(values: Iterable<unknown>, scope: Scope): unknown[] {
  const seen = new Map<unknown, unknown>();
  for (const value of values) {
    tick();
    const key = scope.hash(value);
    if (!seen.has(key)) seen.set(key, value);
  }
  return [...seen.values()].sort(scope.compare);
}

const hashes = (values: readonly unknown[], scope: Scope): Set<unknown> => new Set(values.map(scope.hash));

function union(values: Iterable<unknown>, name: string, scope: Scope): unknown {
  const all: unknown[] = [];
  for (const value of values) {
    if (isNullish(value)) return null;
    for (const item of arrayOf(value, 17043, name)) {
      tick();
      all.push(item);
    }
  }
  return distinct(all, scope);
}

function intersection(values: Iterable<unknown>, name: string, scope: Scope): unknown {
  let common: readonly unknown[] | undefined;
  for (const value of values) {
    if (isNullish(value)) return null;
    const array = arrayOf(value, 17047, name);
    if (common === undefined) common = array;
    else {
      const other = hashes(array, scope);
      common = common.filter((item) => other.has(scope.hash(item)));
    }
  }
  return distinct(common ?? [], scope);
}

function difference(a: unknown, b: unknown, _name: string, scope: Scope): unknown {
  if (isNullish(a) || isNullish(b)) return null;
  for (const [value, code, which] of [
    [a, 17048, 'First'],
    [b, 17049, 'Second'],
  ] as const) {
    if (!Array.isArray(value)) {
      fail(
        code,
        `both operands of $setDifference must be arrays. ${which} argument is of type: ${bsonTypeOf(value)}`,
      );
    }
  }
  const without = hashes(b as unknown[], scope);
  const out: unknown[] = [];
  for (const value of a as unknown[]) {
    const key = scope.hash(value);
    if (without.has(key)) continue;
    without.add(key);
    out.push(value);
  }
  return out;
}

function allEqual(operands: Iterable<unknown>, name: string, scope: Scope): boolean {
  const values = [...operands];
  if (values.length < 2) fail(17045, `${name} needs at least two arguments had: ${values.length}`);
  const [first, ...rest] = values.map((value) => hashes(arrayOf(value, 17044, name), scope)) as [
    Set<unknown>,
  ];
  return (rest as Set<unknown>[]).every(
    (other) => other.size === first.size && [...first].every((key) => other.has(key)),
  );
}

function isSubset(a: unknown, b: unknown, _name: string, scope: Scope): boolean {
  if (!Array.isArray(a))
    fail(17046, `both operands of $setIsSubset must be arrays. First argument is of type: ${bsonTypeOf(a)}`);
  if (!Array.isArray(b))
    fail(17042, `both operands of $setIsSubset must be arrays. Second argument is of type: ${bsonTypeOf(b)}`);
  const all = hashes(b, scope);
  return a.every((value) => all.has(scope.hash(value)));
}

const holds = (value: unknown): boolean => {
  tick();
  return isTruthy(value);
};

/** Operators that see arrays as sets. */
export const SETS: Operators = {
  $setUnion: variadic(union),
  $setIntersection: variadic(intersection),
  $setDifference: binary(difference),
  $setEquals: variadic(allEqual),
  $setIsSubset: binary(isSubset),
  $anyElementTrue: unary((array) => {
    if (!Array.isArray(array))
      return fail(17041, `$anyElementTrue's argument must be an array, but is ${bsonTypeOf(array)}`);
    return array.some(holds);
  }),
  $allElementsTrue: unary((array) => {
    if (!Array.isArray(array))
      return fail(17040, `$allElementsTrue's argument must be an array, but is ${bsonTypeOf(array)}`);
    return array.every(holds);
  }),
};
