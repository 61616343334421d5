import type { Document } from 'bson';
import { fail } from '../errors.js';
import { regexParts } from '../values/compare.js';
import { isReference, isReferenceMember } from '../values/paths.js';
import { isRegex } from '../values/regex.js';
import { isTruthy } from '../values/type-names.js';
import { hasOperator, isDocument } from '../values/types.js';
import { tick } from '../values/work.js';
import { COMPARISONS, testEqual, testIn, testRegex } from './comparison.js';
import { TEST_EXISTS, testType } from './element.js';
import { BIT_TESTS, testMod, testSize } from './evaluation.js';
import type { Leaf, TestDocument, TestValue } from './match-path.js';
import type { FilterOptions } from './options.js';
import { type RefusedConditions, refuseConditions } from './refuse-conditions.js';
import { ELEMENT, every, negate, type SubjectTest, type Target, type ValueTest } from './tests.js';

/** Options of conditions, with the compiler of filters, which conditions on elements contain. */
export interface ConditionOptions extends FilterOptions {
  readonly compileFilter: (filter: Document, options: FilterOptions) => TestDocument;
}

type Compile = <N>(
  target: Target<N>,
  operand: unknown,
  options: ConditionOptions,
  siblings: Document,
) => SubjectTest<N>;

const simple =
  (make: (operand: unknown, options: FilterOptions) => ValueTest, leaf: Leaf = 'elements'): Compile =>
  (target, operand, options) =>
    target(make(operand, options), leaf);

const compileNot: Compile = (target, operand, options) => {
  if (isRegex(operand)) return negate(target(testRegex(operand), 'elements'));
  if (!isDocument(operand)) return fail('BadValue', '$not needs a regex or a document');
  if (Object.keys(operand).length === 0) return fail('BadValue', '$not cannot be empty');
  return negate(compileOperators(target, operand, options));
};

/** Rejects options given both in the pattern and next to it. */
function checkOptions(operand: unknown, siblings: Document): void {
  if (siblings['$options'] === undefined || !isRegex(operand) || regexParts(operand).options === '') return;
  const isFirst = Object.keys(siblings).indexOf('$regex') < Object.keys(siblings).indexOf('$options');
  if (isFirst || siblings['$options'] !== '')
    fail(isFirst ? 51075 : 51074, 'options set in both $regex and $options');
}

const compileRegex: Compile = (target, operand, _options, siblings) => {
  const { $options } = siblings;
  if ($options !== undefined && typeof $options !== 'string') fail('BadValue', '$options has to be a string');
  if ($options?.includes('\0')) fail('BadValue', '$options cannot contain an embedded null byte');
  if (typeof operand !== 'string' && !isRegex(operand)) fail('BadValue', '$regex has to be a string');
  checkOptions(operand, siblings);
  const pattern = typeof operand === 'string' ? { pattern: operand, options: $options ?? '' } : operand;
  return target(
    testRegex(pattern, typeof operand === 'string' ? undefined : $options || undefined),
    'elements',
  );
};

const requireRegex: Compile = (_target, _operand, _options, siblings) => {
  if (!('$regex' in siblings)) fail('BadValue', '$options needs a $regex');
  return { test: () => true };
};

const LOGICAL = ['$and', '$or', '$nor', '$where', '$expr'];

/** An array as a document of its positions, as `$elemMatch` sees an array inside an array. */
const asDocument = (value: unknown): Document | undefined => {
  if (isDocument(value)) return value;
  return Array.isArray(value) ? { ...value } : undefined;
};

/** Conditions that apply only to whole documents. */
const TOP_ONLY: RefusedConditions = { $expr: 'BadValue', $jsonSchema: 'BadValue', $text: 'BadValue' };

const elementTest = (test: TestValue): ValueTest => ({
  test: (value) =>
    Array.isArray(value) &&
    value.some((item) => {
      tick();
      return test(item);
    }),
});

/** `$elemMatch`: an array with an element that satisfies all conditions. */
export function testElements(operand: unknown, options: ConditionOptions): ValueTest {
  if (!isDocument(operand)) return fail('BadValue', '$elemMatch needs an Object');
  refuseConditions(operand, TOP_ONLY);
  const first = Object.keys(operand)[0];
  if (isOperators(operand) && !LOGICAL.includes(first ?? '')) {
    const { test } = compileOperators(ELEMENT, operand, options);
    return elementTest(test);
  }
  const test = options.compileFilter(operand, options);
  return elementTest((item) => {
    const document = asDocument(item);
    return document !== undefined && test(document);
  });
}

const isElemMatch = (item: unknown): item is { $elemMatch: unknown } =>
  isDocument(item) && Object.keys(item)[0] === '$elemMatch';

/** `$all`: every listed value, pattern or `$elemMatch` matches; an empty list matches nothing. */
const compileAll: Compile = (target, operand, options) => {
  if (!Array.isArray(operand)) return fail('BadValue', '$all needs an array');
  if (operand.length === 0) return { test: () => false };
  const elemMatches = operand.filter(isElemMatch).length;
  if (elemMatches > 0 && elemMatches < operand.length) {
    fail('BadValue', 'no $ expressions in $all');
  }
  return every(
    operand.map((item) => {
      if (isElemMatch(item)) return compileOperators(target, item, options);
      if (isOperators(item)) return fail('BadValue', 'no $ expressions in $all');
      return compileValue(target, item, options);
    }),
  );
};

const UNSUPPORTED = ['$geoWithin', '$geoIntersects', '$near', '$nearSphere', '$within', '$geoNear'];

/** Every operator of a condition on a field. */
const OPERATORS: Readonly<Record<string, Compile>> = {
  ...Object.fromEntries(
    Object.entries(COMPARISONS).map(([name, make]) => [
      name,
      simple((operand, options) => make(operand, options.collation)),
    ]),
  ),
  ...Object.fromEntries(Object.entries(BIT_TESTS).map(([name, make]) => [name, simple(make)])),
  $ne: (target, operand, { collation }) => {
    if (isRegex(operand)) fail('BadValue', "Can't have regex as arg to $ne.");
    return negate(target(testEqual(operand, collation), 'elements'));
  },
  $nin: (target, operand, { collation }) => negate(target(testIn(operand, collation, '$nin'), 'elements')),
  $not: compileNot,
  $exists: (target, operand) => {
    const test = target(TEST_EXISTS, 'whole');
    return isTruthy(operand) ? test : negate(test);
  },
  $type: simple(testType),
  $mod: simple(testMod),
  $size: simple(testSize, 'whole'),
  $regex: compileRegex,
  $options: requireRegex,
  $elemMatch: (target, operand, options) => target(testElements(operand, options), 'whole'),
  $all: compileAll,
  $comment: () => ({ test: () => true }),
};

/** Whether a condition is a document of operators rather than a value to compare with, even a part of a DBRef. */
export function isOperators(condition: unknown): condition is Document {
  return hasOperator(condition) && !isReferenceMember(Object.keys(condition)[0] as string);
}

/** Compiles a document of operators, all of which must hold. Throws BadValue for an unknown operator. */
function compileOperators<N>(
  target: Target<N>,
  condition: Document,
  options: ConditionOptions,
): SubjectTest<N> {
  const tests = Object.entries(condition).map(([name, operand]) => {
    if (UNSUPPORTED.includes(name)) fail('NotImplemented', `${name} is not supported by this engine`);
    const compile = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
    if (compile === undefined) return fail('BadValue', `unknown operator: ${name}`);
    return compile(target, operand, options, condition);
  });
  return every(tests);
}

/** A value that the target must equal, or a regular expression that it must match. */
const compileValue = <N>(target: Target<N>, value: unknown, { collation }: FilterOptions): SubjectTest<N> =>
  target(isRegex(value) ? testRegex(value) : testEqual(value, collation), 'elements');

/** A condition on a target: operators, a regular expression, or a value to compare with. Only whole DBRefs count as values. */
export const compileCondition = <N>(
  target: Target<N>,
  condition: unknown,
  options: ConditionOptions,
): SubjectTest<N> =>
  hasOperator(condition) && !isReference(condition)
    ? compileOperators(target, condition, options)
    : compileValue(target, condition, options);
