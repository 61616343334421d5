import { type Document, Long } from 'bson';
import type { Plan, Query } from '../planner/plan.js';
import type { Found } from '../planner/scan.js';
import { compileSort, indexKeys, valueComparer } from '../values/index.js';
import { withMetadata } from '../values/metadata.js';

/** The members of the key that the plan's index has for a document; undefined where no index is used. */
export function keyOf(plan: Plan, document: Document): Document | undefined {
  if (plan.kind !== 'IXSCAN') return undefined;
  const [values = []] = indexKeys(document, plan.index.paths);
  return Object.fromEntries(plan.index.paths.map((path, i) => [path, values[i] ?? null]));
}

/** Notes on a found document what `$meta` may ask for. */
export function metadataNoter(plan: Plan, query: Query): (document: Document, found: Found) => Document {
  const sort = query.sort !== undefined && !('$natural' in query.sort) ? query.sort : undefined;
  const order = sort === undefined ? undefined : compileSort(sort, valueComparer(query.collation));
  return (document, { record }) => {
    const indexKey = keyOf(plan, document);
    const sortKey = order?.keysOf(document).map((key) => key ?? null);
    return withMetadata(document, {
      recordId: Long.fromNumber(record),
      ...(indexKey === undefined ? {} : { indexKey }),
      ...(sortKey === undefined ? {} : { sortKey }),
    });
  };
}
