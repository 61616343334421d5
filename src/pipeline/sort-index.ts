import type { SortKey } from '../query/read-plan.js';
import { rowPath } from '../schema/storage.js';
import type { ContentType, IndexHint } from '../schema/types.js';
import { plainPath } from './order.js';

/** A plain index stands beside each unique one. */
const uniquePaths = (type: ContentType): readonly string[] =>
  [...type.attributes.values()].flatMap((attribute) =>
    attribute.kind === 'scalar' && !attribute.system && attribute.unique ? [attribute.stored] : [],
  );

/** Whether an index gives the entries of a type in this order, forwards or backwards (store/indexes.ts). */
export function isServedByIndex(keys: readonly SortKey[], type: ContentType): boolean {
  const last = rowPath(type);
  const sort = keys.map((key) => [plainPath(key), key.direction] as const);
  const orders: readonly IndexHint['keys'][] = [
    { [last]: 1 },
    ...(type.storage ? [] : uniquePaths(type).map((path) => ({ [path]: 1, [last]: 1 }) as const)),
    ...type.indexes.map(({ keys }) => (type.storage ? keys : { ...keys, [last]: keys[last] ?? 1 })),
  ];
  return orders.some((order) => {
    const columns = Object.entries(order);
    return [1, -1].some((way) =>
      sort.every(
        ([path, direction], at) => columns[at]?.[0] === path && columns[at]?.[1] === direction * way,
      ),
    );
  });
}
