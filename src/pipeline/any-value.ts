/**
 * Makes one plan for all values of an equality test, so that queries that differ only in the value are not
 * checked, planned and compiled again.
 */
import type { ReadPlan } from '../query/read-plan.js';
import { scalarOf } from '../schema/scalars/index.js';
import type { ScalarAttribute } from '../schema/types.js';
import { Slot } from './types.js';

export interface AnyValue {
  /** The plan with a slot for the value. */
  readonly plan: ReadPlan;
  /** Whether a query with this value has the same plan, apart from the value. */
  takes(value: string): boolean;
}

/**
 * Null unless the filter is a single equality test of a text attribute against `value`, on a collection of
 * Mangrove's own.
 */
export function forAnyValue(plan: ReadPlan, value: string): AnyValue | null {
  const { type, filter } = plan;
  if (type.storage || filter.kind !== 'test') return null;
  const { attribute, test } = filter;
  const takes = (other: string): boolean => isTaken(attribute, other);
  if (test.operator !== 'eq' || test.values[0] !== value || !takes(value)) return null;
  return { plan: { ...plan, filter: { ...filter, test: { ...test, values: [new Slot('value')] } } }, takes };
}

/** Whether text is stored exactly as it appears in the query. */
function isTaken({ type, adopted }: ScalarAttribute, value: string): boolean {
  const scalar = scalarOf(type);
  if (scalar.stored !== 'string' || adopted) return false;
  const cast = scalar.fromQuery(value);
  return 'value' in cast && cast.value === value;
}
