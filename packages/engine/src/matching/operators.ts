import type { Document } from 'bson';
import { fail } from '../errors.js';
import { regexParts } from '../values/compare.js';
import { isReference, isReferenceMember } from '../values/paths.js';
import { isRegex } from '../values/regex.js';
import { isTruthy } from '../values/type-names.js';
import { hasOperator, isDocument } from '../values/types.js';
import { testAll, testElements } from './array.js';
import { COMPARISONS, testEqual, testIn, testRegex } from './comparison.js';
import { testExists, testType } from './element.js';
import { BIT_TESTS, testMod, testSize } from './evaluation.js';
import type { Leaf, TestValue } from './match-path.js';
import { passOnNeeds } from './one-of.js';
import type { FilterOptions } from './options.js';

/**
 * What a condition applies to: the values at a path of a document, or one element of an array. It turns a test of a value into a
 * test of the subject.
 */
export type Target = (test: TestValue, leaf: Leaf) => TestValue;

/** One element of an array, which `$elemMatch` tests individually. */
export const ELEMENT: Target = (test) => test;

type Compile = (target: Target, operand: unknown, options: FilterOptions, siblings: Document) => TestValue;

const negate =
  (test: TestValue): TestValue =>
  (subject) =>
    !test(subject);

const simple =
  (make: (operand: unknown, options: FilterOptions) => TestValue, leaf: Leaf = 'elements'): Compile =>
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
  return () => true;
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
    const test = target(testExists(), 'whole');
    return isTruthy(operand) ? test : negate(test);
  },
  $type: simple(testType),
  $mod: simple(testMod),
  $size: simple(testSize, 'whole'),
  $regex: compileRegex,
  $options: requireRegex,
  $elemMatch: (target, operand, options) => target(testElements(operand, options), 'whole'),
  $all: testAll,
  $comment: () => () => true,
};

/** Whether a condition is a document of operators rather than a value to compare with, even a part of a DBRef. */
export function isOperators(condition: unknown): condition is Document {
  return hasOperator(condition) && !isReferenceMember(Object.keys(condition)[0] as string);
}

/** Compiles a document of operators, all of which must hold. Throws BadValue for an unknown operator. */
export function compileOperators(target: Target, condition: Document, options: FilterOptions): TestValue {
  const tests = Object.entries(condition).map(([name, operand]) => {
    if (UNSUPPORTED.includes(name)) fail('NotImplemented', `${name} is not supported by this engine`);
    const compile = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
    if (compile === undefined) return fail('BadValue', `unknown operator: ${name}`);
    return compile(target, operand, options, condition);
  });
  return allOf(tests);
}

/** A test that passes if all of the given tests do. */
export function allOf<T>(tests: readonly ((subject: T) => boolean)[]): (subject: T) => boolean {
  const [first, second] = tests;
  if (first === undefined) return () => true;
  if (second === undefined) return first;
  const every =
    tests.length === 2
      ? (subject: T) => first(subject) && second(subject)
      : (subject: T) => tests.every((test) => test(subject));
  passOnNeeds(every, tests, 'all');
  return every;
}

/** A value that the target must equal, or a regular expression that it must match. */
export const compileValue = (target: Target, value: unknown, { collation }: FilterOptions): TestValue =>
  target(isRegex(value) ? testRegex(value) : testEqual(value, collation), 'elements');

/** A condition on a target: operators, a regular expression, or a value to compare with. Only whole DBRefs count as values. */
export const compileCondition = (target: Target, condition: unknown, options: FilterOptions): TestValue =>
  hasOperator(condition) && !isReference(condition)
    ? compileOperators(target, condition, options)
    : compileValue(target, condition, options);
