/** Populate's `filters` and `sort` on components: which items are shown, and in which order (SPEC B.8). */

import { compareValues } from '../pipeline/compare.js';
import { testsValue } from '../pipeline/test-value.js';
import type { Doc } from '../pipeline/types.js';
import type { Condition, SortKey } from '../query/read-plan.js';

/** Whether a condition is true of an item, or of a row of nulls where there is none. */
export function holds(condition: Condition, item: Doc | null): boolean {
  switch (condition.kind) {
    case 'always':
      return true;
    case 'never':
      return false;
    case 'and':
      return condition.of.every((part) => holds(part, item));
    case 'or':
      return condition.of.some((part) => holds(part, item));
    case 'test':
      return testsValue(condition.attribute, condition.test, item?.[condition.attribute.name] ?? null);
    case 'some': {
      const value = item?.[condition.via.attribute.name] ?? null;
      const items = (Array.isArray(value) ? value : [value]) as readonly (Doc | null)[];
      return items.length === 0
        ? holds(condition.where, null)
        : items.some((each) => holds(condition.where, each));
    }
  }
}

/** A copy in the order of the keys; equal items stay as they stood. */
export const inOrder = (items: readonly Doc[], keys: readonly SortKey[]): readonly Doc[] =>
  [...items].sort((left, right) => {
    for (const { via, attribute, direction } of keys) {
      const path = [...via.map((hop) => hop.attribute.name), attribute.name];
      const order = compareValues(valueAt(left, path), valueAt(right, path)) * direction;
      if (order !== 0) return order;
    }
    return 0;
  });

const valueAt = (item: Doc, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (value as Doc | null | undefined)?.[name], item) ?? null;
