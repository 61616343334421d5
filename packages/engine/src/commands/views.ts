import type { Document } from 'bson';
import { isSource } from '../aggregation/stage-rules.js';
import { fail } from '../errors.js';
import type { Query } from '../planner/plan.js';
import type { CollectionMeta } from '../storage/catalog.js';
import type { Reader } from '../storage/view.js';

/** What a name resolves to: a collection (or nothing yet), and the stages that views put before it. */
interface Source {
  readonly name: string;
  readonly collection: CollectionMeta | undefined;
  readonly stages: readonly Document[];
}

/** The maximum depth of views. */
export const DEEPEST_VIEW = 20;

/** Follows views down to the underlying collection. Of a chain of maximum depth, only the part below its top can be read. */
export function resolveSource(reader: Reader, db: string, name: string): Source {
  let current = name;
  let stages: Document[] = [];
  for (let depth = 0; depth < DEEPEST_VIEW; depth++) {
    const meta = reader.catalog.get(db, current);
    const below = meta?.options['viewOn'];
    if (below === undefined) return { name: current, collection: meta, stages };
    const own = (meta?.options['pipeline'] as Document[] | undefined) ?? [];
    stages = [...own, ...stages];
    current = below;
    // A stage that produces documents itself uses the collection or view under it only by name.
    if (isSource(own[0])) return { name: current, collection: undefined, stages };
  }
  return fail(
    'ViewDepthLimitExceeded',
    `View depth too deep or view cycle detected; maximum depth is ${DEEPEST_VIEW}`,
  );
}

/** A find as pipeline stages, for views. */
export function findAsPipeline(query: Query, projection: Document): Document[] {
  const stages: Document[] = [{ $match: query.filter }];
  if (query.sort !== undefined) stages.push({ $sort: query.sort });
  if (query.skip) stages.push({ $skip: query.skip });
  if (query.limit !== undefined) stages.push({ $limit: query.limit });
  if (Object.keys(projection).length > 0) stages.push({ $project: projection });
  return stages;
}
