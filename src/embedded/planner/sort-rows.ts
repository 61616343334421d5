import type { Document } from 'bson';
import { fail } from '../errors.js';
import { type Collation, valueComparer, valuesAt } from '../values/index.js';

interface Keyed<T> {
  readonly keys: readonly unknown[];
  readonly row: T;
}

interface Row<T> extends Keyed<T> {
  readonly order: number;
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

/** A row that can be sorted, and the document that it is sorted by. */
export interface Sortable<T> {
  readonly row: T;
  readonly document: Document;
}

interface Order {
  /** The values that a document is sorted by: of an array its least element upwards, its greatest downwards. */
  keysOf(document: Document): unknown[];
  /** Compares by the first `count` fields. */
  compare(a: readonly unknown[], b: readonly unknown[], count: number): number;
  readonly count: number;
}

function orderOf(sort: Document, collation: Collation | undefined): Order {
  const fields = readFields(sort);
  const compare = valueComparer(collation);
  const keyOf = (document: Document, { path, sign }: Field): unknown => {
    const direct = path.includes('.') ? undefined : document[path];
    if (direct !== undefined && typeof direct !== 'object') return direct;
    const values = valuesAt(document, path);
    return values.reduce((best, value) => (compare(value, best) * sign < 0 ? value : best));
  };
  return {
    keysOf: (document) => fields.map((field) => keyOf(document, field)),
    compare(a, b, count) {
      for (let i = 0; i < count; i++) {
        const result = compare(a[i], b[i]);
        if (result !== 0) return result * (fields[i] as Field).sign;
      }
      return 0;
    },
    count: fields.length,
  };
}

function sortKeyed<T>(rows: Iterable<Keyed<T>>, order: Order, most: number | undefined): T[] {
  const compare = (a: Row<T>, b: Row<T>): number =>
    order.compare(a.keys, b.keys, order.count) || a.order - b.order;
  const room = most === undefined ? Number.POSITIVE_INFINITY : 2 * most + 64;
  let kept: Row<T>[] = [];
  let count = 0;
  for (const { keys, row } of rows) {
    kept.push({ keys, order: count++, row });
    if (kept.length >= room) kept = kept.sort(compare).slice(0, most);
  }
  kept.sort(compare);
  return kept.slice(0, most).map((entry) => entry.row);
}

function* keyed<T>(rows: Iterable<Sortable<T>>, order: Order): Generator<Keyed<T>> {
  for (const { row, document } of rows) yield { keys: order.keysOf(document), row };
}

/**
 * Sorts rows by a sort document. Ties keep their order. With `most`, only that many first rows are kept, so memory
 * stays bounded by them.
 */
export function sortRows<T>(
  rows: Iterable<Sortable<T>>,
  sort: Document,
  collation: Collation | undefined,
  most: number | undefined,
): T[] {
  const order = orderOf(sort, collation);
  return sortKeyed(keyed(rows, order), order, most);
}

/** The same over rows that come in order of the first `leading` fields: each run of equal ones is sorted by itself. */
export function* sortRuns<T>(
  rows: Iterable<Sortable<T>>,
  sort: Document,
  collation: Collation | undefined,
  most: number | undefined,
  leading: number,
): Generator<T> {
  const order = orderOf(sort, collation);
  const source = keyed(rows, order);
  let next = source.next();
  const run = function* (): Generator<Keyed<T>> {
    const first = next.value as Keyed<T>;
    while (!next.done && order.compare(next.value.keys, first.keys, leading) === 0) {
      yield next.value;
      next = source.next();
    }
  };
  let left = most ?? Number.POSITIVE_INFINITY;
  while (!next.done && left > 0) {
    const sorted = sortKeyed(run(), order, most === undefined ? undefined : left);
    yield* sorted;
    left -= sorted.length;
  }
}
