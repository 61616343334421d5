import { hopsOfCondition } from '../query/plan/condition.js';
import type { Condition, ReadPlan, SelectedFields, SortKey } from '../query/read-plan.js';
import { itemFilters, shownItems } from '../query/selected.js';

/** Whether a read returns rows of adopted collections or sorts by them; such reads join row by row. */
export const readsAdopted = ({ type, selection, sort }: ReadPlan): boolean =>
  type.storage !== null || populatesAdopted(selection) || sort.some(leadsToAdopted);

const populatesAdopted = (shown: SelectedFields): boolean =>
  shown.relations.some(({ targets }) =>
    targets.some(({ target, selection }) => target.storage !== null || populatesAdopted(selection)),
  ) ||
  shown.components.some(({ sort }) => (sort ?? []).some(leadsToAdopted)) ||
  itemFilters(shown).some(filtersByAdopted) ||
  shownItems(shown).some(populatesAdopted);

const leadsToAdopted = ({ via }: Pick<SortKey, 'via'>): boolean =>
  via.some((hop) => hop.kind === 'relation' && hop.target.storage !== null);

/**
 * Whether values stored by other programs decide which rows match, so that a server may reject the read
 * because of them.
 */
export const dependsOnAdopted = (plan: ReadPlan): boolean =>
  readsAdopted(plan) || filtersByAdopted(plan.filter) || populateDependsOnAdopted(plan.selection);

const populateDependsOnAdopted = (shown: SelectedFields): boolean =>
  shown.relations.some(({ targets }) =>
    targets.some(
      ({ filter, sort, selection }) =>
        filtersByAdopted(filter) || (sort ?? []).some(leadsToAdopted) || populateDependsOnAdopted(selection),
    ),
  ) || shownItems(shown).some(populateDependsOnAdopted);

/** Whether a condition goes through a relation to an adopted collection. */
const filtersByAdopted = (condition: Condition): boolean =>
  leadsToAdopted({ via: hopsOfCondition(condition) });
