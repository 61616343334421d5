/** Populate's `filters` and `sort` on components: which items are shown, in which order. */

import { testsValue } from '../pipeline/filters/test-value.js';
import type { PopulateField, PopulateFields } from '../pipeline/populate/populate-fields.js';
import { compareValues } from '../pipeline/rows/compare.js';
import { holdsForNulls } from '../pipeline/rows/null-row.js';
import { type Doc, documentsOf } from '../pipeline/types.js';
import type { Condition, SortKey } from '../query/read-plan.js';
import { isObject } from '../values/plain-object.js';
import { relatedRows } from './populated.js';

/** What an item's conditions may refer to besides the item: its entry, with populate fields. */
interface ItemContext {
  readonly entry: Doc;
  readonly populates: PopulateFields;
}

/** Whether a condition holds for an item; a missing item is treated as one whose values are all null. */
export function holds(condition: Condition, item: Doc | null, context: ItemContext): boolean {
  switch (condition.kind) {
    case 'always':
      return true;
    case 'never':
      return false;
    case 'and':
      return condition.of.every((part) => holds(part, item, context));
    case 'or':
      return condition.of.some((part) => holds(part, item, context));
    case 'test':
      return testsValue(condition.attribute, condition.test, item?.[condition.attribute.name] ?? null);
    case 'some': {
      const populate = context.populates.get(condition);
      if (populate)
        return item ? someRelated(condition.where, populate, item, context) : holdsForNulls(condition.where);
      const items = itemsAt(item, condition.via.attribute.name);
      return (items.length === 0 ? [null] : items).some((each) => holds(condition.where, each, context));
    }
  }
}

/**
 * The first half of the fields holds the rows that satisfy `where`. If `where` also holds without a row, the
 * second half holds all rows.
 */
function someRelated(where: Condition, populate: PopulateField, item: Doc, { entry }: ItemContext): boolean {
  const { fields } = populate;
  const rows = fields.map((field) => relatedRows(populate, field, item, entry).length > 0);
  if (!holdsForNulls(where)) return rows.includes(true);
  const half = fields.length / 2;
  return rows.slice(0, half).includes(true) || !rows.slice(half).includes(true);
}

/** A sorted copy; equal items keep their order. */
export function inOrder<Row extends { readonly item: Doc }>(
  items: readonly Row[],
  keys: readonly SortKey[],
  context: ItemContext,
): readonly Row[] {
  const rows = items.map((row) => ({ row, values: keys.map((key) => sortValue(key, row.item, context)) }));
  rows.sort((left, right) => {
    for (const [index, { direction }] of keys.entries()) {
      const order = compareValues(left.values[index], right.values[index]) * direction;
      if (order !== 0) return order;
    }
    return 0;
  });
  return rows.map(({ row }) => row);
}

/** If the path leads to several rows, the one that sorts first; if to none, null. */
function sortValue(key: SortKey, item: Doc, { entry, populates }: ItemContext): unknown {
  const populate = populates.get(key);
  let rows: readonly (Doc | null)[] = [item];
  for (const { kind, attribute } of key.via)
    rows = rows.flatMap((row): readonly (Doc | null)[] => {
      const found =
        kind === 'relation' && populate && row
          ? populate.fields.flatMap((field) => relatedRows(populate, field, row, entry))
          : itemsAt(row, attribute.name);
      return found.length === 0 ? [null] : found;
    });
  const [first = null, ...rest] = rows.map((row) => row?.[key.attribute.name] ?? null);
  return rest.reduce((best, value) => (compareValues(value, best) * key.direction < 0 ? value : best), first);
}

function itemsAt(item: Doc | null, name: string): readonly Doc[] {
  const value = item?.[name];
  return isObject(value) ? [value] : documentsOf(value);
}
