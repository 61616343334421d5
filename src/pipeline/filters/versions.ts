/** Drafts of adopted collections: queries combine two collections into one (docs/on-mongodb.md, "Drafts"). */
import { schemaAttribute } from '../../query/attributes.js';
import type { RelationTarget } from '../../query/read-plan.js';
import { hasTwoVersions } from '../../query/versions.js';
import type { ContentType } from '../../schema/types.js';
import { collectionName } from '../collection.js';
import type { Scope } from '../relations/scope.js';
import { compareValues } from '../rows/compare.js';
import { type Doc, documentsOf, Slot, type Source, type Stage } from '../types.js';

const DRAFTS = '_sibling';

/**
 * Leaves out the documents that have a draft, and makes the others count as drafts. A draft exists only while
 * it differs from the published document, so there are few: their ids are queried first, or looked up for
 * each document if there are too many.
 */
export function undraftedStages({ type, status }: Source, scope: Scope): readonly Stage[] {
  if (status !== 'undrafted') return [];
  const published = schemaAttribute(type, 'publishedAt');
  const number = scope.next();
  const byLookup = scope.byLookup.has(number);
  if (!byLookup) {
    const source = { type, status: 'draft' } as const;
    scope.semiJoins.push({ number, source, stages: [], field: '_id', texts: false, needs: [] });
  }
  return [
    ...(byLookup ? withoutDraft(type) : [{ $match: { _id: { $nin: new Slot(number) } } }]),
    ...(published?.system ? [{ $unset: published.stored }] : []),
  ];
}

const withoutDraft = (type: ContentType): readonly Stage[] => [
  {
    $lookup: {
      from: collectionName(type, 'draft'),
      localField: '_id',
      foreignField: '_id',
      pipeline: [{ $project: { _id: 1 } }],
      as: DRAFTS,
    },
  },
  { $match: { [`${DRAFTS}.0`]: { $exists: false } } },
];

/** Field with the sort values and directions of a row, for merging the rows of two versions. */
export const PLACE = '_s0_place';

/** Stores the sort values in each row, if rows of two versions are to be merged. */
export function placeStages({ target, status }: RelationTarget, order: readonly Stage[]): readonly Stage[] {
  const sort = order.at(-1)?.['$sort'];
  if (!hasTwoVersions(target, status) || typeof sort !== 'object' || sort === null) return [];
  const keys = Object.entries(sort).map(([path, direction]) => ({
    value: { $ifNull: [`$${path}`, null] },
    direction: { $literal: direction },
  }));
  return [{ $set: { [PLACE]: keys } }];
}

interface PlaceKey {
  readonly value: unknown;
  readonly direction: number;
}

/** Merges the rows of two versions into one sorted list. */
export function mergeVersions(rows: readonly Doc[]): readonly Doc[] {
  const placed = rows.map((row) => ({ row, keys: documentsOf(row[PLACE]).map(keyOf) }));
  placed.sort((a, b) => {
    for (const [at, { value, direction }] of a.keys.entries()) {
      const order = compareValues(value, b.keys[at]?.value) * direction;
      if (order !== 0) return order;
    }
    return 0;
  });
  return placed.map(({ row }) => row);
}

/** The server sorts a list by its least or greatest member. */
function keyOf({ value, direction }: Doc): PlaceKey {
  if (!Array.isArray(value)) return { value, direction: Number(direction) };
  const [first = null] = [...value].sort((a, b) => compareValues(a, b) * Number(direction));
  return { value: first, direction: Number(direction) };
}
