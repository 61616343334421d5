/**
 * The filter tests as match documents for one path. A negated test matches only values that are
 * present, as in SQL. Paths come from the schema, values are cast scalars, and text is matched by escaped
 * patterns.
 */
import type { Test } from '../../query/read-plan.js';
import { rowOfTest, type TestOperator, type TestsOf } from '../../query/tests.js';
import { isJsonType, scalarOf } from '../../schema/scalars/index.js';
import type { ScalarAttribute } from '../../schema/types.js';
import { presentIn } from '../../values/absent.js';
import { ALWAYS, anyMatch, NEVER } from '../rows/combine.js';
import type { Expression, Match } from '../types.js';

type Writer = (path: string, values: readonly unknown[]) => Match;
interface Operator {
  readonly plain: Writer;
  readonly negated: Writer;
}

/**
 * The end of the text, for patterns with the option `s`, in which `.` matches any character. `$` would also
 * match before a trailing line break.
 */
const END = '(?!.)';

export const escapeText = (text: unknown): string =>
  String(text)
    .replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    .replaceAll('\0', '\\x00');

const compare =
  (operator: '$eq' | '$lt' | '$lte' | '$gt' | '$gte'): Writer =>
  (path, [value]) =>
    value === null || value === undefined ? NEVER : { [path]: { [operator]: value } };

/**
 * The pattern of each text operator, and its options. In a search, `_` matches any character, as in SQL's
 * LIKE. It is written as `.`, since on some servers a class of all characters takes milliseconds per string
 * when case is ignored.
 */
const PATTERNS = {
  eqi: [(text: string) => `^${text}${END}`, 'is'],
  contains: [(text: string) => text, ''],
  containsi: [(text: string) => text, 'i'],
  startsWith: [(text: string) => `^${text}`, ''],
  startsWithi: [(text: string) => `^${text}`, 'i'],
  endsWith: [(text: string) => `${text}${END}`, 's'],
  endsWithi: [(text: string) => `${text}${END}`, 'is'],
  search: [(text: string) => text.replaceAll('_', '.'), 'is'],
} as const satisfies Record<TestsOf<'text'>, unknown>;

export type TextOperator = TestsOf<'text'>;

export const isTextOperator = (operator: TestOperator): operator is TextOperator =>
  rowOfTest(operator).kind === 'text';

/** The escaped pattern and its options. */
export function textPattern(
  operator: TextOperator,
  value: unknown,
): { regex: string; options: '' | 'i' | 's' | 'is' } {
  const [pattern, options] = PATTERNS[operator];
  return { regex: pattern(escapeText(value)), options };
}

const text = (operator: TextOperator): Operator => {
  const regex = (value: unknown): Match => {
    const { regex: $regex, options } = textPattern(operator, value);
    return options === '' ? { $regex } : { $regex, $options: options };
  };
  return {
    plain: (path, [value]) => ({ [path]: regex(value) }),
    negated: (path, [value]) => ({ [path]: { $not: regex(value), $ne: null } }),
  };
};

const OPERATORS: Readonly<Record<TestOperator, Operator>> = {
  eq: {
    plain: compare('$eq'),
    negated: (path, [value]) => ({ [path]: { $nin: [value, null] } }),
  },
  in: {
    plain: (path, values) => ({ [path]: { $in: presentIn(values) } }),
    // In SQL, `NOT IN (…, null)` is never true; an empty list restricts nothing.
    negated: (path, values) => {
      if (values.length === 0) return ALWAYS;
      return values.includes(null) ? NEVER : { [path]: { $nin: [...values, null] } };
    },
  },
  lt: { plain: compare('$lt'), negated: compare('$gte') },
  lte: { plain: compare('$lte'), negated: compare('$gt') },
  gt: { plain: compare('$gt'), negated: compare('$lte') },
  gte: { plain: compare('$gte'), negated: compare('$lt') },
  between: {
    plain: (path, [low, high]) => ({ [path]: { $gte: low, $lte: high } }),
    negated: (path, [low, high]) => anyMatch([{ [path]: { $lt: low } }, { [path]: { $gt: high } }]),
  },
  eqi: text('eqi'),
  contains: text('contains'),
  containsi: text('containsi'),
  startsWith: text('startsWith'),
  startsWithi: text('startsWithi'),
  endsWith: text('endsWith'),
  endsWithi: text('endsWithi'),
  search: text('search'),
  null: { plain: (path) => ({ [path]: { $eq: null } }), negated: (path) => ({ [path]: { $ne: null } }) },
};

/**
 * JSON values may be lists, whose members MongoDB would compare one by one; but a list never equals a plain
 * value.
 */
const isList = (path: string, exists: boolean): Match => ({ [`${path}.0`]: { $exists: exists } });

const JSON_OPERATORS: Partial<Readonly<Record<TestOperator, Operator>>> = {
  null: {
    plain: (path) => ({ [path]: { $eq: null }, ...isList(path, false) }),
    negated: (path) => anyMatch([{ [path]: { $ne: null } }, isList(path, true)]),
  },
  eq: {
    plain: (path, [value]) => ({ [path]: { $eq: value }, ...isList(path, false) }),
    negated: (path, [value]) => anyMatch([{ [path]: { $nin: [value, null] } }, isList(path, true)]),
  },
  in: {
    plain: (path, values) => ({ [path]: { $in: values }, ...isList(path, false) }),
    negated: (path, values) =>
      values.length === 0 ? ALWAYS : anyMatch([{ [path]: { $nin: [...values, null] } }, isList(path, true)]),
  },
};

/**
 * The match document of a test on `path`. `ranged`: the values are strings in a partial index. A prefix test
 * then also states the range, since servers do not recognize that a pattern implies the index's filter.
 */
export function testMatch(path: string, test: Test, json: boolean, ranged = false): Match {
  const [start] = test.values;
  if (ranged && test.operator === 'startsWith' && !test.negated && typeof start === 'string' && start !== '')
    return { [path]: { $regex: textPattern('startsWith', start).regex, $gte: start } };
  const operator = (json ? JSON_OPERATORS[test.operator] : undefined) ?? OPERATORS[test.operator];
  const needsValue = test.operator !== 'null' && test.operator !== 'in';
  if (needsValue && presentIn(test.values).length < test.values.length) return NEVER;
  return (test.negated ? operator.negated : operator.plain)(path, test.values);
}

/**
 * Text operators on values other than text compare their text form. The server can convert numbers and dates
 * to text, but only this process can convert JSON.
 */

export const isJson = ({ type }: Pick<ScalarAttribute, 'type'>): boolean => isJsonType(type);

/** How a test is evaluated: on the stored value, by an expression, or in this process. */
export function textReading(attribute: ScalarAttribute, test: Test): 'stored' | 'expression' | 'process' {
  if (isJson(attribute)) return isPlainTest(test) ? 'stored' : 'process';
  const isText = scalarOf(attribute.type).stored === 'string' && attribute.key === undefined;
  return isTextOperator(test.operator) && !isText ? 'expression' : 'stored';
}

/**
 * Tests of JSON that the server evaluates as Strapi does on the text: null tests, and equality with a number,
 * string or boolean.
 */
const isPlainTest = ({ operator, values }: Test): boolean =>
  operator === 'null' ||
  ((operator === 'eq' || operator === 'in') &&
    values.every((value) => value !== null && typeof value !== 'object'));

/**
 * An expression for a text test; false for null and missing values, negated or not. `path` begins with `$`.
 */
export function textExpression(path: string, { type, adopted }: ScalarAttribute, test: Test): Expression {
  const { regex, options } = textPattern(test.operator as TextOperator, test.values[0]);
  // As a double, a decimal loses its trailing zeros.
  const text = adopted
    ? { $convert: { input: path, to: 'string', onError: null, onNull: null } }
    : { $toString: type === 'decimal' ? { $toDouble: path } : path };
  const found = {
    $let: { vars: { text }, in: { $regexMatch: { input: '$$text', regex: { $literal: regex }, options } } },
  };
  return test.negated ? { $and: [{ $ne: [{ $ifNull: [path, null] }, null] }, { $not: [found] }] } : found;
}

export const textMatch = (path: string, attribute: ScalarAttribute, test: Test): Match => ({
  [path]: { $ne: null },
  $expr: textExpression(`$${path}`, attribute, test),
});
