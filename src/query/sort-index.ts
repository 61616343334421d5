import { uniqueAttributes } from '../schema/find.js';
import { rowPath } from '../schema/stored/paths.js';
import type { ContentType, IndexHint } from '../schema/types.js';
import { plainPath } from './plain-path.js';
import type { SortKey } from './read-plan.js';

/** The orders in which indexes return the entries of a type, forwards (store/indexes/). */
function indexOrders(type: ContentType): readonly IndexHint['keys'][] {
  const last = rowPath(type);
  return [
    { [last]: 1 },
    // There is a plain index beside each unique one.
    ...(type.storage
      ? []
      : uniqueAttributes(type).map(({ stored }) => ({ [stored]: 1, [last]: 1 }) as const)),
    ...type.indexes.map(({ keys }) => (type.storage ? keys : { ...keys, [last]: keys[last] ?? 1 })),
  ];
}

type Column = readonly [path: string | null, direction: 1 | -1];

const beginsWith = (order: IndexHint['keys'], columns: readonly Column[], way: 1 | -1): boolean => {
  const own = Object.entries(order);
  return columns.every(([path, direction], at) => own[at]?.[0] === path && own[at]?.[1] === direction * way);
};

const columnsOf = (keys: readonly SortKey[]): readonly Column[] =>
  keys.map((key) => [plainPath(key), key.direction]);

/** Whether an index returns the entries of a type in this order, forwards or backwards. */
export const isServedByIndex = (keys: readonly SortKey[], type: ContentType): boolean =>
  indexOrders(type).some(
    (order) => beginsWith(order, columnsOf(keys), 1) || beginsWith(order, columnsOf(keys), -1),
  );

/**
 * The direction of the order of ties: by ascending id, unless an index serves the sort backwards alone and so
 * returns ties by descending id. One index then serves both directions of a sort.
 */
export function tieDirection(keys: readonly SortKey[], type: ContentType): 1 | -1 {
  const last = rowPath(type);
  const serves = (tie: 1 | -1): boolean => {
    const columns = [...columnsOf(keys), [last, tie] as const];
    return indexOrders(type).some((order) => beginsWith(order, columns, 1) || beginsWith(order, columns, -1));
  };
  return !serves(1) && serves(-1) ? -1 : 1;
}
