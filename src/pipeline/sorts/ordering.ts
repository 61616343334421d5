/**
 * Sorts through relations in sets (docs/decisions/001): one aggregation returns the ids of all matching
 * entries, grouped by their references, and the values of the targets. This process sorts them, and the page
 * is read by ids.
 */

import { plainPath } from '../../query/plain-path.js';
import type { SortKey } from '../../query/read-plan.js';
import { isOrderedAlike } from '../../schema/scalars/index.js';
import { addTo } from '../../values/group.js';
import { flatten } from '../relations/item-expressions.js';
import type { Scope } from '../relations/scope.js';
import { compareValues } from '../rows/compare.js';
import { joinFieldsOf } from '../rows/place.js';
import { sourcesSeen } from '../sources/sources-of.js';
import {
  type Doc,
  documentsOf,
  type Expression,
  type Ordering,
  type OrderKey,
  type Source,
  type Stage,
} from '../types.js';
import { valueRows } from './order.js';

/** Null if no key goes through a relation, or if one cannot be looked up from the entry's own references. */
export function orderingOf(keys: readonly SortKey[], source: Source, scope: Scope): Ordering | null {
  if (keys.every((key) => plainPath(key) !== null)) return null;
  const planned: (OrderKey & { readonly path: string; readonly lookups: readonly Stage[] })[] = [];
  for (const [index, key] of keys.entries()) {
    const path = plainPath(key);
    const found =
      path === null ? references(key, `k${index}`, source, scope) : { path, lookups: [], fields: [] };
    if (found === null || !isOrderedAlike(key.attribute.type)) return null;
    planned.push({ field: `k${index}`, direction: key.direction, ...found });
  }
  const related = planned.filter(({ fields }) => fields.length > 0);
  const own = planned.filter(({ fields }) => fields.length === 0);
  const value = (path: string): Expression => ({ $ifNull: [`$${path}`, null] });
  const each = (list: typeof planned, of: (key: OrderKey & { readonly path: string }) => Expression): Doc =>
    Object.fromEntries(list.map((key) => [key.field, of(key)]));
  return {
    keys: planned.map(({ field, direction, fields }) => ({ field, direction, fields })),
    stages: [
      {
        $group: {
          _id: each(related, ({ path }) => value(path)),
          ids: { $push: value('id') },
          ...each(own, ({ path }) => ({ $push: value(path) })),
        },
      },
      {
        $group: {
          _id: null,
          ids: { $push: '$ids' },
          ...each(related, ({ field }) => ({ $push: `$_id.${field}` })),
          ...each(own, ({ field }) => ({ $push: `$${field}` })),
        },
      },
      ...related.flatMap(({ lookups }) => lookups),
    ],
  };
}

interface References {
  readonly path: string;
  readonly lookups: readonly Stage[];
  readonly fields: readonly string[];
}

/**
 * Looks up the targets of one key, for the references of all entries: once for each source that the query
 * sees.
 */
function references(key: SortKey, field: string, source: Source, scope: Scope): References | null {
  const at = key.via.findIndex(({ kind }) => kind === 'relation');
  const hop = key.via[at];
  const before = key.via.slice(0, at);
  if (hop?.kind !== 'relation' || before.some((step) => step.kind === 'component' && step.attribute.many))
    return null;
  const link = joinFieldsOf(hop, before.map(({ attribute }) => `${attribute.name}.`).join(''));
  if (link.foreign !== 'documentId' || link.localizations) return null;
  const inner = { ...key, via: key.via.slice(at + 1) };
  const lookups: Stage[] = [];
  const fields: string[] = [];
  for (const [index, target] of sourcesSeen(hop, source.status).entries()) {
    const { ofParent, pipeline } = valueRows({ hop, inner, source: target, steps: [] }, scope);
    if (ofParent) return null;
    const as = `${field}_${index}`;
    const keys = hop.attribute.many ? flatten(orEmpty(`$${field}`)) : `$${field}`;
    fields.push(as);
    lookups.push(
      { $set: { [as]: { $setDifference: [keys, [null]] } } },
      {
        $lookup: {
          from: target.collection,
          localField: as,
          foreignField: 'documentId',
          pipeline,
          as,
        },
      },
    );
  }
  return { path: link.local, lookups, fields };
}

/** Entries may lack the list. */
const orEmpty = (lists: string): Expression => ({ $map: { input: lists, in: { $ifNull: ['$$this', []] } } });

/** The `id`s of all entries in order; null if they are not unique. */
export function idsInOrder(
  document: Doc | undefined,
  { keys }: Pick<Ordering, 'keys'>,
): readonly unknown[] | null {
  if (document === undefined) return [];
  const groups = listOf(document['ids']).map(listOf);
  const columns = keys.map((key) => columnOf(document, key, groups));
  const rows = groups.flatMap((ids, group) =>
    ids.map((id, place) => ({ id, values: columns.map((column) => column(group, place)) })),
  );
  if (new Set(rows.map(({ id }) => String(id))).size < rows.length || rows.some(({ id }) => id === null))
    return null;
  rows.sort((left, right) => {
    for (const [index, { direction, fields }] of keys.entries()) {
      const [a, b] = [left.values[index], right.values[index]];
      const order = fields.length > 0 ? Number(a) - Number(b) : compareValues(a, b) * direction;
      if (order !== 0) return order;
    }
    return 0;
  });
  return rows.map(({ id }) => id);
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The value of a key by group and position in the group; for a key through a relation, its rank. */
function columnOf(
  document: Doc,
  { field, direction, fields }: OrderKey,
  groups: readonly unknown[],
): (group: number, place: number) => unknown {
  const column = listOf(document[field]);
  if (fields.length === 0) return (group, place) => listOf(column[group])[place];
  const targets = new Map<unknown, unknown[]>();
  for (const found of fields.flatMap((each) => documentsOf(document[each])))
    addTo(targets, found['documentId'], found['value'] ?? null);
  const values = groups.map((_, group) => first(valuesOf(column[group], targets), direction));
  const ranks = ranksOf(values, direction);
  return (group) => ranks[group];
}

const valuesOf = (refers: unknown, targets: ReadonlyMap<unknown, readonly unknown[]>): readonly unknown[] =>
  (Array.isArray(refers) ? refers : [refers]).flatMap((reference: unknown) => targets.get(reference) ?? []);

/** A missing target counts as null, which comes first when ascending and last when descending. */
function first(values: readonly unknown[], direction: 1 | -1): unknown {
  const [start = null, ...rest] = values;
  return rest.reduce((best, value) => (compareValues(value, best) * direction < 0 ? value : best), start);
}

/** The ranks of values, the same for equal ones, so that the values themselves are compared only once. */
function ranksOf(values: readonly unknown[], direction: 1 | -1): readonly number[] {
  const order = values
    .map((_, index) => index)
    .sort((a, b) => compareValues(values[a], values[b]) * direction);
  const ranks: number[] = [];
  let rank = 0;
  for (const [place, index] of order.entries()) {
    const before = order[place - 1];
    if (before !== undefined && compareValues(values[before], values[index]) !== 0) rank = place;
    ranks[index] = rank;
  }
  return ranks;
}
