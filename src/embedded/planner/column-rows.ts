import type { Column } from '../columns/column.js';
import type { ByteFilter } from '../matching/byte-filter.js';
import { rootsOf } from '../matching/roots.js';
import { recordKey } from '../storage/layout.js';
import type { Reader } from '../storage/view.js';
import { readValueAt } from '../values/decode.js';
import { compileSort, type Keyed, type SortOrder, sortKeyed, valueComparer } from '../values/index.js';
import type { Flow, Pause } from '../values/pace.js';
import { ARRAY } from '../values/type-bytes.js';
import { UNDEFINED } from '../values/types.js';
import { type ColumnRows, takeRows } from './column-scan.js';
import { counted } from './known-counts.js';
import type { Plan, Query } from './plan.js';
import type { Found, ScanMeter } from './scan.js';

/** What a query reads, by whom and on whose account. */
export interface ColumnQuery {
  readonly reader: Reader;
  readonly plan: Plan;
  readonly query: Query;
  readonly meter: ScanMeter;
  readonly filter: ByteFilter;
}

/** The values that a row sorts by; undefined where one is an array, of which an element counts. */
function keysOfRow(columns: readonly Column[], row: number): unknown[] | undefined {
  const keys: unknown[] = [];
  for (const { values, types, starts, bytes } of columns) {
    const value = values[row] as number;
    const type = types[value] as number;
    if (type === ARRAY) return undefined;
    const key = type === 0 ? null : readValueAt(bytes, type, starts[value] as number);
    keys.push(key === UNDEFINED ? null : key);
  }
  return keys;
}

/** An order in which of equal rows the one with the larger number comes first, which stands behind the other keys. */
const lastFirst = (order: SortOrder, at: number): SortOrder => ({
  ...order,
  compareKeys: (a, b) => order.compareKeys(a, b) || Number(b[at]) - Number(a[at]),
});

/** The admitted records with what they are sorted by. */
function* keyedRows(
  { reader, plan, query, meter, filter }: ColumnQuery,
  rows: ColumnRows,
  order: SortOrder,
): Generator<Keyed<number> | Pause> {
  const { table } = plan.collection;
  const { document } = filter;
  const roots = new Set([...(rootsOf({}, rows.reading.sort) ?? [])].map((name) => document.slot(name)));
  const keyed = (keys: readonly unknown[], record: number): Keyed<number> => ({
    keys: rows.reading.isReverse ? [...keys, record] : keys,
    row: record,
  });
  const ofDocument = (record: number): Keyed<number> => keyed(order.keysOf(document.members(roots)), record);
  const taken = takeRows(
    reader,
    rows,
    { table, meter },
    {
      ofRow: (row, record) => {
        const keys = keysOfRow(rows.sorted, row);
        if (keys !== undefined) return keyed(keys, record);
        document.read(reader.get(recordKey(table, record)) as Buffer);
        return ofDocument(record);
      },
      ofRecord: (bytes, record) => (filter.test(bytes) ? ofDocument(record) : undefined),
    },
  );
  yield* counted(taken, () => query.counts?.begin(reader, plan.collection, query));
}

/** The records that are admitted, sorted by columns: of the rest no more than a page is read. */
export function* sortedFound(asked: ColumnQuery, rows: ColumnRows): Generator<Found | Pause> {
  const { reader, plan, query } = asked;
  const { sort, isReverse } = rows.reading;
  const plain = compileSort(sort, valueComparer(query.collation));
  const order = isReverse ? lastFirst(plain, Object.keys(sort).length) : plain;
  const most = query.limit === undefined ? undefined : (query.skip ?? 0) + query.limit;
  for (const record of yield* sortKeyed(keyedRows(asked, rows, order), order, most)) {
    const bytes = reader.get(recordKey(plan.collection.table, record));
    if (bytes !== undefined) yield { record, bytes };
  }
}

/** The records that are admitted, in their own order. */
export function admittedFound(asked: ColumnQuery, rows: ColumnRows): Flow<Found> {
  const { reader, plan, meter, filter } = asked;
  const { table } = plan.collection;
  return takeRows<Found>(
    reader,
    rows,
    { table, meter },
    {
      ofRow: (_row, record) => {
        const bytes = reader.get(recordKey(table, record));
        return bytes === undefined ? undefined : { record, bytes };
      },
      ofRecord: (bytes, record) => (filter.test(bytes) ? { record, bytes } : undefined),
    },
  );
}
