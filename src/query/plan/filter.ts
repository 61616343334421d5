import type { ContentType, Model, ScalarAttribute } from '../../schema/types.js';
import type { FilterNode } from '../ast.js';
import { visibleNamed } from '../attributes.js';
import type { Condition } from '../read-plan.js';
import { always, and, or, some } from './condition.js';
import { badValue, behind, type FilterPlace, hopOf, type PlanContext } from './context.js';
import { planShorthand } from './shorthand.js';
import { planTest } from './test.js';

/** `filters` → condition. Each relation, media or component object is one join (rules B.6). 400 for values that do not fit. */
export function planFilter(
  node: FilterNode | null,
  type: ContentType | Model,
  context: PlanContext,
): Condition {
  return (node && planNode(node, { model: type, path: null, negated: false, context })) ?? always;
}

/** Null: the node says nothing, so whatever it stands in is as if it were not there. */
export function planNode(node: FilterNode, place: FilterPlace): Condition | null {
  switch (node.kind) {
    case 'all':
      return joined('and', node.of, place);
    case 'group':
      if (node.operator === '$not') return joined('and', node.of, { ...place, negated: !place.negated });
      return joined(node.operator === '$and' ? 'and' : 'or', node.of, place);
    case 'operator':
      throw badValue(
        place.context,
        `The operator ${node.operator} needs an attribute`,
        node.operator,
        place.path,
      );
    case 'attribute':
      return planAttribute(node.name, node.of, place);
  }
}

/** De Morgan: below `$not`, and is or and or is and. */
function joined(kind: 'and' | 'or', nodes: readonly FilterNode[], place: FilterPlace): Condition | null {
  const conditions = nodes.map((node) => planNode(node, place)).filter((condition) => condition !== null);
  if (conditions.length === 0 && nodes.length > 0) return null;
  return (kind === 'and') === place.negated ? or(conditions) : and(conditions);
}

function planAttribute(name: string, of: FilterNode, place: FilterPlace): Condition | null {
  const { model, context } = place;
  const attribute = visibleNamed(model, name, context);
  const path = place.path === null ? name : `${place.path}.${name}`;
  // Only the Document Service gets here with one, and there it has no effect (rules G.2): a hash tells nothing.
  if (attribute?.kind === 'scalar' && attribute.type === 'password') return null;
  if (attribute?.kind === 'scalar') return planScalar(of, attribute, { ...place, path });
  const hop = attribute && hopOf(attribute, context);
  if (!hop) throw badValue(context, 'Not an attribute to filter by', name, place.path);
  const inside = { ...place, model: hop.target, path, context: behind(hop, context) };
  const where = planShorthand(of, inside) ?? planNode(of, inside);
  return where && some(hop, where);
}

/** What stands under a scalar: operators, `$not`, a list of alternatives. */
function planScalar(
  node: FilterNode,
  attribute: ScalarAttribute,
  place: FilterPlace & { readonly path: string },
): Condition {
  const each = (nodes: readonly FilterNode[], negated: boolean) =>
    nodes.map((child) => planScalar(child, attribute, { ...place, negated }));
  switch (node.kind) {
    case 'operator':
      return planTest(node.operator, node.value, { attribute, ...place });
    case 'all':
      return (place.negated ? or : and)(each(node.of, place.negated));
    case 'group':
      if (node.operator === '$not') return (place.negated ? and : or)(each(node.of, !place.negated));
      throw badValue(
        place.context,
        `The operator ${node.operator} groups attributes, not values`,
        node.operator,
        place.path,
      );
    case 'attribute':
      throw badValue(place.context, 'Not an operator', node.name, place.path);
  }
}
