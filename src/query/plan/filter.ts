import { finiteNumber } from '../../schema/scalars/float.js';
import type { Attribute, ContentType, Model, ScalarAttribute } from '../../schema/types.js';
import type { RawValue } from '../ast.js';
import { CallerValue } from '../caller-values.js';
import type { CheckedFilter } from '../checked.js';
import type { Condition } from '../read-plan.js';
import { listOf } from '../values.js';
import { always, and, or, some } from './condition.js';
import {
  badValue,
  contextAfterHop,
  type FilterPlace,
  hopOf,
  numericIdAttribute,
  type PlanContext,
} from './context.js';
import { planTest } from './test.js';

/**
 * `filters` → condition. Each object under a relation, media attribute or component is one join. Throws a 400
 * for values that do not fit.
 */
export function planFilter(
  node: CheckedFilter | null,
  type: ContentType | Model,
  context: PlanContext,
): Condition {
  return (node && planNode(node, { model: type, path: null, negated: false, context })) ?? always;
}

/** Null if the node has no effect, so that its parent ignores it. */
function planNode(node: CheckedFilter, place: FilterPlace): Condition | null {
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
      return planAttribute(node.attribute, node.of, place);
  }
}

/** De Morgan: below `$not`, `and` becomes `or` and vice versa. */
function joined(kind: 'and' | 'or', nodes: readonly CheckedFilter[], place: FilterPlace): Condition | null {
  const conditions = nodes.map((node) => planNode(node, place)).filter((condition) => condition !== null);
  if (conditions.length === 0 && nodes.length > 0) return null;
  return (kind === 'and') === place.negated ? or(conditions) : and(conditions);
}

function planAttribute(attribute: Attribute, of: CheckedFilter, place: FilterPlace): Condition | null {
  const { context } = place;
  const { name } = attribute;
  const path = place.path === null ? name : `${place.path}.${name}`;
  // Only possible in the Document Service, where it has no effect: nothing can be learned from a
  // hash.
  if (attribute.kind === 'scalar' && attribute.type === 'password') return null;
  if (attribute.kind === 'scalar') return planScalar(of, attribute, { ...place, path });
  const hop = hopOf(attribute, context);
  if (!hop) throw badValue(context, 'Not an attribute that can be filtered by', name, place.path);
  const inside = { ...place, model: hop.target, path, context: contextAfterHop(hop, context) };
  const where = planShorthand(of, inside) ?? planNode(of, inside);
  return where && some(hop, where);
}

/** The content of a scalar: operators, `$not`, a list of alternatives. */
function planScalar(
  node: CheckedFilter,
  attribute: ScalarAttribute,
  place: FilterPlace & { readonly path: string },
): Condition {
  const each = (nodes: readonly CheckedFilter[], negated: boolean) =>
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
      throw badValue(place.context, 'Not an operator', node.attribute.name, place.path);
  }
}

/**
 * `filters[owner]=7`, `[owner][$in]…`, `[owner][$not][$null]=true`: operators on the numeric id of the
 * target. Null if the node names attributes of the target, or groups of them. As in Strapi, operators and
 * attributes cannot be mixed.
 */
function planShorthand(node: CheckedFilter, place: FilterPlace): Condition | null {
  const members = membersOf(node);
  if (members.every(({ kind }) => kind === 'attribute')) return null;
  if (members.length === 1 && members.every(isGroup)) return null;
  return planMembers(members, place);
}

const membersOf = (node: CheckedFilter): readonly CheckedFilter[] => (node.kind === 'all' ? node.of : [node]);

const isGroup = (node: CheckedFilter): boolean => node.kind === 'group' && node.operator !== '$not';

function planMembers(members: readonly CheckedFilter[], place: FilterPlace): Condition {
  const conditions = members.map((member) => planMember(member, place));
  return place.negated ? or(conditions) : and(conditions);
}

function planMember(node: CheckedFilter, place: FilterPlace): Condition {
  if (node.kind === 'operator') return planId(node.operator, node.value, place);
  if (node.kind === 'group' && node.operator === '$not')
    return planMembers(node.of.flatMap(membersOf), { ...place, negated: !place.negated });
  throw refused(place, 'Operators cannot be combined with attributes or groups, nor $not with attributes');
}

function planId(operator: string, value: RawValue, place: FilterPlace): Condition {
  const attribute = numericIdAttribute(place.model, place.context);
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
 * error.
 */
const noId = -1;
const equality = new Set(['$eq', '$ne', '$in', '$notIn']);

function comparable(operator: string, value: RawValue): RawValue {
  if (!equality.has(operator)) return value;
  const usable = (one: RawValue): RawValue => {
    if (one instanceof CallerValue) return one.name === 'id' ? one : usable(one.reveal());
    return typeof one === 'string' && finiteNumber(one) === null ? noId : one;
  };
  return listOf(value)?.map(usable) ?? usable(value);
}

const refused = ({ context, path }: FilterPlace, message: string) =>
  badValue(context, message, path ?? 'filters', path);
