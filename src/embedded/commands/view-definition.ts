import type { Document } from 'bson';
import { compileCheck } from '../aggregation/index.js';
import { fail } from '../errors.js';
import type { Reader } from '../storage/view.js';
import { equalValues, isDocument } from '../values/index.js';
import { DEEPEST_VIEW } from './views.js';

/** Stages that name another collection, and the member that does. */
const FOREIGN: Readonly<Record<string, string>> = {
  $lookup: 'from',
  $graphLookup: 'from',
  $unionWith: 'coll',
};

/** The collections of the same database that some stages read. */
function foreignNames(stages: readonly Document[]): string[] {
  return stages.flatMap((stage) =>
    Object.entries(stage).flatMap(([name, operand]): string[] => {
      if (name === '$facet' && isDocument(operand)) {
        return Object.values(operand).flatMap((part) => (Array.isArray(part) ? foreignNames(part) : []));
      }
      const member = FOREIGN[name];
      if (member === undefined) return [];
      if (typeof operand === 'string') return [operand];
      if (!isDocument(operand)) return [];
      const inner = Array.isArray(operand['pipeline']) ? foreignNames(operand['pipeline']) : [];
      return typeof operand[member] === 'string' ? [operand[member], ...inner] : inner;
    }),
  );
}

/**
 * Checks what a view is defined by: a pipeline that only reads, no way back to the view itself, not too deep, and the
 * collation of the views below. Throws GraphContainsCycle, ViewDepthLimitExceeded or OptionNotSupportedOnView.
 */
export function checkViewDefinition(reader: Reader, db: string, name: string, options: Document): void {
  const { viewOn, pipeline, collation } = options;
  if (viewOn === undefined) return;
  const writes = (pipeline as Document[]).find((stage) => '$out' in stage || '$merge' in stage);
  if (writes !== undefined) {
    fail(
      'OptionNotSupportedOnView',
      `The aggregation stage ${Object.keys(writes)[0]} cannot be used in a view definition`,
    );
  }
  compileCheck(pipeline);
  const follow = (current: string, depth: number): void => {
    if (current === name) fail('GraphContainsCycle', `View cycle detected on: ${db}.${name}`);
    if (depth > DEEPEST_VIEW) {
      fail('ViewDepthLimitExceeded', `View depth limit exceeded; maximum depth is ${DEEPEST_VIEW}`);
    }
    const below = reader.catalog.get(db, current)?.options;
    if (below?.['viewOn'] === undefined) return;
    if (!equalValues(below['collation'] ?? null, collation ?? null)) {
      fail(
        'OptionNotSupportedOnView',
        `View ${db}.${name} has conflicting collation with view ${db}.${current}`,
      );
    }
    for (const next of [below['viewOn'], ...foreignNames(below['pipeline'])]) follow(next, depth + 1);
  };
  for (const next of [viewOn, ...foreignNames(pipeline)]) follow(next, 1);
}
