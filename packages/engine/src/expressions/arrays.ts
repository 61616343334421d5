import type { Document } from 'bson';
import { fail } from '../errors.js';
import { toDouble } from '../values/numbers.js';
import { compileSort } from '../values/sort-by.js';
import { bsonTypeOf, isDocument, isNullish } from '../values/types.js';
import { stepwise, tick } from '../values/work.js';
import { PICK_SOME, type PickSome } from './accumulators/pick-some.js';
import {
  type Argument,
  aBoolean,
  anArray,
  anInt32,
  aWholeNumber,
  checkArgument,
  countOf,
  needed,
  refused,
} from './argument.js';
import { ARRAY_MAKERS } from './array-makers.js';
import {
  binary,
  compileArguments,
  declared,
  foldConstant,
  listOf,
  type Members,
  named,
  type Operator,
  type Operators,
  since,
  unary,
} from './operator.js';
import type { Evaluate, Scope } from './scope.js';

const place = (position: string, code: number): Argument<unknown> =>
  anInt32(
    code,
    `${position} argument to $op must be numeric, but is of type: $type`,
    `${position} argument to $op can't be represented as a 32-bit integer: $number`,
  );
const SLICED = anArray(28724, 'First argument to $op must be an array, but is of type: $type');
const FROM = place('Second', 28725);
const COUNT = place('Third', 28727);

const sliceAtEnd = binary(
  (array, given) => {
    const count = toDouble(given);
    return count < 0 ? array.slice(count) : array.slice(0, count);
  },
  [SLICED, FROM],
);

function sliceWithin(array: readonly unknown[], from: number, count: number): unknown[] {
  if (count <= 0) fail(28729, `Third argument to $slice must be positive: ${count}`);
  const start = from < 0 ? Math.max(array.length + from, 0) : from;
  return array.slice(start, start + count);
}

const slice: Operator = (operand, scope, name) => {
  if (listOf(operand).length === 2) return sliceAtEnd(operand, scope, name);
  const inputs: readonly Evaluate[] = compileArguments(name, operand, scope, [2, 3]);
  const [input, fromOf, countOf] = inputs as [Evaluate, Evaluate, Evaluate];
  const evaluate: Evaluate = (root) => {
    const array = input(root);
    const from = fromOf(root);
    const count = countOf(root);
    if (SLICED.is(array) && FROM.is(from) && COUNT.is(count))
      return sliceWithin(array, toDouble(from), toDouble(count));
    return refused([SLICED, FROM, COUNT], [array, from, count], name);
  };
  return foldConstant(evaluate, ...inputs);
};

const SEARCHED = anArray(40090, '$op requires an array as a first argument, found: $type');

const indexOfArray: Operator = (operand, scope, name) => {
  const inputs: readonly Evaluate[] = compileArguments(name, operand, scope, [2, 4]);
  const [input, item, start, end] = inputs as [Evaluate, Evaluate, Evaluate?, Evaluate?];
  const { equal, hash } = scope;
  const known = input.constant;
  if (known !== undefined && Array.isArray(known.value) && start === undefined) {
    const places = new Map<unknown, number>();
    known.value.forEach((value, i) => {
      if (!places.has(hash(value))) places.set(hash(value), i);
    });
    return (root) => places.get(hash(item(root))) ?? -1;
  }
  return (root) => {
    const array = input(root);
    if (!Array.isArray(array)) return refused([SEARCHED], [array], name);
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

const START = aWholeNumber(40096, '$op requires an integral starting index, found a value of type: $type');

function bound(value: unknown, otherwise: number): number {
  if (value === undefined) return otherwise;
  checkArgument(START, value, '$indexOfArray');
  const place = toDouble(value);
  if (place < 0) fail(40097, `$indexOfArray requires a nonnegative starting index, found: ${place}`);
  return place;
}

const ZIP: Members = {
  object: 34460,
  unknown: 34464,
  required: ['inputs'],
  missing: 34465,
  literals: {
    inputs: anArray(34461, 'inputs must be an array of expressions, found $type'),
    useLongestLength: aBoolean(34463, 'useLongestLength must be a bool, found $type'),
    defaults: anArray(34462, 'defaults must be an array of expressions, found $type'),
  },
};

function zip(spec: Document, scope: Scope): Evaluate {
  const inputs: readonly unknown[] = spec['inputs'];
  const defaults: readonly unknown[] | undefined = spec['defaults'];
  const { useLongestLength = false } = spec;
  if (inputs.length === 0) fail(34465, '$zip requires at least one input array');
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
}

/** Anything but a document has none of the fields used in a sort. */
const asDocument = (value: unknown): Document => (isDocument(value) ? value : {});

const SORT_ARRAY: Members = {
  object: 2942500,
  unknown: 2942501,
  required: ['input', 'sortBy'],
  missing: [2942502, 2942503],
};
const SORTED = anArray(2942504, 'The input argument to $op must be an array, but was of type: $type');

function sortArray({ input, sortBy }: Document, scope: Scope, name: string): Evaluate {
  const source = scope.compile(input);
  const { compare } = scope;
  const order = isDocument(sortBy) ? compileSort(sortBy, compare).compare : undefined;
  const direction = order === undefined ? toDouble(sortBy) : 1;
  if (direction !== 1 && direction !== -1) fail(2942505, '$sortArray: sort direction must be 1 or -1');
  return (root) => {
    const array = source(root);
    if (!Array.isArray(array)) return refused([SORTED], [array], name);
    if (order !== undefined) return [...array].sort(stepwise((a, b) => order(asDocument(a), asDocument(b))));
    return [...array].sort(stepwise((a, b) => direction * compare(a, b)));
  };
}

/** `$firstN`, `$lastN`, `$minN`, `$maxN` of an array. */
const severalOf = (pick: PickSome): Operator =>
  since(
    5.2,
    named({ required: ['input', 'n'] }, ({ input, n }, name, scope) => {
      const count = countOf(n, name);
      return Array.isArray(input) ? pick(input, count, scope.compare) : refused([SOME], [input], name);
    }),
  );

const SOME = anArray(5788200, 'Input must be an array');

const END = anArray(28689, "$op's argument must be an array, but is $type");

/** Operators on arrays as a whole. */
export const ARRAYS: Operators = {
  ...ARRAY_MAKERS,
  $arrayElemAt: binary(
    (items, place) => items.at(toDouble(place)),
    [
      anArray(28689, "$op's first argument must be an array, but is $type"),
      anInt32(
        28690,
        "$op's second argument must be a numeric value, but is $type",
        "$op's second argument must be representable as a 32-bit integer: $number",
      ),
    ],
  ),
  // Missing for an empty array.
  $first: unary((items) => items.at(0), END),
  $last: unary((items) => items.at(-1), END),
  $size: unary(
    (items) => items.length,
    needed(anArray(17124, 'The argument to $op must be an array, but was of type: $type')),
  ),
  $isArray: unary((value) => Array.isArray(value)),
  $slice: slice,
  $indexOfArray: indexOfArray,
  $reverseArray: unary(
    (items) => [...items].reverse(),
    anArray(34435, 'The argument to $op must be an array, but was of type: $type'),
  ),
  $zip: declared(ZIP, zip),
  $sortArray: since(5.2, declared(SORT_ARRAY, sortArray)),
  ...Object.fromEntries(Object.entries(PICK_SOME).map(([name, pick]) => [name, severalOf(pick)])),
};
