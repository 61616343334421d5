import type { Document } from 'bson';
import { fail } from '../errors.js';
import { toDouble } from '../values/numbers.js';
import { compileSort } from '../values/sort-by.js';
import { bsonTypeOf, isDocument, isInt32, isNullish, isNumeric } from '../values/types.js';
import { tick } from '../values/work.js';
import { aNumber, anArray, countOf, needed } from './argument.js';
import { ARRAY_MAKERS } from './array-makers.js';
import {
  binary,
  compileArguments,
  constantOf,
  named,
  namedOperand,
  type Operator,
  type Operators,
  several,
  since,
  unary,
} from './operator.js';
import type { Evaluate } from './scope.js';

/** The place of an element, counted from the end if negative. Throws 28691 for another number than a 32-bit integer. */
function placeOf(value: unknown, name: string): number {
  const place = toDouble(value);
  if (!Number.isInteger(place) || place !== (place | 0)) {
    fail(28691, `${name}'s second argument must be representable as a 32-bit integer: ${place}`);
  }
  return place;
}

/** A place or a count of `$slice`. Throws the code for what is not a number, the next one for what is not 32-bit. */
function sliceBound(value: unknown, place: string, code: number): number {
  if (!isNumeric(value))
    fail(code, `${place} argument to $slice must be numeric, but is of type: ${bsonTypeOf(value)}`);
  const bound = toDouble(value);
  if (!isInt32(bound))
    fail(code + 1, `${place} argument to $slice can't be represented as a 32-bit integer: ${bound}`);
  return bound;
}

const slice = several([2, 3], (values) => {
  if (values.some(isNullish)) return null;
  const [array, a, b] = values;
  if (!Array.isArray(array))
    return fail(28724, `First argument to $slice must be an array, but is of type: ${bsonTypeOf(array)}`);
  const from = sliceBound(a, 'Second', 28725);
  if (values.length === 2) return from < 0 ? array.slice(from) : array.slice(0, from);
  const count = sliceBound(b, 'Third', 28727);
  if (count <= 0) fail(28729, `Third argument to $slice must be positive: ${count}`);
  const start = from < 0 ? Math.max(array.length + from, 0) : from;
  return array.slice(start, start + count);
});

const indexOfArray: Operator = (operand, scope, name) => {
  const [input, item, start, end] = compileArguments(name, operand, scope, [2, 4]) as [
    Evaluate,
    Evaluate,
    Evaluate?,
    Evaluate?,
  ];
  const { equal, hash } = scope;
  const known = constantOf(input);
  if (known !== undefined && Array.isArray(known.value) && start === undefined) {
    const places = new Map<unknown, number>();
    known.value.forEach((value, i) => {
      if (!places.has(hash(value))) places.set(hash(value), i);
    });
    return (root) => places.get(hash(item(root))) ?? -1;
  }
  return (root) => {
    const array = input(root);
    if (isNullish(array)) return null;
    if (!Array.isArray(array))
      return fail(40090, `$indexOfArray requires an array as a first argument, found: ${bsonTypeOf(array)}`);
    const wanted = item(root);
    const first = bound(start?.(root), 0);
    const last = Math.min(bound(end?.(root), array.length), array.length);
    for (let i = first; i < last; i++) {
      tick();
      if (equal(array[i], wanted)) return i;
    }
    return -1;
  };
};

function bound(value: unknown, otherwise: number): number {
  if (value === undefined) return otherwise;
  if (!Number.isInteger(toDouble(value))) {
    fail(
      40096,
      `$indexOfArray requires an integral starting index, found a value of type: ${bsonTypeOf(value)}`,
    );
  }
  const place = toDouble(value);
  if (place < 0) fail(40097, `$indexOfArray requires a nonnegative starting index, found: ${place}`);
  return place;
}

const zip: Operator = (operand, scope) => {
  const {
    inputs,
    useLongestLength = false,
    defaults,
  } = namedOperand('$zip', operand, {
    required: ['inputs'],
    optional: ['useLongestLength', 'defaults'],
    object: 34460,
    unknown: 34464,
    missing: 34465,
  });
  if (!Array.isArray(inputs))
    return fail(34461, `inputs must be an array of expressions, found ${bsonTypeOf(inputs)}`);
  if (inputs.length === 0) fail(34465, '$zip requires at least one input array');
  if (typeof useLongestLength !== 'boolean')
    fail(34463, `useLongestLength must be a bool, found ${bsonTypeOf(useLongestLength)}`);
  if (defaults !== undefined && !Array.isArray(defaults))
    fail(34462, `defaults must be an array of expressions, found ${bsonTypeOf(defaults)}`);
  if (defaults !== undefined && !useLongestLength)
    fail(34466, 'cannot specify defaults unless useLongestLength is true');
  if (defaults !== undefined && defaults.length !== inputs.length)
    fail(34467, 'defaults and inputs must have the same length');
  const sources = inputs.map((input) => scope.compile(input));
  const fill = defaults === undefined ? undefined : scope.compile(defaults);
  return (root) => {
    const arrays = sources.map((source) => source(root));
    if (arrays.some(isNullish)) return null;
    const odd = arrays.find((array) => !Array.isArray(array));
    if (odd !== undefined) fail(34468, `$zip found a non-array expression in input: ${bsonTypeOf(odd)}`);
    const lengths = (arrays as unknown[][]).map((array) => array.length);
    const length = useLongestLength ? Math.max(...lengths) : Math.min(...lengths);
    const spare = (fill?.(root) ?? []) as unknown[];
    return Array.from({ length }, (_, i) => {
      tick();
      return (arrays as unknown[][]).map((array, place) =>
        i < array.length ? array[i] : (spare[place] ?? null),
      );
    });
  };
};

/** Anything but a document has none of the fields that a sort names. */
const asDocument = (value: unknown): Document => (isDocument(value) ? value : {});

const sortArray: Operator = (operand, scope) => {
  const { input, sortBy } = namedOperand('$sortArray', operand, {
    required: ['input', 'sortBy'],
    object: 2942500,
    unknown: 2942501,
    missing: [2942502, 2942503],
  });
  const source = scope.compile(input);
  const order = isDocument(sortBy) ? compileSort(sortBy, scope.compare).compare : undefined;
  const direction = order === undefined ? toDouble(sortBy) : 1;
  if (direction !== 1 && direction !== -1) fail(2942505, '$sortArray: sort direction must be 1 or -1');
  const { compare } = scope;
  return (root) => {
    const array = source(root);
    if (isNullish(array)) return null;
    if (!Array.isArray(array))
      return fail(
        2942504,
        `The input argument to $sortArray must be an array, but was of type: ${bsonTypeOf(array)}`,
      );
    if (order !== undefined) return [...array].sort((a, b) => order(asDocument(a), asDocument(b)));
    return [...array].sort((a, b) => direction * compare(a, b));
  };
};

/** `$firstN`, `$lastN`, `$minN`, `$maxN` of an array. */
function severalOf(
  pick: (array: unknown[], n: number, compare: (a: unknown, b: unknown) => number) => unknown[],
): Operator {
  return named({ required: ['input', 'n'] }, ({ input, n }, name, scope) => {
    const count = countOf(n, name);
    if (isNullish(input)) return null;
    if (!Array.isArray(input)) fail(5788200, 'Input must be an array');
    return pick(input, count, scope.compare);
  });
}

const present = (array: readonly unknown[]): unknown[] => array.filter((item) => !isNullish(item));

const END = anArray(28689, "$op's argument must be an array, but is");

/** Operators on arrays as a whole. */
export const ARRAYS: Operators = {
  ...ARRAY_MAKERS,
  $arrayElemAt: binary(
    (items, place, name) => items.at(placeOf(place, name)),
    [
      anArray(28689, "$op's first argument must be an array, but is"),
      aNumber(28690, "$op's second argument must be a numeric value, but is"),
    ],
  ),
  // Missing for an empty one.
  $first: unary((items) => items.at(0), END),
  $last: unary((items) => items.at(-1), END),
  $size: unary(
    (items) => items.length,
    needed(anArray(17124, 'The argument to $size must be an array, but was of type:')),
  ),
  $isArray: unary((value) => Array.isArray(value)),
  $slice: slice,
  $indexOfArray: indexOfArray,
  $reverseArray: unary(
    (items) => [...items].reverse(),
    anArray(34435, 'The argument to $reverseArray must be an array, but was of type:'),
  ),
  $zip: zip,
  $sortArray: since(5.2, sortArray),
  $firstN: since(
    5.2,
    severalOf((items, n) => items.slice(0, n)),
  ),
  $lastN: since(
    5.2,
    severalOf((items, n) => items.slice(-n)),
  ),
  $minN: since(
    5.2,
    severalOf((items, n, compare) => present(items).sort(compare).slice(0, n)),
  ),
  $maxN: since(
    5.2,
    severalOf((items, n, compare) =>
      present(items)
        .sort((a, b) => compare(b, a))
        .slice(0, n),
    ),
  ),
};
