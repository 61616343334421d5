import { errors } from '../../errors.js';
import { forceBoolean } from '../../schema/scalars/boolean.js';
import { isTextType, scalarOf } from '../../schema/scalars/index.js';
import type { ScalarAttribute } from '../../schema/types.js';
import { isAbsent } from '../../values/absent.js';
import { isPlainObject } from '../../values/plain-object.js';
import type { RawValue } from '../ast.js';
import { CallerSlot, CallerValue } from '../caller-values.js';
import { OPERATORS, type OperatorRow } from '../operators.js';
import type { Condition } from '../read-plan.js';
import { rowOfTest, type TestOperator } from '../tests.js';
import { listOf } from '../values.js';
import { and, never, or } from './condition.js';
import { badValue, type PlanContext } from './context.js';

/** The position of one operator on one attribute. */
interface TestPlace {
  readonly attribute: ScalarAttribute;
  /** Dotted, for messages. */
  readonly path: string;
  /** Below an odd number of `$not`. */
  readonly negated: boolean;
  readonly context: PlanContext;
}

/**
 * `attribute operator value` → a condition in three-valued logic. Throws a 400 for a value that does not fit.
 */
export function planTest(operator: string, value: RawValue, place: TestPlace): Condition {
  const row = OPERATORS.get(operator);
  if (!row) throw badValue(place.context, `Invalid operator ${operator}`, operator, place.path);
  const negated = row.negated !== place.negated;
  switch (row.operand) {
    case 'list':
      return planList(operator, row, value, { ...place, negated });
    case 'pair':
      return planPair(operator, value, { ...place, negated });
    case 'one':
      return planEach(operator, row, value, { ...place, negated });
  }
}

const test = (
  { attribute, negated }: TestPlace,
  operator: TestOperator,
  values: readonly unknown[],
): Condition => ({
  kind: 'test',
  attribute,
  test: { operator, values, negated },
});

/** A list under a single-value operator: any of them; below `$not`: none of them. */
function planEach(operator: string, row: OperatorRow, value: RawValue, place: TestPlace): Condition {
  const list = listOf(value);
  if (!list) return planOne(operator, row, value, place);
  const whole = place.negated === row.negated ? or : and;
  return whole(list.map((member) => planOne(operator, row, member, place)));
}

function planOne(operator: string, row: OperatorRow, value: RawValue, place: TestPlace): Condition {
  if (value instanceof CallerValue && row.value !== 'cast')
    return planOne(operator, row, value.reveal(), place);
  if (row.value === 'flag') {
    if (typeof value === 'object' && value !== null) throw misfit('Expected a boolean', operator, place);
    return test({ ...place, negated: place.negated === forceBoolean(value) }, 'null', []);
  }
  // Code that compares with what a caller lacks, `{ owner: { id: user?.id } }`, does not mean what nobody owns.
  if (value === undefined) return never;
  if (value === null && rowOfTest(row.test).testsNull) return test(place, 'null', []);
  if (isAbsent(value) && row.value === 'cast') return never;
  if (row.value === 'cast') return test(place, row.test, [cast(value, operator, place)]);
  if (typeof value === 'object' && value !== null && !(value instanceof Date))
    throw misfit('Expected a string', operator, place);
  if (row.value === 'text' && !isTextType(place.attribute.type))
    throw misfit(`The operator ${operator} requires a string attribute`, operator, place);
  const text = String(value ?? null);
  if (text.length > longestText) throw misfit(`Expected at most ${longestText} characters`, operator, place);
  return test(place, row.test, [text]);
}

/** Servers reject longer patterns. */
export const longestText = 8000;

/**
 * `$in`, `$notIn`: a single value counts as a list of one. If a value of `$notIn` is null, nothing matches,
 * as in SQL.
 */
function planList(operator: string, row: OperatorRow, value: RawValue, place: TestPlace): Condition {
  const list = listOf(value) ?? [value];
  const values = list.filter((member) => !isAbsent(member)).map((member) => cast(member, operator, place));
  if (values.length < list.length && place.negated) return never;
  if (values.length === 0) return place.negated ? and([]) : never;
  return test(place, row.test, values);
}

function planPair(operator: string, value: RawValue, place: TestPlace): Condition {
  const list = listOf(value);
  if (list?.length !== 2) throw misfit('Expected an array of two values', operator, place);
  if (list.some(isAbsent)) return never;
  return test(
    place,
    'between',
    list.map((member) => cast(member, operator, place)),
  );
}

function cast(value: RawValue, operator: string, place: TestPlace): unknown {
  if (value instanceof CallerValue) {
    const { adopted, type } = place.attribute;
    // The forms in which other programs store a value depend on it.
    return adopted ? cast(value.reveal(), operator, place) : new CallerSlot(value.name, type);
  }
  if (isPlainObject(value)) throw misfit('Expected a value, not an object', operator, place);
  if (Array.isArray(value)) throw misfit('Expected a value, not a list in a list', operator, place);
  const scalar = scalarOf(place.attribute.type);
  const result = scalar.fromQuery(value);
  if ('value' in result) return result.value;
  if (scalar.refusesAsStrapi) throw errors.validation(result.code, result.message);
  throw misfit(result.message, operator, place);
}

const misfit = (message: string, operator: string, { context, path }: TestPlace) =>
  badValue(context, message, operator, path);
