import type { Condition, ReadPlan, Selection, SortKey } from '../query/read-plan.js';
import { itemFilters, shownItems } from '../query/selected.js';

/** Whether the rows of a read, or what orders them, come from collections that other programs wrote: those are read by the row. */
export const meetsAdopted = ({ type, selection, sort }: ReadPlan): boolean =>
  type.storage !== null || reaches(selection) || sort.some(passes);

const reaches = (shown: Selection): boolean =>
  shown.relations.some(({ targets }) =>
    targets.some(({ target, selection }) => target.storage !== null || reaches(selection)),
  ) ||
  shown.components.some(({ sort }) => (sort ?? []).some(passes)) ||
  itemFilters(shown).some(looks) ||
  shownItems(shown).some(reaches);

const passes = ({ via }: Pick<SortKey, 'via'>): boolean =>
  via.some((hop) => hop.kind === 'relation' && hop.target.storage !== null);

/** Whether values that other programs stored decide which rows there are: a server may refuse them. */
export const readsValuesOfOthers = (plan: ReadPlan): boolean =>
  meetsAdopted(plan) || looks(plan.filter) || filtered(plan.selection);

const filtered = (shown: Selection): boolean =>
  shown.relations.some(({ targets }) =>
    targets.some(
      ({ filter, sort, selection }) => looks(filter) || (sort ?? []).some(passes) || filtered(selection),
    ),
  ) || shownItems(shown).some(filtered);

/** Items are chosen by rows that are looked up beside the entry. */
function looks(condition: Condition): boolean {
  if ('of' in condition) return condition.of.some(looks);
  return condition.kind === 'some' && (passes({ via: [condition.via] }) || looks(condition.where));
}
