import type { Document } from 'bson';
import { isDocument } from '../values/index.js';
import { isArrayIndex } from '../values/paths.js';

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

/** The path of a `$group` by one path only, for which the distinct values are sufficient. Undefined for another stage. */
export function readGroupedPath(stage: Document | undefined): string | undefined {
  const $group = stage?.['$group'];
  const by: unknown = isDocument($group) && Object.keys($group).length === 1 ? $group['_id'] : undefined;
  if (typeof by !== 'string' || !/^\$[^$.\0]+(\.[^$.\0]+)*$/.test(by)) return undefined;
  const path = by.slice(1);
  return path.split('.').some(isArrayIndex) ? undefined : path;
}
