import type { Condition, Test } from '../../query/read-plan.js';

/**
 * Whether a condition is true of a row whose values are all null. Such a row stands for a missing related row
 * (SQL's left join).
 */
export function holdsForNulls(condition: Condition): boolean {
  switch (condition.kind) {
    case 'always':
      return true;
    case 'never':
      return false;
    case 'and':
      return condition.of.every(holdsForNulls);
    case 'or':
      return condition.of.some(holdsForNulls);
    case 'some':
      return holdsForNulls(condition.where);
    case 'test':
      return holdsForNull(condition.test);
  }
}

/** Whether a test is true of null: besides the null test, `notIn` with an empty list, which restricts nothing. */
export const holdsForNull = ({ operator, values, negated }: Test): boolean =>
  operator === 'null' ? !negated : operator === 'in' && negated && values.length === 0;
