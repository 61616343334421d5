/** The tests of SPEC B.2 on a value in this process, for what is not asked of the server: populated component items. */
import type { Test, TestOperator } from '../query/read-plan.js';
import type { ScalarAttribute } from '../schema/types.js';
import { comparable, compareValues } from './compare.js';
import { isTextOperator, textPattern } from './operators.js';

type Rule = (order: (other: unknown) => number, values: readonly unknown[]) => boolean;

const RULES: Readonly<Partial<Record<TestOperator, Rule>>> = {
  eq: (order, [value]) => order(value) === 0,
  in: (order, values) => values.some((value) => order(value) === 0),
  lt: (order, [value]) => order(value) < 0,
  lte: (order, [value]) => order(value) <= 0,
  gt: (order, [value]) => order(value) > 0,
  gte: (order, [value]) => order(value) >= 0,
  between: (order, [low, high]) => order(low) >= 0 && order(high) <= 0,
};

/** Three-valued logic: of null only the null test is true. */
export function testsValue(
  { type }: ScalarAttribute,
  { operator, values, negated }: Test,
  value: unknown,
): boolean {
  const missing = value === null || value === undefined;
  if (operator === 'null') return missing !== negated;
  if (missing) return operator === 'in' && negated && values.length === 0;
  if (isTextOperator(operator)) {
    const { regex, options } = textPattern(operator, values[0]);
    return new RegExp(regex, `${options}u`).test(textOf(value, type)) !== negated;
  }
  const rule = RULES[operator];
  const order = (other: unknown): number =>
    comparable(value, other) ? compareValues(value, other) : Number.NaN;
  return rule !== undefined && rule(order, values) !== negated;
}

function textOf(value: unknown, type: ScalarAttribute['type']): string {
  if (type === 'json' || type === 'blocks') return JSON.stringify(value);
  if (value instanceof Date) return value.toISOString();
  return type === 'decimal' ? String(Number(String(value))) : String(value);
}
