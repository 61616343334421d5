/** What a selection says of component items, for whatever walks through one. */
import type { Condition, Selection } from './read-plan.js';

/** What is shown of items: of components, and of each component in a zone. */
export const shownItems = ({ components, zones }: Selection): readonly Selection[] => [
  ...components.map(({ selection }) => selection),
  ...zones.flatMap(({ on }) => [...on.values()]),
];

/** Which items are shown, where that is not all of them. */
export const itemFilters = ({ components, zones }: Selection): readonly Condition[] => [
  ...components.flatMap(({ filter }) => filter ?? []),
  ...zones.flatMap(({ filters }) => [...(filters?.values() ?? [])]),
];
