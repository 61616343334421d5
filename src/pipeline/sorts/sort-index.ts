import type { SortKey } from '../../query/read-plan.js';
import { uniqueAttributes } from '../../schema/find.js';
import { rowPath } from '../../schema/stored/paths.js';
import type { ContentType, IndexHint } from '../../schema/types.js';
import { plainPath } from './order.js';

/** Whether an index returns the entries of a type in this order, forwards or backwards (store/indexes/). */
export function isServedByIndex(keys: readonly SortKey[], type: ContentType): boolean {
  const last = rowPath(type);
  const sort = keys.map((key) => [plainPath(key), key.direction] as const);
  const orders: readonly IndexHint['keys'][] = [
    { [last]: 1 },
    // There is a plain index beside each unique one.
    ...(type.storage
      ? []
      : uniqueAttributes(type).map(({ stored }) => ({ [stored]: 1, [last]: 1 }) as const)),
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
