/** Drafts beside an adopted collection: two collections hold what a query sees as one (docs/on-mongodb.md, "Drafts"). */
import { attributeBehind } from '../../query/attributes.js';
import type { RelationTarget } from '../../query/read-plan.js';
import { hasTwoVersions } from '../../query/versions.js';
import type { ContentType } from '../../schema/types.js';
import { collectionName } from '../collection.js';
import type { Scope } from '../relations/scope.js';
import { compareValues } from '../rows/compare.js';
import { type Doc, documentsOf, Slot, type Source, type Stage } from '../types.js';

const DRAFTS = '_sibling';

/**
 * Leaves the documents of a source out that have a draft, and makes drafts of the others. Drafts are few, since one is there only
 * while it differs: their ids are asked for before, and too many of them are looked up beside each document.
 */
export function undraftedStages({ type, status }: Source, scope: Scope): readonly Stage[] {
  if (status !== 'undrafted') return [];
  const published = attributeBehind(type, 'publishedAt');
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

/** Of rows of one version: what they were sorted by, and in which direction. */
export const PLACE = '_s0_place';

/** By what rows of two versions are put in one order. */
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

/** Rows of two versions as one list. */
export function inOneOrder(rows: readonly Doc[]): readonly Doc[] {
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

/** Of a list the server sorts by the least or the greatest member. */
function keyOf({ value, direction }: Doc): PlaceKey {
  if (!Array.isArray(value)) return { value, direction: Number(direction) };
  const [first = null] = [...value].sort((a, b) => compareValues(a, b) * Number(direction));
  return { value: first, direction: Number(direction) };
}
