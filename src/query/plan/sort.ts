import { errors } from '../../errors.js';
import type { Model } from '../../schema/types.js';
import type { SortNode } from '../ast.js';
import { visibleNamed } from '../attributes.js';
import type { ComponentHop, RelationHop, SortKey } from '../read-plan.js';
import { badValue, behind, hopOf, type PlanContext, scalarOf } from './context.js';

/** `sort` → keys, in order. Throws a 400 for an invalid order (rules A.13). */
export const planSort = (
  nodes: readonly SortNode[],
  model: Model,
  context: PlanContext,
): readonly SortKey[] => nodes.map((node) => planKey(node, model, context));

/** Like `planSort`, with `id` as the last key so that pages are stable. */
export function planStableSort(
  nodes: readonly SortNode[],
  model: Model,
  context: PlanContext,
): readonly SortKey[] {
  const keys = planSort(nodes, model, context);
  const end = keys.findIndex(({ via, attribute }) => via.length === 0 && attribute.name === 'id');
  if (end !== -1) return keys.slice(0, end + 1);
  const id = scalarOf(model, 'id', context);
  return id ? [...keys, { via: [], attribute: id, direction: 1 }] : keys;
}

function planKey({ path, order }: SortNode, root: Model, context: PlanContext): SortKey {
  const direction = directionOf(order);
  const via: (RelationHop | ComponentHop)[] = [];
  let model = root;
  let here = context;
  for (const name of path.slice(0, -1)) {
    const attribute = visibleNamed(model, name, here);
    const hop = attribute && hopOf(attribute, here);
    if (!hop) throw badValue(context, 'Not an attribute that can be sorted by', name, path.join('.'));
    via.push(hop);
    here = behind(hop, here);
    model = hop.target;
  }
  const last = path.at(-1) ?? '';
  const attribute = scalarOf(model, last, context);
  if (!attribute) throw badValue(context, 'Not an attribute that can be sorted by', last, path.join('.'));
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
