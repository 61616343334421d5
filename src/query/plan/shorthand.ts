import { numberOf } from '../../schema/scalars/float.js';
import type { FilterNode, RawValue } from '../ast.js';
import type { Condition } from '../read-plan.js';
import { listOf } from '../values.js';
import { and, or } from './condition.js';
import { badValue, type FilterPlace, scalarOf } from './context.js';
import { planTest } from './test.js';

/**
 * `filters[owner]=7`, `[owner][$in]…`, `[owner][$not][$null]=true`: operators on the numeric id of the target (rules B.6). Null
 * when the node names attributes of the target instead, or groups of them. As in Strapi operators stand beside no attribute.
 */
export function planShorthand(node: FilterNode, place: FilterPlace): Condition | null {
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
  throw refused(place, 'Operators cannot stand beside attributes or groups, nor $not before attributes');
}

function planId(operator: string, value: RawValue, place: FilterPlace): Condition {
  const attribute = scalarOf(place.model, 'id', place.context);
  if (!attribute) throw refused(place, 'Operators need an attribute');
  const { path, negated, context } = place;
  return planTest(operator, attribute.key ? value : comparable(operator, value), {
    attribute,
    path: path ?? 'id',
    negated,
    context,
  });
}

/** No entry has these ids: a string that is not a number, such as a documentId, matches nothing, without an error (rules B.4). */
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
