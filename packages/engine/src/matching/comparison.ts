import { fail } from '../errors.js';
import { type Collation, isSimpleCollation } from '../values/collation.js';
import { type Compare, regexParts, typeOrder, valueComparer } from '../values/compare.js';
import { hasher } from '../values/hash-key.js';
import { isNaNumber } from '../values/numbers.js';
import { isReference } from '../values/paths.js';
import { isRegex, makeRegex } from '../values/regex.js';
import { hasOperator, isNullish, isNumeric, UNDEFINED } from '../values/types.js';
import type { TestValue } from './match-path.js';
import { rawEqual, rawIn, rawPattern, rawRange } from './raw-tests.js';
import type { ValueTest } from './tests.js';

/**
 * A regular expression as a query condition: matches strings that contain a match, and the same regular expression as a value.
 */
export function testRegex(value: unknown, options?: string): ValueTest {
  const parts = regexParts(value);
  const wanted = { pattern: parts.pattern, options: options ?? parts.options };
  const regex = makeRegex(wanted.pattern, wanted.options);
  const isSame = (item: unknown): boolean => {
    const own = regexParts(item);
    return own.pattern === wanted.pattern && own.options === wanted.options;
  };
  return {
    test: (item) => (typeof item === 'string' ? regex.test(item) : isRegex(item) && isSame(item)),
    raw: rawPattern(regex),
    literal: regex.literal,
  };
}

/** `$eq`: null also matches a missing value. */
export const testEqual = (wanted: unknown, collation?: Collation): ValueTest => ({
  test: valueEqual(wanted, collation),
  raw: rawEqual(wanted, collation),
});

function valueEqual(wanted: unknown, collation?: Collation): TestValue {
  if (wanted === UNDEFINED) fail('BadValue', 'cannot compare to undefined');
  if (wanted === null || wanted === undefined) return (value) => isNullish(value);
  const compare = valueComparer(collation);
  if (typeof wanted === 'string' && isSimpleCollation(collation)) {
    return (value) => value === wanted || (typeof value === 'object' && compare(value, wanted) === 0);
  }
  if (typeof wanted === 'boolean') return (value) => value === wanted;
  return (value) => value !== undefined && (value === wanted || compare(value, wanted) === 0);
}

type Range = '$gt' | '$gte' | '$lt' | '$lte';

/** What each range operator requires of the order of a value relative to its bound. */
export const HOLDS: Readonly<Record<Range, (order: number) => boolean>> = {
  $gt: (order) => order > 0,
  $gte: (order) => order >= 0,
  $lt: (order) => order < 0,
  $lte: (order) => order <= 0,
};

const MIN_KEY = -1;
const MAX_KEY = 127;

/** Ranges compare only within one type; MinKey and MaxKey, the ends of the order, compare with all. */
const testRange = (name: Range, limit: unknown, collation: Collation | undefined): ValueTest => ({
  test: valueRange(name, limit, valueComparer(collation)),
  raw: rawRange(limit, collation, HOLDS[name]),
});

function valueRange(name: Range, limit: unknown, compare: Compare): TestValue {
  const holds = HOLDS[name];
  const place = typeOrder(limit);
  const inclusive = name === '$gte' || name === '$lte';
  if (isRegex(limit)) fail('BadValue', `Can't have RegEx as arg to predicate over field`);
  if (limit === UNDEFINED) fail('BadValue', 'cannot compare to undefined');
  if (limit === null || limit === undefined) {
    return (value) => inclusive && isNullish(value);
  }
  if (place === MIN_KEY || place === MAX_KEY) return (value) => holds(compare(value ?? null, limit));
  if (isNumeric(limit)) return testNumericRange(limit, holds, inclusive, compare);
  return (value) => typeOrder(value) === place && holds(compare(value, limit));
}

function testNumericRange(
  limit: unknown,
  holds: (order: number) => boolean,
  inclusive: boolean,
  compare: Compare,
): TestValue {
  // NaN is neither greater nor less than any number.
  if (isNaNumber(limit)) return (value) => inclusive && isNumeric(value) && isNaNumber(value);
  return (value) => {
    if (typeof value !== 'number' && !isNumeric(value)) return false;
    return !isNaNumber(value) && holds(compare(value, limit));
  };
}

/** `$in`: a hashed set of values, with regular expressions and null handled separately. */
export function testIn(list: unknown, collation?: Collation, name = '$in'): ValueTest {
  if (!Array.isArray(list)) return fail('BadValue', `${name} needs an array`);
  for (const item of list) {
    if (item === UNDEFINED) fail('BadValue', `${name} cannot compare to undefined`);
    if (hasOperator(item) && !isReference(item)) fail('BadValue', `cannot nest $ under ${name}`);
  }
  const hash = hasher(collation);
  const patterns = list.filter(isRegex).map((item) => testRegex(item).test);
  const wanted = new Set(list.map((item) => hash(item ?? null)));
  if (wanted.has(null)) wanted.add(undefined).add(hash(UNDEFINED));
  if (patterns.length === 0) return { test: (value) => wanted.has(hash(value)), raw: rawIn(list, collation) };
  return { test: (value) => wanted.has(hash(value)) || patterns.some((test) => test(value)) };
}

/** The comparison operators by name. */
export const COMPARISONS: Readonly<Record<string, (operand: unknown, collation?: Collation) => ValueTest>> = {
  $eq: testEqual,
  $gt: (operand, collation) => testRange('$gt', operand, collation),
  $gte: (operand, collation) => testRange('$gte', operand, collation),
  $lt: (operand, collation) => testRange('$lt', operand, collation),
  $lte: (operand, collation) => testRange('$lte', operand, collation),
  $in: (operand, collation) => testIn(operand, collation),
};
