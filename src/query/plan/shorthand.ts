import type { FilterNode, RawValue } from '../ast.js';
import { castValue } from '../cast.js';
import type { Condition } from '../read-plan.js';
import { listOf } from '../values.js';
import { badValue, scalarOf } from './context.js';
import type { FilterPlace } from './filter.js';
import { planTest } from './test.js';

/**
 * `filters[owner]=7`, `[owner][$in]…`, `[owner][$null]=true`: the numeric id of the target (SPEC B.6). Null when the node
 * names attributes of the target instead. As in Strapi only one operator may stand there, and none beside an attribute.
 */
export function planShorthand(node: FilterNode, place: FilterPlace): Condition | null {
  const members = node.kind === 'all' ? node.of : [node];
  const operators = members.filter(({ kind }) => kind !== 'attribute');
  if (operators.length === 0) return null;
  const [only] = operators;
  if (members.length > 1 || !only)
    throw refused(place, 'Operators and attributes cannot be mixed, and only one operator may stand here');
  if (only.kind === 'operator') return planId(only.operator, only.value, place);
  if (only.kind === 'any') throw refused(place, 'A list of objects needs $and or $or');
  if (only.kind !== 'group' || only.operator !== '$not') return null;
  const [inner] = only.of;
  if (inner?.kind === 'operator')
    return planId(inner.operator, inner.value, { ...place, negated: !place.negated });
  throw refused(place, '$not needs a value here');
}

function planId(operator: string, value: RawValue, place: FilterPlace): Condition | null {
  const attribute = scalarOf(place.model, 'id');
  if (!attribute) return null;
  const { path, negated, context } = place;
  return planTest(operator, comparable(operator, value), { attribute, path: path ?? 'id', negated, context });
}

/** No entry has these ids: a text that is no number, such as a documentId, matches nothing, without an error (SPEC B.4). */
const noId = -1;
const equality = new Set(['$eq', '$ne', '$in', '$notIn']);

function comparable(operator: string, value: RawValue): RawValue {
  if (!equality.has(operator)) return value;
  const usable = (one: RawValue): RawValue =>
    typeof one === 'string' && !('value' in castValue(one, 'integer')) ? noId : one;
  return listOf(value)?.map(usable) ?? usable(value);
}

const refused = ({ context, path }: FilterPlace, message: string) =>
  badValue(context, message, path ?? 'filters', path);
