import type { Document } from 'bson';
import { fail } from '../errors.js';
import {
  type Argument,
  anArray,
  argument,
  aWholeNumber,
  type Code,
  checkArgument,
} from '../expressions/argument.js';
import { compileFilter } from '../matching/compile-filter.js';
import { compileCondition, isOperators } from '../matching/operators.js';
import { NOT_OF_ELEMENTS, refuseConditions } from '../matching/refuse-conditions.js';
import { ELEMENT } from '../matching/tests.js';
import { valueComparer } from '../values/compare.js';
import { hasher } from '../values/hash-key.js';
import { toDouble } from '../values/numbers.js';
import { isRegex } from '../values/regex.js';
import { shellText } from '../values/shell-text.js';
import { compileSort } from '../values/sort-by.js';
import { bsonTypeOf, isDocument } from '../values/types.js';
import { stepwise } from '../values/work.js';
import { nameDocument } from './field-operators.js';
import type { CompileChange, UpdateContext, UpdateOperator, UpdateOptions } from './options.js';

function arrayOf(value: unknown, path: string, context: UpdateContext): readonly unknown[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  return fail(
    'BadValue',
    `The field '${path}' must be an array but is of type ${bsonTypeOf(value)} in document ${nameDocument(context)}`,
  );
}

const place = (modifier: string): Argument<unknown> =>
  aWholeNumber('BadValue', `The value for ${modifier} must be an integer value but was given type: $type`);

/** The options next to `$each`: which elements stay, and where new ones go. */
const PLACES = { $position: place('$position'), $slice: place('$slice') };

function placeOf(clauses: Document, modifier: keyof typeof PLACES): number | undefined {
  if (clauses[modifier] === undefined) return undefined;
  checkArgument(PLACES[modifier], clauses[modifier], '$push');
  return toDouble(clauses[modifier]);
}

const MODIFIERS = ['$each', '$slice', '$sort', '$position'];

type Sorter = (items: unknown[]) => unknown[];

function compileSorter(sort: unknown, { collation }: UpdateOptions): Sorter | undefined {
  if (sort === undefined) return undefined;
  const compare = valueComparer(collation);
  if (isDocument(sort)) {
    if (Object.keys(sort).length === 0)
      fail('BadValue', 'The $sort pattern is empty when it should be a set of fields.');
    for (const path of Object.keys(sort)) {
      if (path === '' || path.startsWith('.') || path.endsWith('.') || path.includes('..'))
        fail('BadValue', `The $sort field is a dotted field but has an empty part: ${path}`);
      const direction = toDouble(sort[path]);
      if (direction !== 1 && direction !== -1)
        fail('BadValue', `The $sort element value must be either 1 or -1`);
    }
    const order = compileSort(sort, compare).compare;
    const documentOf = (item: unknown): Document => (isDocument(item) ? item : {});
    return (items) => items.sort(stepwise((a, b) => order(documentOf(a), documentOf(b))));
  }
  const direction = toDouble(sort);
  if (direction !== 1 && direction !== -1)
    return fail('BadValue', 'The $sort element value must be either 1 or -1');
  return (items) => items.sort(stepwise((a, b) => direction * compare(a, b)));
}

const anEach = (code: Code): Argument<readonly unknown[]> =>
  anArray(code, 'The argument to $each in $op must be an array but it was of type: $type');
const TO_PUSH = anEach('BadValue');
const TO_ADD = anEach('TypeMismatch');

/** The values of `$push` and `$addToSet`: one, or those of `$each`. */
function eachOf(operand: unknown, name: string, declared: Argument<readonly unknown[]>): readonly unknown[] {
  if (!isDocument(operand) || !('$each' in operand)) return [operand];
  const each: unknown = operand['$each'];
  checkArgument(declared, each, name);
  return each;
}

const push: CompileChange = (operand, path, options) => {
  const items = eachOf(operand, '$push', TO_PUSH);
  const clauses: Document = isDocument(operand) && '$each' in operand ? operand : {};
  for (const name of Object.keys(clauses)) {
    if (!MODIFIERS.includes(name)) fail('BadValue', `Unrecognized clause in $push: ${name}`);
  }
  const sorter = compileSorter(clauses['$sort'], options);
  const position = placeOf(clauses, '$position');
  const slice = placeOf(clauses, '$slice');
  return (value, context) => {
    const old = arrayOf(value, path, context);
    const place =
      position === undefined ? old.length : position < 0 ? Math.max(0, old.length + position) : position;
    const joined = [...old.slice(0, place), ...items, ...old.slice(place)];
    const sorted = sorter === undefined ? joined : sorter(joined);
    if (slice === undefined) return sorted;
    return slice < 0 ? sorted.slice(slice) : sorted.slice(0, slice);
  };
};

const addToSet: CompileChange = (operand, path, { collation }) => {
  const items = eachOf(operand, '$addToSet', TO_ADD);
  if (isDocument(operand) && '$each' in operand && Object.keys(operand).length > 1)
    fail('BadValue', `Found unexpected fields after $each in $addToSet: ${shellText(operand)}`);
  const hash = stepwise(hasher(collation));
  return (value, context) => {
    if (value !== undefined && !Array.isArray(value)) {
      fail(
        'BadValue',
        `Cannot apply $addToSet to non-array field. Field named '${path}' has non-array type ${bsonTypeOf(value)}`,
      );
    }
    const old = arrayOf(value, path, context);
    const seen = new Set(old.map((item) => hash(item)));
    const added = items.filter((item) => {
      const key = hash(item);
      const isNew = !seen.has(key);
      seen.add(key);
      return isNew;
    });
    return added.length === 0 && value !== undefined ? value : [...old, ...added];
  };
};

/** Conditions on a whole element. */
const LOGICAL = ['$and', '$or', '$nor'];

/** Whether an element is to be removed. */
function pullTest(operand: unknown, options: UpdateOptions): (item: unknown) => boolean {
  refuseConditions(operand, NOT_OF_ELEMENTS);
  const logical = isDocument(operand) && LOGICAL.includes(Object.keys(operand)[0] ?? '');
  if (isRegex(operand) || (isOperators(operand) && !logical))
    return compileCondition(ELEMENT, operand, { ...options, compileFilter }).test;
  if (isDocument(operand)) {
    const test = compileFilter(operand, { collation: options.collation });
    return (item) => isDocument(item) && test(item);
  }
  const compare = valueComparer(options.collation);
  return (item) => compare(item, operand) === 0;
}

function removal(
  name: string,
  compile: (operand: unknown, options: UpdateOptions) => (item: unknown) => boolean,
): CompileChange {
  return (operand, _path, options) => {
    const test = stepwise(compile(operand, options));
    return (value) => {
      if (value === undefined) return undefined;
      if (!Array.isArray(value)) return fail('BadValue', `Cannot apply ${name} to a non-array value`);
      const kept = value.filter((item) => !test(item));
      return kept.length === value.length ? value : kept;
    };
  };
}

const pop: CompileChange = (operand, path) => {
  const end = toDouble(operand);
  return (value) => {
    if (value === undefined) return undefined;
    if (!Array.isArray(value))
      return fail(
        'TypeMismatch',
        `Path '${path}' contains an element of non-array type '${bsonTypeOf(value)}'`,
      );
    if (value.length === 0) return value;
    return end === 1 ? value.slice(0, -1) : value.slice(1);
  };
};

const isEnd = (value: unknown): value is unknown => Math.abs(toDouble(value)) === 1;

/** Operators on arrays. */
export const ARRAY_OPERATORS: Readonly<Record<string, UpdateOperator>> = {
  $push: { compile: push },
  $addToSet: { compile: addToSet },
  $pull: { compile: removal('$pull', pullTest), neverCreates: true },
  $pullAll: {
    takes: anArray('BadValue', '$op requires an array argument but was given a $type'),
    compile: removal('$pullAll', (operand, { collation }) => {
      const hash = hasher(collation);
      const unwanted = new Set((operand as readonly unknown[]).map((item) => hash(item)));
      return (item) => unwanted.has(hash(item));
    }),
    neverCreates: true,
  },
  $pop: {
    takes: argument(isEnd)('FailedToParse', '$op expects 1 or -1, found: $value'),
    compile: pop,
    neverCreates: true,
  },
};
