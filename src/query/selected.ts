/** The parts of a selection that concern component items. */
import type { Condition, Selection } from './read-plan.js';

/** The selections of items: of each component, and of each component in a zone. */
export const shownItems = ({ components, zones }: Selection): readonly Selection[] => [
  ...components.map(({ selection }) => selection),
  ...zones.flatMap(({ on }) => [...on.values()]),
];

/** The filters on which items are shown. */
export const itemFilters = ({ components, zones }: Selection): readonly Condition[] => [
  ...components.flatMap(({ filter }) => filter ?? []),
  ...zones.flatMap(({ filters }) => [...(filters?.values() ?? [])]),
];
