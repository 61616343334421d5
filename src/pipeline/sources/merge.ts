/** Merges the populated rows of several sources into one list. */
import { compareValues } from '../rows/compare.js';
import { type Doc, documentsOf, type Stage } from '../types.js';

/** Field with the sort values and directions of a row. */
export const PLACE = '_s0_place';

/** Stores the sort values in each row. */
export function placeStages(order: readonly Stage[]): readonly Stage[] {
  const sort = order.at(-1)?.['$sort'];
  if (typeof sort !== 'object' || sort === null) return [];
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

/** Sorts rows by their places; rows without one keep their order. */
export function mergeRows(rows: readonly Doc[]): readonly Doc[] {
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
