import type { Document } from 'bson';
import { isDocument } from '../values/index.js';

/**
 * The result of stages that only count, given a count: `$count`, or a `$group` of everything into a sum of ones, which is how the
 * driver counts. Undefined for other stages.
 */
export function readCount(stages: readonly Document[]): ((count: number) => Document) | undefined {
  if (stages.length !== 1) return undefined;
  const stage = stages[0] as Document;
  const { $count, $group } = stage;
  if (typeof $count === 'string' && /^[^$.\0]+$/.test($count)) return (count) => ({ [$count]: count });
  if (!isDocument($group)) return undefined;
  const entries = Object.entries($group).filter(([name]) => name !== '_id');
  const [name, sum] = entries[0] ?? [];
  const isConstant = $group['_id'] === null || typeof $group['_id'] === 'number';
  if (entries.length !== 1 || name === undefined || !isConstant) return undefined;
  if (!isDocument(sum) || Object.keys(sum).length !== 1 || sum['$sum'] !== 1) return undefined;
  return (count) => ({ _id: $group['_id'], [name]: count });
}
