import { recordKey, recordOf, tableRange } from '../storage/layout.js';
import type { Entry, KeySpan, Reader } from '../storage/view.js';
import { PAUSE, type Paced, type Pause } from '../values/pace.js';
import { isTurnOver, tick } from '../values/work.js';
import type { IndexScan, Plan } from './plan.js';

/** Where the documents of a query are read from: each is valid until the next read where the storage lends them. */
export const lendingReader = (reader: Reader): Pick<Reader, 'get'> => reader.lending ?? reader;

/** A document found by a scan: its record number and its bytes. */
export interface Found {
  readonly record: number;
  readonly bytes: Buffer;
}

/** Statistics of a scan, for explain. */
export interface ScanMeter {
  keysExamined: number;
  docsExamined: number;
  /** The collections and indexes that were read. */
  readonly tables: Set<number>;
}

/** The record number in the value of a unique index's entry. */
const recordFromValue = (value: Buffer): number => value.readUIntBE(0, 6);

/** The spans of an index scan, in its direction. */
const spansOf = ({ bounds, reverse }: IndexScan): readonly KeySpan[] =>
  reverse ? bounds.spans.map((span) => ({ ...span, reverse })).reverse() : bounds.spans;

/** The entries of a scan; their values are borrowed. */
function* scanEntries(reader: Reader, scan: IndexScan, meter: ScanMeter): Generator<Entry> {
  const { bounds, reverse } = scan;
  if (bounds.keys !== undefined) {
    for (const key of reverse ? [...bounds.keys].reverse() : bounds.keys) {
      const value = reader.get(key);
      meter.keysExamined += 1;
      if (value !== undefined) yield { key, value };
    }
    return;
  }
  const from = reader.lending ?? reader;
  for (const span of spansOf(scan)) {
    for (const entry of from.entries(span)) {
      meter.keysExamined += 1;
      yield entry;
    }
  }
}

function* scanKeys(reader: Reader, scan: IndexScan, meter: ScanMeter): Generator<number> {
  const { index } = scan;
  meter.tables.add(index.meta.table);
  if (index.unique) {
    for (const { value } of scanEntries(reader, scan, meter)) yield recordFromValue(value);
    return;
  }
  for (const span of spansOf(scan)) {
    for (const key of reader.keys(span)) {
      meter.keysExamined += 1;
      yield recordOf(key);
    }
  }
}

function* once(records: Iterable<number>): Generator<number> {
  const seen = new Set<number>();
  for (const record of records) {
    if (seen.has(record)) continue;
    seen.add(record);
    yield record;
  }
}

function* recordsOf(reader: Reader, scans: readonly IndexScan[], meter: ScanMeter): Generator<number> {
  for (const scan of scans) yield* scanKeys(reader, scan, meter);
}

/** The record numbers of an index plan, each once. */
function indexRecords(
  reader: Reader,
  plan: Plan & { kind: 'IXSCAN' | 'OR' },
  meter: ScanMeter,
): Iterable<number> {
  if (plan.kind === 'OR') return once(recordsOf(reader, plan.branches, meter));
  const records = scanKeys(reader, plan, meter);
  return plan.index.meta.multikey.length > 0 ? once(records) : records;
}

/** Where a scan of a collection begins when its first documents are skipped. */
function afterSkipped(reader: Reader, span: KeySpan, skip: number): KeySpan | undefined {
  let left = skip;
  for (const key of reader.keys(span)) {
    if (left === 0)
      return span.reverse ? { ...span, end: Buffer.concat([key, Buffer.of(0)]) } : { ...span, start: key };
    left -= 1;
    tick();
  }
  return undefined;
}

/** The result of a scan for each document. */
interface Take<T> {
  /** The result for a document, undefined if there is none. The bytes may be borrowed: decode or copy what is kept. */
  of(bytes: Buffer): T | undefined;
  /** The first documents are skipped without being read. */
  readonly skip?: number;
}

/** The result of a scan for one document. */
interface Taken<T> {
  readonly record: number;
  readonly taken: T;
}

/** The results for the documents of a plan, in its order. */
export function* takeFrom<T>(
  reader: Reader,
  plan: Plan,
  meter: ScanMeter,
  take: Take<T>,
): Generator<Taken<T> | Pause> {
  const { table } = plan.collection;
  const { skip = 0 } = take;
  const from = reader.lending ?? reader;
  meter.tables.add(table);
  if (plan.kind === 'COLLSCAN') {
    const whole = { ...tableRange(table), reverse: plan.reverse };
    const span = skip === 0 ? whole : afterSkipped(reader, whole, skip);
    for (const { key, value } of span === undefined ? [] : from.entries(span)) {
      meter.docsExamined += 1;
      // Before others get their turn, since their reads invalidate what is borrowed.
      const taken = take.of(value);
      if (taken !== undefined) yield { record: recordOf(key), taken };
      tick();
      if (isTurnOver()) yield PAUSE;
    }
    return;
  }
  let left = skip;
  for (const record of indexRecords(reader, plan, meter)) {
    if (left > 0) {
      left -= 1;
      tick();
      if (isTurnOver()) yield PAUSE;
      continue;
    }
    const value = from.get(recordKey(table, record));
    meter.docsExamined += 1;
    const taken = value === undefined ? undefined : take.of(value);
    if (taken !== undefined) yield { record, taken };
    tick();
    if (isTurnOver()) yield PAUSE;
  }
}

/** How a scan of documents runs. */
interface ScanOptions {
  /** The first documents are skipped. */
  readonly skip?: number;
  /** Whether a document is yielded. */
  admits?(bytes: Buffer): boolean;
}

/** The documents of a plan that pass a test, in its order, each valid until the next one is requested. */
export function* scanPlan(
  reader: Reader,
  plan: Plan,
  meter: ScanMeter,
  { skip = 0, admits }: ScanOptions = {},
): Generator<Found | Pause> {
  const of = (bytes: Buffer): Buffer | undefined =>
    admits === undefined || admits(bytes) ? bytes : undefined;
  for (const item of takeFrom(reader, plan, meter, { of, skip })) {
    yield item === PAUSE ? PAUSE : { record: item.record, bytes: item.taken };
  }
}

/** How many documents an exact index plan finds, up to `most`, without reading them. */
export function* countPlan(
  reader: Reader,
  plan: IndexScan,
  meter: ScanMeter,
  most = Number.POSITIVE_INFINITY,
): Paced<number> {
  let count = 0;
  for (const _ of indexRecords(reader, plan, meter)) {
    count += 1;
    if (count >= most) break;
    tick();
    if (isTurnOver()) yield PAUSE;
  }
  return count;
}
