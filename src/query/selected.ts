/** The parts of a selection that concern component items. */
import type { Condition, SelectedFields } from './read-plan.js';

/** The selections of items: of each component, and of each component in a zone. */
export const shownItems = ({ components, zones }: SelectedFields): readonly SelectedFields[] => [
  ...components.map(({ selection }) => selection),
  ...zones.flatMap(({ on }) => [...on.values()]),
];

/** The filters on which items are shown. */
export const itemFilters = ({ components, zones }: SelectedFields): readonly Condition[] => [
  ...components.flatMap(({ filter }) => filter ?? []),
  ...zones.flatMap(({ filters }) => [...(filters?.values() ?? [])]),
];
