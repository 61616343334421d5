/**
 * Text operators on values that are not text compare the text form of the value (rules B.5): of a number or a date the server
 * makes it, of JSON only the reader can.
 */
import type { Test } from '../../query/read-plan.js';
import { isJsonType, scalarOf } from '../../schema/scalars/index.js';
import type { ScalarAttribute } from '../../schema/types.js';
import type { Expression, Match } from '../types.js';
import { isTextOperator, type TextOperator, textPattern } from './operators.js';

export const isJson = ({ type }: Pick<ScalarAttribute, 'type'>): boolean => isJsonType(type);

/** How a test reads an attribute: as it is stored, by an expression, or in this process. */
export function textReading(attribute: ScalarAttribute, test: Test): 'stored' | 'expression' | 'process' {
  if (isJson(attribute)) return isPlainTest(test) ? 'stored' : 'process';
  const isText = scalarOf(attribute.type).stored === 'string' && attribute.key === undefined;
  return isTextOperator(test.operator) && !isText ? 'expression' : 'stored';
}

/** What a server says of JSON as its text would: whether it is there, and whether it is a number, a word or a flag. */
const isPlainTest = ({ operator, values }: Test): boolean =>
  operator === 'null' ||
  ((operator === 'eq' || operator === 'in') &&
    values.every((value) => value !== null && typeof value !== 'object'));

/** True or false; of null and missing values always false, negated or not. `path` begins with `$`. */
export function textExpression(path: string, { type, adopted }: ScalarAttribute, test: Test): Expression {
  const { regex, options } = textPattern(test.operator as TextOperator, test.values[0]);
  // A decimal without its trailing zeros.
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
