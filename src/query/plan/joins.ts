import { errors } from '../../errors.js';
import type { Condition, ReadPlan, SelectedFields, SortKey } from '../read-plan.js';
import { itemFilters, shownItems } from '../selected.js';
import type { QueryLimits } from '../settings.js';
import { hopsOfCondition } from './condition.js';

/**
 * Throws a 400 if a plan has too many joins: each relation, media attribute, component or zone fragment that
 * is shown, filtered by or sorted through counts as one. Depth has already been limited.
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

const ofCondition = (condition: Condition): number => hopsOfCondition(condition).length;

const ofSort = (keys: readonly SortKey[] | null | undefined): number =>
  sum(keys ?? [], ({ via }) => via.length);

function ofSelection(selection: SelectedFields): number {
  const targets = selection.relations.flatMap((relation) => relation.targets);
  return (
    sum(shownItems(selection), (items) => 1 + ofSelection(items)) +
    sum(itemFilters(selection), ofCondition) +
    sum(selection.components, ({ sort }) => ofSort(sort)) +
    sum(
      targets,
      (target) => 1 + ofSelection(target.selection) + ofCondition(target.filter) + ofSort(target.sort),
    )
  );
}
