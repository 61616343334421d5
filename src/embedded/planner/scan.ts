import { recordKey, recordOf, tableRange } from '../storage/layout.js';
import type { KeySpan, Reader } from '../storage/view.js';
import { PAUSE, type Paced, type Pause } from '../values/pace.js';
import { isTurnOver, tick } from '../values/work.js';
import type { IndexScan, Plan } from './plan.js';

/** A document found by a scan: its number and its bytes. */
export interface Found {
  readonly record: number;
  readonly bytes: Buffer;
}

/** What a scan has touched, for explain. */
export interface ScanMeter {
  keysExamined: number;
  docsExamined: number;
  /** The collections and indexes that were read. */
  readonly tables: Set<number>;
}

const recordFromValue = (value: Buffer): number => value.readUIntBE(0, 6);

function* scanKeys(reader: Reader, scan: IndexScan, meter: ScanMeter): Generator<number> {
  const { index, bounds, reverse } = scan;
  meter.tables.add(index.meta.table);
  if (bounds.keys !== undefined) {
    for (const key of reverse ? [...bounds.keys].reverse() : bounds.keys) {
      const value = reader.get(key);
      meter.keysExamined += 1;
      if (value !== undefined) yield recordFromValue(value);
    }
    return;
  }
  const spans: readonly KeySpan[] = reverse ? [...bounds.spans].reverse() : bounds.spans;
  for (const span of spans)
    yield* scanSpan(reader, reverse ? { ...span, reverse } : span, index.unique, meter);
}

function* scanSpan(reader: Reader, span: KeySpan, unique: boolean, meter: ScanMeter): Generator<number> {
  if (unique) {
    for (const { value } of reader.entries(span)) {
      meter.keysExamined += 1;
      yield recordFromValue(value);
    }
    return;
  }
  for (const key of reader.keys(span)) {
    meter.keysExamined += 1;
    yield recordOf(key);
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

/** Where a walk through a collection begins when its first documents are left out. */
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

/**
 * The documents that a plan comes by, in its order; the filter is still to be tested unless the plan is exact. The
 * first `skip` are passed over without being read.
 */
export function* scanPlan(reader: Reader, plan: Plan, meter: ScanMeter, skip = 0): Generator<Found | Pause> {
  const { table } = plan.collection;
  meter.tables.add(table);
  if (plan.kind === 'COLLSCAN') {
    const whole = { ...tableRange(table), reverse: plan.reverse };
    const span = skip === 0 ? whole : afterSkipped(reader, whole, skip);
    for (const { key, value } of span === undefined ? [] : reader.entries(span)) {
      meter.docsExamined += 1;
      tick();
      if (isTurnOver()) yield PAUSE;
      yield { record: recordOf(key), bytes: value };
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
    const bytes = reader.get(recordKey(table, record));
    meter.docsExamined += 1;
    tick();
    if (isTurnOver()) yield PAUSE;
    if (bytes !== undefined) yield { record, bytes };
  }
}

/** How many documents an exact index plan finds, without reading them. */
export function* countPlan(reader: Reader, plan: IndexScan, meter: ScanMeter): Paced<number> {
  let count = 0;
  for (const _ of indexRecords(reader, plan, meter)) {
    count += 1;
    tick();
    if (isTurnOver()) yield PAUSE;
  }
  return count;
}
