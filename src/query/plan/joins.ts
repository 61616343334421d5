import { errors } from '../../errors.js';
import type { Condition, ReadPlan, Selection, SortKey } from '../read-plan.js';
import type { QueryLimits } from '../settings.js';

/**
 * Throws a 400 when a plan has more joins than allowed: every relation, media attribute, component or zone fragment that is
 * shown, filtered by or sorted through counts as one. Depth was bounded before.
 */
export function checkJoins(plan: ReadPlan, limits: QueryLimits): void {
  if (ofCondition(plan.filter) + ofSort(plan.sort) + ofSelection(plan.selection) <= limits.maxJoins) return;
  throw errors.validation(
    'too-many-joins',
    `The query joins too many attributes. The maximum is ${limits.maxJoins}.`,
    {
      limit: limits.maxJoins,
      source: 'query',
    },
  );
}

const sum = <Item>(items: Iterable<Item>, count: (item: Item) => number): number => {
  let total = 0;
  for (const item of items) total += count(item);
  return total;
};

function ofCondition(condition: Condition): number {
  if (condition.kind === 'some') return 1 + ofCondition(condition.where);
  return 'of' in condition ? sum(condition.of, ofCondition) : 0;
}

const ofSort = (keys: readonly SortKey[] | null | undefined): number =>
  sum(keys ?? [], ({ via }) => via.length);

function ofSelection({ components, zones, relations }: Selection): number {
  const shown = sum(components, ({ selection, filter, sort }) => {
    return 1 + ofSelection(selection) + (filter ? ofCondition(filter) : 0) + ofSort(sort);
  });
  const fragments = sum(
    zones,
    ({ on, filters }) =>
      sum(on.values(), (selection) => 1 + ofSelection(selection)) + sum(filters?.values() ?? [], ofCondition),
  );
  const targets = relations.flatMap((relation) => relation.targets);
  const joined = sum(targets, ({ selection, filter, sort }) => {
    return 1 + ofSelection(selection) + ofCondition(filter) + ofSort(sort);
  });
  return shown + fragments + joined;
}
