/** Plans for every value of one test: a query that differs in it alone is neither checked nor planned nor compiled again. */
import type { ReadPlan } from '../query/read-plan.js';
import { scalarOf } from '../schema/scalars/index.js';
import type { ScalarAttribute } from '../schema/types.js';
import { Slot } from './types.js';

export interface AnyValue {
  /** With a slot in the place of the value. */
  readonly plan: ReadPlan;
  /** Whether the plan of a query with this value is the same but for it. */
  takes(value: string): boolean;
}

/** Null where the filter is more than that an attribute of text equals `value`, or the rows are those of another program. */
export function forAnyValue(plan: ReadPlan, value: string): AnyValue | null {
  const { type, filter } = plan;
  if (type.storage || filter.kind !== 'test') return null;
  const { attribute, test } = filter;
  const takes = (other: string): boolean => isTaken(attribute, other);
  if (test.operator !== 'eq' || test.values[0] !== value || !takes(value)) return null;
  return { plan: { ...plan, filter: { ...filter, test: { ...test, values: [new Slot('value')] } } }, takes };
}

/** Text that is stored as it was said. */
function isTaken({ type, adopted }: ScalarAttribute, value: string): boolean {
  const scalar = scalarOf(type);
  if (scalar.stored !== 'string' || adopted) return false;
  const cast = scalar.fromQuery(value);
  return 'value' in cast && cast.value === value;
}
