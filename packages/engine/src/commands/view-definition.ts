import type { Document } from 'bson';
import { compileCheck } from '../aggregation/index.js';
import { isSource, isWriteStage, stageName, stageRule } from '../aggregation/stage-rules.js';
import { fail } from '../errors.js';
import type { Reader } from '../storage/view.js';
import { equalValues, isDocument } from '../values/index.js';
import { DEEPEST_VIEW } from './views.js';

/** The collections of the same database that some stages read. */
function foreignNames(stages: readonly Document[]): string[] {
  return stages.flatMap((stage) =>
    Object.entries(stage).flatMap(([name, operand]): string[] => {
      if (name === '$facet' && isDocument(operand)) {
        return Object.values(operand).flatMap((part) => (Array.isArray(part) ? foreignNames(part) : []));
      }
      const member = stageRule(name).foreign;
      if (member === undefined) return [];
      if (typeof operand === 'string') return [operand];
      if (!isDocument(operand)) return [];
      const inner = Array.isArray(operand['pipeline']) ? foreignNames(operand['pipeline']) : [];
      return typeof operand[member] === 'string' ? [operand[member], ...inner] : inner;
    }),
  );
}

/**
 * Checks a view definition: a pipeline that only reads, no cycle back to the view itself, a limited depth, and the collation of
 * the underlying views. Throws GraphContainsCycle, ViewDepthLimitExceeded or OptionNotSupportedOnView.
 */
export function checkViewDefinition(reader: Reader, db: string, name: string, options: Document): void {
  const { viewOn, pipeline, collation } = options;
  if (viewOn === undefined) return;
  const writes = (pipeline as Document[]).find(isWriteStage);
  if (writes !== undefined) {
    fail(
      'OptionNotSupportedOnView',
      `The aggregation stage ${stageName(writes)} cannot be used in a view definition`,
    );
  }
  compileCheck(isSource(pipeline[0]) ? pipeline.slice(1) : pipeline);
  const views = new Map(
    reader.catalog
      .list(db)
      .filter((meta) => meta.name !== name && meta.options['viewOn'] !== undefined)
      .map((meta) => [meta.name, meta.options]),
  );
  views.set(name, { ...options, viewOn, pipeline });
  for (const [other, given] of views) {
    const touches = readBy(options).includes(other) || readBy(given).includes(name);
    if (touches && !equalValues(given['collation'] ?? null, collation ?? null)) {
      fail(
        'OptionNotSupportedOnView',
        `View ${db}.${name} has conflicting collation with view ${db}.${other}`,
      );
    }
  }
  const below = chainBelow(name, views, new Map(), (other) => {
    if (other === name) fail('GraphContainsCycle', `View cycle detected on: ${db}.${name}`);
  });
  if (below + chainAbove(name, views) > DEEPEST_VIEW) {
    fail('ViewDepthLimitExceeded', `View depth limit exceeded; maximum depth is ${DEEPEST_VIEW}`);
  }
}

type Views = ReadonlyMap<string, Document>;

const readBy = ({ viewOn, pipeline }: Document): string[] => [viewOn, ...foreignNames(pipeline ?? [])];

/** How many views there are on the way from a view down to a collection; each is visited once. */
function chainBelow(
  name: string,
  views: Views,
  known: Map<string, number>,
  visit: (other: string) => void,
): number {
  const options = views.get(name);
  if (options === undefined) return 0;
  let longest = 0;
  for (const next of readBy(options)) {
    const given = views.get(next);
    if (given === undefined) continue;
    visit(next);
    const length = known.get(next) ?? chainBelow(next, views, known, visit);
    known.set(next, length);
    longest = Math.max(longest, length);
  }
  return longest + 1;
}

/** The depth of a view. */
function chainAbove(name: string, views: Views): number {
  const readers = new Map<string, string[]>();
  for (const [reader, options] of views) {
    for (const read of readBy(options)) readers.set(read, [...(readers.get(read) ?? []), reader]);
  }
  const known = new Map<string, number>();
  const above = (current: string): number => {
    let longest = 0;
    for (const reader of readers.get(current) ?? []) {
      const length = known.get(reader) ?? above(reader);
      known.set(reader, length);
      longest = Math.max(longest, length + 1);
    }
    return longest;
  };
  return above(name);
}
