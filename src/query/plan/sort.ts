import { errors } from '../../errors.js';
import type { ContentType } from '../../schema/types.js';
import type { CheckedSort } from '../checked.js';
import type { ComponentHop, RelationHop, SortKey } from '../read-plan.js';
import { tieDirection } from '../sort-index.js';
import { badValue, contextAfterHop, hopOf, numericIdAttribute, type PlanContext } from './context.js';

/** `sort` → keys, in order. Throws a 400 for an invalid order. */
export const planSort = (nodes: readonly CheckedSort[], context: PlanContext): readonly SortKey[] =>
  nodes.filter(({ order }) => order !== '').map((node) => planKey(node, context));

/**
 * Like `planSort`, with `id` as the last key so that pages are stable. It is ascending, or follows the sort
 * where an index serves that.
 */
export function planStableSort(
  nodes: readonly CheckedSort[],
  model: ContentType,
  context: PlanContext,
): readonly SortKey[] {
  const keys = planSort(nodes, context);
  const end = keys.findIndex(({ via, attribute }) => via.length === 0 && attribute.name === 'id');
  if (end !== -1) return keys.slice(0, end + 1);
  const id = numericIdAttribute(model, context);
  return id ? [...keys, { via: [], attribute: id, direction: tieDirection(keys, model) }] : keys;
}

function planKey({ path, order }: CheckedSort, context: PlanContext): SortKey {
  const direction = directionOf(order);
  const via: (RelationHop | ComponentHop)[] = [];
  const refused = (name: string) =>
    badValue(
      context,
      'Not an attribute that can be sorted by',
      name,
      path.map((each) => each.name).join('.'),
    );
  let here = context;
  for (const attribute of path.slice(0, -1)) {
    const hop = hopOf(attribute, here);
    if (!hop) throw refused(attribute.name);
    via.push(hop);
    here = contextAfterHop(hop, here);
  }
  const attribute = path.at(-1);
  if (attribute?.kind !== 'scalar') throw refused(attribute?.name ?? '');
  return { via, attribute, direction };
}

const directions: ReadonlyMap<string, 1 | -1> = new Map([
  ['asc', 1],
  ['desc', -1],
]);

function directionOf(order: string | null): 1 | -1 {
  const direction = directions.get((order ?? 'asc').toLowerCase());
  if (direction === undefined)
    throw errors.validation(
      'sort-order-invalid',
      'Invalid order. order can only be one of asc|desc|ASC|DESC',
    );
  return direction;
}
