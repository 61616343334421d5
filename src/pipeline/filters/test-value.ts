/** Evaluates filter tests in this process: for the filters of populated component items, and for JSON. */
import type { Test } from '../../query/read-plan.js';
import type { TestsOf } from '../../query/tests.js';
import type { ScalarAttribute, ScalarType } from '../../schema/types.js';
import { isAbsent } from '../../values/absent.js';
import { jsonForm } from '../../values/json-form.js';
import { comparable, compareValues } from '../rows/compare.js';
import { isJson, isTextOperator, type TextOperator, textPattern } from './operators.js';

type Comparison = (order: (other: unknown) => number, values: readonly unknown[]) => boolean;

type OrderOperator = TestsOf<'equality' | 'order'>;

const RULES: Readonly<Record<OrderOperator, Comparison>> = {
  eq: (order, [value]) => order(value) === 0,
  in: (order, values) => values.some((value) => order(value) === 0),
  lt: (order, [value]) => order(value) < 0,
  lte: (order, [value]) => order(value) <= 0,
  gt: (order, [value]) => order(value) > 0,
  gte: (order, [value]) => order(value) >= 0,
  between: (order, [low, high]) => order(low) >= 0 && order(high) <= 0,
};

/** Only the null test is true of null (three-valued logic). JSON is compared as text. */
export function valueTest(
  { type, list }: Pick<ScalarAttribute, 'type' | 'list'>,
  { operator, values, negated }: Test,
): (value: unknown) => boolean {
  if (operator === 'null') return (value) => isAbsent(value) !== negated;
  const ofPresent = isTextOperator(operator)
    ? textTest(operator, values[0], type)
    : orderTest(operator, values, type);
  return (value) => {
    if (isAbsent(value)) return operator === 'in' && negated && values.length === 0;
    // Of a list, one member must pass; negated, none may.
    return (list && Array.isArray(value) ? value.some(ofPresent) : ofPresent(value)) !== negated;
  };
}

function textTest(operator: TextOperator, sought: unknown, type: ScalarType): (value: unknown) => boolean {
  const { regex, options } = textPattern(operator, sought);
  const pattern = new RegExp(regex, `${options}u`);
  return (value) => pattern.test(textOf(value, type));
}

function orderTest(
  operator: OrderOperator,
  values: readonly unknown[],
  type: ScalarType,
): (value: unknown) => boolean {
  const form = (value: unknown): unknown => (isJson({ type }) ? textOf(value, type) : value);
  const wanted = values.map(form);
  const rule = RULES[operator];
  return (value) => {
    const given = form(value);
    return rule((other) => (comparable(given, other) ? compareValues(given, other) : Number.NaN), wanted);
  };
}

export const testsValue = (attribute: ScalarAttribute, test: Test, value: unknown): boolean =>
  valueTest(attribute, test)(value);

function textOf(value: unknown, type: ScalarAttribute['type']): string {
  if (isJson({ type })) return JSON.stringify(jsonForm(value));
  if (value instanceof Date) return value.toISOString();
  return type === 'decimal' ? String(Number(String(value))) : String(value);
}
