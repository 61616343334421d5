import type { Document } from 'bson';
import type { Column } from '../columns/column.js';
import type { ByteFilter } from '../matching/byte-filter.js';
import { rootsOf } from '../matching/roots.js';
import { recordKey } from '../storage/layout.js';
import type { Reader } from '../storage/view.js';
import type { BytePlace } from '../values/byte-document.js';
import { readValueAt } from '../values/decode.js';
import {
  type Collation,
  compileSort,
  isSimpleCollation,
  type Keyed,
  sortKeyed,
  valueComparer,
} from '../values/index.js';
import { orderAt } from '../values/order-at.js';
import { type Flow, PAUSE, type Pause } from '../values/pace.js';
import { ARRAY, STRING } from '../values/type-bytes.js';
import { UNDEFINED } from '../values/types.js';
import { type ColumnRows, sampleOf, takeRows } from './column-scan.js';
import type { Plan, Query } from './plan.js';
import { type Found, lendingReader, type ScanMeter } from './scan.js';

/** What a query reads, and the operation it belongs to. */
interface ColumnQuery {
  readonly reader: Reader;
  readonly plan: Plan;
  readonly query: Query;
  readonly meter: ScanMeter;
  /** Compiles the filter for records that are not rows. */
  filterOf(): ByteFilter;
}

/** The sort key of a record: its row in the columns, or its keys if the columns do not contain them. */
type RowKey = number | { readonly keys: readonly unknown[]; readonly record: number };

/** The value by which a row is sorted. */
function keyAt(column: Column, row: number): unknown {
  const value = column.valueOf(row);
  const type = column.typeOf(value);
  const key = type === 0 ? null : readValueAt(column.bytes, type, column.startOf(value));
  return key === UNDEFINED ? null : key;
}

/** Compares the rows of a column by their bytes or, if these are not sufficient, by their values. */
function rowOrder(column: Column, collation: Collation | undefined): (a: number, b: number) => number {
  const isSimple = isSimpleCollation(collation);
  const compare = valueComparer(collation);
  const left = { type: 0, at: 0 };
  const right = { type: 0, at: 0 };
  const find = (place: BytePlace, value: number): void => {
    place.type = column.typeOf(value);
    place.at = column.startOf(value);
  };
  return (a, b) => {
    const one = column.valueOf(a);
    const other = column.valueOf(b);
    if (one === other) return 0;
    find(left, one);
    find(right, other);
    const order = isSimple || left.type !== STRING ? orderAt(column.bytes, left, right) : undefined;
    return order ?? compare(keyAt(column, a), keyAt(column, b));
  };
}

/** The common order of rows in columns and of records that are read directly. */
interface RecordOrder {
  compareKeys(a: RowKey, b: RowKey): number;
  /** The sort key of a row; undefined if one of its values is an array, since then an element is the key. */
  keyOfRow(row: number): RowKey | undefined;
  keyOfDocument(document: Document, record: number): RowKey;
}

function recordOrder({ reading, sorted, view }: ColumnRows, collation: Collation | undefined): RecordOrder {
  const plain = compileSort(reading.sort, valueComparer(collation));
  const directions = Object.values(reading.sort).map(Number);
  const orders = sorted.map((column) => rowOrder(column, collation));
  const compareRows = (a: number, b: number): number => {
    for (let i = 0; i < orders.length; i++) {
      const order = (orders[i] as (a: number, b: number) => number)(a, b);
      if (order !== 0) return order * (directions[i] as number);
    }
    return 0;
  };
  const keysOf = (key: RowKey): readonly unknown[] =>
    typeof key === 'number' ? sorted.map((column) => keyAt(column, key)) : key.keys;
  const recordAt = (key: RowKey): number =>
    typeof key === 'number' ? (view.records[key] as number) : key.record;
  const compareKeys = (a: RowKey, b: RowKey): number =>
    typeof a === 'number' && typeof b === 'number'
      ? compareRows(a, b)
      : plain.compareKeys(keysOf(a), keysOf(b));
  return {
    compareKeys: reading.isReverse ? (a, b) => compareKeys(a, b) || recordAt(b) - recordAt(a) : compareKeys,
    keyOfRow: (row) =>
      sorted.some((column) => column.typeOf(column.valueOf(row)) === ARRAY) ? undefined : row,
    keyOfDocument: (document, record) => ({ keys: plain.keysOf(document), record }),
  };
}

/** The number of rows that may always be kept in memory. */
const FEW = 256;

/**
 * A row that none of the first `most` rows come after: the last of `most` rows in a sample. Without it, rows
 * stored in the opposite order would all be kept for a while.
 */
function boundOf(rows: ColumnRows, order: RecordOrder, most: number): RowKey | undefined {
  const { records, apart } = rows.view;
  if (rows.rows !== undefined && rows.rows.length <= FEW) return undefined;
  const others = new Set(apart);
  return sampleOf(rows)
    .rows.filter((row) => !others.has(records[row] as number))
    .flatMap((row) => order.keyOfRow(row) ?? [])
    .sort(order.compareKeys)[most - 1];
}

/** The matching records with their sort keys. */
function* keyedRows(
  { reader, plan, meter, filterOf }: ColumnQuery,
  rows: ColumnRows,
  order: RecordOrder,
): Generator<Keyed<number, RowKey> | Pause> {
  const { table } = plan.collection;
  const makeReading = () => {
    const { document, test } = filterOf();
    const roots = new Set([...(rootsOf({}, rows.reading.sort) ?? [])].map((name) => document.slot(name)));
    const keyed = (record: number): Keyed<number, RowKey> => ({
      keys: order.keyOfDocument(document.members(roots), record),
      row: record,
    });
    return { document, test, keyed };
  };
  // Most searches do not need to read records for their keys.
  let made: ReturnType<typeof makeReading> | undefined;
  const reading = () => {
    made ??= makeReading();
    return made;
  };
  yield* takeRows(
    reader,
    rows,
    { table, meter },
    {
      ofRow: (row, record) => {
        const keys = order.keyOfRow(row);
        if (keys !== undefined) return { keys, row: record };
        const { document, keyed } = reading();
        document.read(reader.get(recordKey(table, record)) as Buffer);
        return keyed(record);
      },
      ofRecords: () => {
        const { test, keyed } = reading();
        return (bytes, record) => (test(bytes) ? keyed(record) : undefined);
      },
    },
  );
}

/** The matching records, sorted by columns; only the documents of a page are read. */
export function* sortedFound(asked: ColumnQuery, rows: ColumnRows): Generator<Found | Pause> {
  const { reader, plan, query } = asked;
  const order = recordOrder(rows, query.collation);
  const most = query.limit === undefined ? undefined : (query.skip ?? 0) + query.limit;
  const bound = most === undefined ? undefined : boundOf(rows, order, most);
  const from = lendingReader(reader);
  for (const record of yield* sortKeyed(keyedRows(asked, rows, order), order, most, bound)) {
    const bytes = from.get(recordKey(plan.collection.table, record));
    if (bytes !== undefined) yield { record, bytes };
  }
}

/**
 * The distinct values of the matching rows in the requested column, and the values of records that are read
 * directly.
 */
export function* valuesFound(
  { reader, plan, meter, filterOf }: ColumnQuery,
  rows: ColumnRows,
  valuesOf: (bytes: Buffer) => Iterable<unknown>,
): Generator<unknown | Pause> {
  const [column] = rows.sorted;
  if (column === undefined) return;
  const seen = new Uint8Array(column.count);
  // The missing value.
  seen[0] = 1;
  const taken = takeRows<Iterable<unknown>>(
    reader,
    rows,
    { table: plan.collection.table, meter },
    {
      ofRow: (row) => {
        const value = column.valueOf(row);
        if (seen[value] === 1) return undefined;
        seen[value] = 1;
        const found = readValueAt(column.bytes, column.typeOf(value), column.startOf(value));
        return Array.isArray(found) ? found : [found];
      },
      ofRecords: () => {
        const { test } = filterOf();
        return (record) => (test(record) ? valuesOf(record) : undefined);
      },
    },
  );
  for (const found of taken) {
    if (found === PAUSE) yield PAUSE;
    else yield* found;
  }
}

/** The matching records, in record order. */
export function admittedFound(asked: ColumnQuery, rows: ColumnRows): Flow<Found> {
  const { reader, plan, meter, filterOf } = asked;
  const { table } = plan.collection;
  const from = lendingReader(reader);
  return takeRows<Found>(
    reader,
    rows,
    { table, meter },
    {
      ofRow: (_row, record) => {
        const bytes = from.get(recordKey(table, record));
        return bytes === undefined ? undefined : { record, bytes };
      },
      ofRecords: () => {
        const { test } = filterOf();
        return (bytes, record) => (test(bytes) ? { record, bytes } : undefined);
      },
    },
  );
}
