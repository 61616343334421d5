import { type Document, Long } from 'bson';
import { documentKeys } from '../indexes/compile-index.js';
import type { Bounds } from '../planner/bounds.js';
import type { IndexScan, Plan, Query } from '../planner/plan.js';
import type { Found } from '../planner/scan.js';
import { tableKey } from '../storage/layout.js';
import { compileSort, indexKeys, valueComparer } from '../values/index.js';
import { withMetadata } from '../values/metadata.js';

/** The fields of the key that the plan's index has for a document; undefined if no index is used. */
export function keyOf(plan: Plan, document: Document): Document | undefined {
  if (plan.kind !== 'IXSCAN') return undefined;
  const { index } = plan;
  const values = keyMet(plan, document) ?? indexKeys(document, index.paths)[0] ?? [];
  return Object.fromEntries(index.paths.map((path, i) => [path, values[i] ?? null]));
}

/** If a document has several keys, the first one in the scan. */
function keyMet({ index, bounds, reverse }: IndexScan, document: Document): readonly unknown[] | undefined {
  const { keys } = documentKeys(index, document);
  if (keys.length < 2) return keys[0]?.values;
  const met = keys
    .map(({ key, values }) => ({ key: tableKey(index.meta.table, key), values }))
    .filter(({ key }) => isWithin(bounds, key))
    .sort((a, b) => Buffer.compare(a.key, b.key));
  return met.at(reverse ? -1 : 0)?.values;
}

const isWithin = ({ keys, spans }: Bounds, key: Buffer): boolean =>
  keys?.some((one) => one.equals(key)) ??
  spans.some(({ start, end }) => Buffer.compare(start, key) <= 0 && Buffer.compare(key, end) < 0);

/** Attaches the values that `$meta` may refer to to a document. */
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
