/** A read of one document as a read of several. */
import { isPlainObject } from '../values/plain-object.js';
import { Slot, type Stage } from './types.js';

/**
 * The same stages for all documents of a list, the slot `documentIds`: each row is the one that the read of its `documentId` gives.
 * Null for reads that do more than find an entry and project it.
 */
export function ofMany(stages: readonly Stage[]): readonly Stage[] | null {
  const [first, limit, project, ...others] = stages;
  const match = first?.['$match'];
  if (!isPlainObject(match) || limit?.['$limit'] !== 1 || !project?.['$project'] || others.length > 0)
    return null;
  const { documentId } = match;
  if (!isPlainObject(documentId) || Object.keys(documentId).join() !== '$eq') return null;
  if (!(documentId['$eq'] instanceof Slot)) return null;
  return [{ $match: { ...match, documentId: { $in: new Slot('documentIds') } } }, project];
}
