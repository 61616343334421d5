/** Turns a read of one document into a read of several. */
import { isPlainObject } from '../values/plain-object.js';
import { Slot, type Stage } from './types.js';

/**
 * The same stages for all documents of the slot `documentIds`; each row is what the read of its own
 * `documentId` returns. Null for reads that do more than match one entry and project it.
 */
export function batchByDocumentId(stages: readonly Stage[]): readonly Stage[] | null {
  const [first, limit, project, ...others] = stages;
  const match = first?.['$match'];
  if (!isPlainObject(match) || limit?.['$limit'] !== 1 || !project?.['$project'] || others.length > 0)
    return null;
  const path = PATHS.find((each) => isOne(match[each]));
  return path === undefined
    ? null
    : [{ $match: { ...match, [path]: { $in: new Slot('documentIds') } } }, project];
}

/** The path that identifies a document: in Mangrove's collections, and in adopted ones. */
const PATHS = ['documentId', '_id'];

const isOne = (test: unknown): boolean =>
  isPlainObject(test) &&
  Object.keys(test).length === 1 &&
  (test['$eq'] instanceof Slot || test['$in'] instanceof Slot);
