import { numberOf } from '../../schema/scalars/float.js';
import type { ContentType, Model, ScalarAttribute } from '../../schema/types.js';
import type { FilterNode, RawValue } from '../ast.js';
import { visibleNamed } from '../attributes.js';
import type { Condition } from '../read-plan.js';
import { listOf } from '../values.js';
import { always, and, or, some } from './condition.js';
import { badValue, behind, type FilterPlace, hopOf, type PlanContext, scalarOf } from './context.js';
import { planTest } from './test.js';

/**
 * `filters` → condition. Each object under a relation, media attribute or component is one join (rules B.6).
 * Throws a 400 for values that do not fit.
 */
export function planFilter(
  node: FilterNode | null,
  type: ContentType | Model,
  context: PlanContext,
): Condition {
  return (node && planNode(node, { model: type, path: null, negated: false, context })) ?? always;
}

/** Null if the node has no effect, so that its parent ignores it. */
function planNode(node: FilterNode, place: FilterPlace): Condition | null {
  switch (node.kind) {
    case 'all':
      return joined('and', node.of, place);
    case 'group':
      if (node.operator === '$not') return joined('and', node.of, { ...place, negated: !place.negated });
      return joined(node.operator === '$and' ? 'and' : 'or', node.of, place);
    case 'operator':
      throw badValue(
        place.context,
        `The operator ${node.operator} requires an attribute`,
        node.operator,
        place.path,
      );
    case 'attribute':
      return planAttribute(node.name, node.of, place);
  }
}

/** De Morgan: below `$not`, `and` becomes `or` and vice versa. */
function joined(kind: 'and' | 'or', nodes: readonly FilterNode[], place: FilterPlace): Condition | null {
  const conditions = nodes.map((node) => planNode(node, place)).filter((condition) => condition !== null);
  if (conditions.length === 0 && nodes.length > 0) return null;
  return (kind === 'and') === place.negated ? or(conditions) : and(conditions);
}

function planAttribute(name: string, of: FilterNode, place: FilterPlace): Condition | null {
  const { model, context } = place;
  const attribute = visibleNamed(model, name, context);
  const path = place.path === null ? name : `${place.path}.${name}`;
  // Only possible in the Document Service, where it has no effect (rules G.2): nothing can be learned from a
  // hash.
  if (attribute?.kind === 'scalar' && attribute.type === 'password') return null;
  if (attribute?.kind === 'scalar') return planScalar(of, attribute, { ...place, path });
  const hop = attribute && hopOf(attribute, context);
  if (!hop) throw badValue(context, 'Not an attribute that can be filtered by', name, place.path);
  const inside = { ...place, model: hop.target, path, context: behind(hop, context) };
  const where = planShorthand(of, inside) ?? planNode(of, inside);
  return where && some(hop, where);
}

/** The content of a scalar: operators, `$not`, a list of alternatives. */
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

/**
 * `filters[owner]=7`, `[owner][$in]…`, `[owner][$not][$null]=true`: operators on the numeric id of the target
 * (rules B.6). Null if the node names attributes of the target, or groups of them. As in Strapi, operators
 * and attributes cannot be mixed.
 */
function planShorthand(node: FilterNode, place: FilterPlace): Condition | null {
  const members = membersOf(node);
  if (members.every(({ kind }) => kind === 'attribute')) return null;
  if (members.length === 1 && members.every(isGroup)) return null;
  return planMembers(members, place);
}

const membersOf = (node: FilterNode): readonly FilterNode[] => (node.kind === 'all' ? node.of : [node]);

const isGroup = (node: FilterNode): boolean => node.kind === 'group' && node.operator !== '$not';

function planMembers(members: readonly FilterNode[], place: FilterPlace): Condition {
  const conditions = members.map((member) => planMember(member, place));
  return place.negated ? or(conditions) : and(conditions);
}

function planMember(node: FilterNode, place: FilterPlace): Condition {
  if (node.kind === 'operator') return planId(node.operator, node.value, place);
  if (node.kind === 'group' && node.operator === '$not')
    return planMembers(node.of.flatMap(membersOf), { ...place, negated: !place.negated });
  throw refused(place, 'Operators cannot be combined with attributes or groups, nor $not with attributes');
}

function planId(operator: string, value: RawValue, place: FilterPlace): Condition {
  const attribute = scalarOf(place.model, 'id', place.context);
  if (!attribute) throw refused(place, 'Operators require an attribute');
  const { path, negated, context } = place;
  return planTest(operator, attribute.key ? value : comparable(operator, value), {
    attribute,
    path: path ?? 'id',
    negated,
    context,
  });
}

/**
 * No entry has this id: a string that is not a number, such as a documentId, matches nothing, without an
 * error (rules B.4).
 */
const noId = -1;
const equality = new Set(['$eq', '$ne', '$in', '$notIn']);

function comparable(operator: string, value: RawValue): RawValue {
  if (!equality.has(operator)) return value;
  const usable = (one: RawValue): RawValue =>
    typeof one === 'string' && numberOf(one) === null ? noId : one;
  return listOf(value)?.map(usable) ?? usable(value);
}

const refused = ({ context, path }: FilterPlace, message: string) =>
  badValue(context, message, path ?? 'filters', path);
