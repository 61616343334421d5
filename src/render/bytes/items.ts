/** The component items of an entry, by their offsets: which there are, and which of them a query shows. */
import type { Buffer } from 'node:buffer';
import type { Form } from '../../pipeline/populate/shape.js';
import type { Doc } from '../../pipeline/types.js';
import type { Condition, SortKey } from '../../query/read-plan.js';
import type { ComponentAttribute } from '../../schema/types.js';
import { decodeAt, eachMember, TYPE } from '../../values/bson-bytes.js';
import { holds, inOrder } from '../items.js';
import type { FieldCursor } from './object.js';
import type { Within } from './relations.js';

/** Offsets of items. */
export type ItemOffsets = readonly number[];

const NONE: ItemOffsets = [];

/** The documents in a list. */
export function documentsAt({ type, bytes, at }: FieldCursor): ItemOffsets {
  if (type !== TYPE.array) return NONE;
  const found: number[] = [];
  eachMember(bytes, at, (itemType, itemAt) => {
    if (itemType === TYPE.document) found.push(itemAt);
  });
  return found;
}

/**
 * The items of a component attribute, at most one if it is not repeatable. Values other than documents are left
 * out. Other programs may store a list for a single item and vice versa.
 */
export function itemOffsets(cursor: FieldCursor, { many, adopted }: ComponentAttribute): ItemOffsets {
  const { type, at } = cursor;
  if (adopted) {
    if (type === TYPE.document) return [at];
    const all = documentsAt(cursor);
    return many ? all : all.slice(0, 1);
  }
  if (many) return documentsAt(cursor);
  return type === TYPE.document ? [at] : NONE;
}

/** Chooses among the items of an entry. */
type Choose = (items: ItemOffsets, cursor: FieldCursor) => ItemOffsets;

interface Chosen {
  readonly filter: Condition | undefined;
  readonly sort: readonly SortKey[] | null | undefined;
  /** Converts what filters and sorts look at, if it is not stored in the form that they compare. */
  readonly form: Form | null;
}

/** The items that populate asks for; null: all, in stored order. */
export function chooserOf(
  { filter, sort, form }: Chosen,
  { populates }: Pick<Within, 'populates'>,
): Choose | null {
  const tested = filter && filter.kind !== 'always' ? filter : null;
  const keys = sort && sort.length > 0 ? sort : null;
  if (!tested && !keys) return null;
  const itemAt = (bytes: Buffer, at: number): Doc => {
    const value = decodeAt(TYPE.document, bytes, at);
    const [item] = [form ? form(value) : value].flat();
    return item as Doc;
  };
  return (items, { bytes, entry }) => {
    const context = { entry, populates };
    const rows = items
      .map((at) => ({ at, item: itemAt(bytes, at) }))
      .filter(({ item }) => tested === null || holds(tested, item, context));
    return (keys ? inOrder(rows, keys, context) : rows).map(({ at }) => at);
  };
}
