import type { Document } from 'bson';
import { fail } from '../errors.js';
import { type Collation, valueComparer, valuesAt } from '../values/index.js';

interface Row<T> {
  readonly keys: readonly unknown[];
  readonly order: number;
  readonly row: T;
}

interface Field {
  readonly path: string;
  readonly sign: 1 | -1;
}

function readFields(sort: Document): Field[] {
  return Object.entries(sort).map(([path, direction]) => {
    const value = Number(direction);
    if (value !== 1 && value !== -1) {
      return fail(15975, '$sort key ordering must be 1 (for ascending) or -1 (for descending)');
    }
    return { path, sign: value };
  });
}

/**
 * Sorts rows by a sort document: an array stands by its least element upwards and by its greatest downwards. Ties
 * keep their order. With `most`, only that many first rows are kept, so memory stays bounded by them.
 */
export function sortRows<T>(
  rows: Iterable<{ row: T; document: Document }>,
  sort: Document,
  collation: Collation | undefined,
  most: number | undefined,
): T[] {
  const fields = readFields(sort);
  const compare = valueComparer(collation);
  const keyOf = (document: Document, { path, sign }: Field): unknown => {
    const direct = path.includes('.') ? undefined : document[path];
    if (direct !== undefined && typeof direct !== 'object') return direct;
    const values = valuesAt(document, path);
    return values.reduce((best, value) => (compare(value, best) * sign < 0 ? value : best));
  };
  const order = (a: Row<T>, b: Row<T>): number => {
    for (let i = 0; i < fields.length; i++) {
      const result = compare(a.keys[i], b.keys[i]);
      if (result !== 0) return result * (fields[i] as Field).sign;
    }
    return a.order - b.order;
  };
  const room = most === undefined ? Number.POSITIVE_INFINITY : 2 * most + 64;
  let kept: Row<T>[] = [];
  let count = 0;
  for (const { row, document } of rows) {
    kept.push({ keys: fields.map((field) => keyOf(document, field)), order: count++, row });
    if (kept.length >= room) kept = kept.sort(order).slice(0, most);
  }
  kept.sort(order);
  return kept.slice(0, most).map((entry) => entry.row);
}
