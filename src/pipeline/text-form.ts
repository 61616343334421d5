/**
 * Text operators on values that are no text compare the text form of the value (SPEC B.5): of a number or a date the server
 * makes it, of JSON only the reader can.
 */
import type { Test } from '../query/read-plan.js';
import type { ScalarAttribute, ScalarType } from '../schema/types.js';
import { isTextOperator, type TextOperator, textPattern } from './operators.js';
import type { Expression, Match } from './types.js';

const MADE_BY_SERVER: ReadonlySet<ScalarType> = new Set<ScalarType>([
  'integer',
  'biginteger',
  'float',
  'decimal',
  'boolean',
  'datetime',
  'timestamp',
]);

export const isJson = ({ type }: ScalarAttribute): boolean => type === 'json' || type === 'blocks';

/** How a text operator reads an attribute: as it is stored, by an expression, or in this process. */
export function textReading(
  { type }: ScalarAttribute,
  { operator }: Test,
): 'stored' | 'expression' | 'process' {
  if (!isTextOperator(operator)) return 'stored';
  if (MADE_BY_SERVER.has(type)) return 'expression';
  return type === 'json' || type === 'blocks' ? 'process' : 'stored';
}

/** True or false; of null and missing values always false, negated or not. `path` begins with `$`. */
export function textExpression(path: string, { type }: ScalarAttribute, test: Test): Expression {
  const { regex, options } = textPattern(test.operator as TextOperator, test.values[0]);
  // A decimal without its trailing zeros.
  const text = { $toString: type === 'decimal' ? { $toDouble: path } : path };
  const found = {
    $let: { vars: { text }, in: { $regexMatch: { input: '$$text', regex: { $literal: regex }, options } } },
  };
  return test.negated ? { $and: [{ $ne: [{ $ifNull: [path, null] }, null] }, { $not: [found] }] } : found;
}

export const textMatch = (path: string, attribute: ScalarAttribute, test: Test): Match => ({
  [path]: { $ne: null },
  $expr: textExpression(`$${path}`, attribute, test),
});

/** The same test on a value of JSON, which is neither null nor missing. */
export function testsJson(test: Test): (value: unknown) => boolean {
  const { regex, options } = textPattern(test.operator as TextOperator, test.values[0]);
  const pattern = new RegExp(regex, options === 'i' ? 'iu' : 'u');
  return (value) => pattern.test(JSON.stringify(value)) !== test.negated;
}
