import { CallerSlot } from '../../query/caller-values.js';
import type { Condition, RelationHop } from '../../query/read-plan.js';
import { USER_UID } from '../../schema/uids.js';

const KEYS = new Set(['id', 'documentId']);

/**
 * What a relation to accounts refers to if it leads to the account of the caller, which exists: no query has to find it.
 * Null: `where` says something else.
 */
export function callersOwn({ attribute, target, linked }: RelationHop, where: Condition): CallerSlot | null {
  const isStored =
    attribute.kind === 'relation' && attribute.owner && attribute.link.foreign === 'documentId';
  if (!isStored || attribute.link.texts || linked || target.uid !== USER_UID || target.storage) return null;
  if (where.kind !== 'test' || where.test.operator !== 'eq' || where.test.negated) return null;
  const { name, type } = where.attribute;
  const [value] = where.test.values;
  const isOwn = KEYS.has(name) && value instanceof CallerSlot && value.caller === name;
  return isOwn ? new CallerSlot('documentId', name === 'documentId' ? type : 'string') : null;
}
