import { type CompiledIndex, compileCollection } from '../indexes/compile-index.js';
import { readKey } from '../indexes/key-values.js';
import type { CollectionMeta } from '../storage/catalog.js';
import { recordKey } from '../storage/layout.js';
import type { KeySpan, Reader } from '../storage/view.js';
import { PAUSE, type Pause } from '../values/pace.js';
import { use } from '../values/shortcuts.js';
import { isTurnOver, tick } from '../values/work.js';
import { choosePlan } from './choose-plan.js';
import type { IndexScan, Plan, Query } from './plan.js';
import { notesOf, recordOfEntry, type ScanMeter } from './scan.js';

/** The number of the index's table, before the values of its keys. */
const TABLE_BYTES = 4;
const LAST = Buffer.from([0xff]);

/** A plan for the values at one path, each read about once: a scan that skips the entries of values it has already seen. */
export interface DistinctScan {
  readonly scan: IndexScan;
  /** The position of the path in the index. */
  readonly field: number;
}

/**
 * Whether the keys of an index contain the values of its documents (for arrays, those of the elements),
 * except for keys whose notes say otherwise.
 */
const holdsValues = ({ meta, ordered, collation, hashedPath }: CompiledIndex): boolean =>
  ordered && meta.typed === true && meta.cut !== true && collation === undefined && hashedPath === undefined;

/** The smallest index that begins with a path and contains all documents. */
function wholeIndex(collection: CollectionMeta, path: string): string | undefined {
  const [first] = compileCollection(collection)
    .indexes.filter(
      (index) =>
        index.paths[0] === path &&
        holdsValues(index) &&
        !index.hidden &&
        !index.sparse &&
        index.partialFilter === undefined,
    )
    .sort((a, b) => a.paths.length - b.paths.length);
  return first?.name;
}

/** The path whose values are wanted; `arrays: false`: an array counts as a whole. */
interface DistinctPath {
  readonly path: string;
  readonly arrays?: boolean;
}

/** Chooses how the values at a path are read: by skipping if an index contains them, otherwise document by document. */
export function chooseDistinct(
  reader: Reader,
  collection: CollectionMeta,
  query: Query,
  { path, arrays = true }: DistinctPath,
): { readonly plan: Plan; readonly leap: DistinctScan | undefined } {
  const { distinctScans } = query.shortcuts.on;
  const isFree = distinctScans && Object.keys(query.filter).length === 0;
  const hint = isFree && query.hint === undefined ? wholeIndex(collection, path) : query.hint;
  const plan = choosePlan(reader, collection, { ...query, hint });
  if (!distinctScans || plan.kind !== 'IXSCAN' || !plan.exact || plan.bounds.keys !== undefined)
    return { plan, leap: undefined };
  const { index } = plan;
  const field = index.paths.indexOf(path);
  // With a condition on an array, only some of its elements are found.
  const isWhole = (isFree && arrays) || !index.multikey.has(path);
  const leaps = field >= 0 && isWhole && holdsValues(index) && use(query.shortcuts, 'distinctScans');
  return { plan, leap: leaps ? { scan: plan, field } : undefined };
}

/** The same for grouping a query by a path, where an array counts as a whole; undefined if documents must be read. */
export function leapOfGroups(
  reader: Reader,
  collection: CollectionMeta,
  query: Query,
  path: string,
): DistinctScan | undefined {
  if (query.skip !== undefined || query.limit !== undefined) return undefined;
  const unsorted = { ...query, sort: undefined };
  return chooseDistinct(reader, collection, unsorted, { path, arrays: false }).leap;
}

/** The environment for reading distinct values. */
export interface ValueReading {
  readonly reader: Reader;
  readonly meter: ScanMeter;
  /** The values of a document if its key or columns do not contain them. */
  valuesOf(bytes: Buffer): Iterable<unknown>;
  /** A missing value counts as null. */
  readonly missing?: boolean;
}

/** The values at a path: each once, except those that occur again under another field of the index. */
export function* leapThrough(reading: ValueReading, leap: DistinctScan): Generator<unknown | Pause> {
  reading.meter.tables.add(leap.scan.index.meta.table);
  for (const span of leap.scan.bounds.spans) yield* leapSpan(reading, leap, span);
}

function* leapSpan(
  { reader, meter, valuesOf, missing = false }: ValueReading,
  { scan: { index, collection }, field }: DistinctScan,
  span: KeySpan,
): Generator<unknown | Pause> {
  for (let start: Buffer | undefined = span.start; start !== undefined; ) {
    let met: Buffer | undefined;
    let next: Buffer | undefined;
    for (const entry of reader.entries({ ...span, start })) {
      tick();
      if (isTurnOver()) yield PAUSE;
      if (met !== undefined && startsWith(entry.key, met)) {
        next = Buffer.concat([met, LAST]);
        break;
      }
      meter.keysExamined += 1;
      const notes = notesOf(index, entry.value);
      const found = readKey({ bytes: entry.key, at: TABLE_BYTES, notes }, index.directions, field + 1);
      if (found === undefined) {
        meter.docsExamined += 1;
        yield* valuesOf(reader.get(recordKey(collection.table, recordOfEntry(index, entry))) as Buffer);
        continue;
      }
      const value = found.values[field] ?? (missing ? null : found.values[field]);
      // A missing value has the key of null, which may also occur.
      if (value === undefined) continue;
      yield value;
      // BSON's undefined has the key of null, too.
      met = found.end === undefined || value === null ? undefined : entry.key.subarray(0, found.end);
    }
    start = next;
  }
}

const startsWith = (key: Buffer, head: Buffer): boolean => key.subarray(0, head.length).equals(head);
