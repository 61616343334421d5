import { type CompiledIndex, fitKey, indexValue } from '../indexes/compile-index.js';
import { tableKey } from '../storage/layout.js';
import type { KeySpan } from '../storage/view.js';
import { encodeKey, type KeyRange, type Limits, limitRange, prefixRange } from '../values/index.js';
import { rootOf } from '../values/paths.js';
import { isNullish } from '../values/types.js';
import type { Predicate, Predicates } from './predicates.js';

/** The number of spans beyond which seeking them individually is not worthwhile. */
const MOST_SPANS = 20_000;

/** The part of an index that a filter needs. */
export interface Bounds {
  /** Keys to look up one by one in a unique index whose fields are all fixed. */
  readonly keys: readonly Buffer[] | undefined;
  readonly spans: readonly KeySpan[];
  /** How many leading fields are fixed to points. */
  readonly fixed: number;
  /** How many fields are bounded at all. */
  readonly used: number;
  /** Whether the scan yields only matching documents. */
  readonly exact: boolean;
  /**
   * Whether the spans lie within one range of the field after the fixed ones, so that the scan follows its
   * order.
   */
  readonly isOneRange: boolean;
  /** The predicates on the first fields. */
  readonly predicates: readonly Predicate[];
}

const LIMIT = 1900;
const LAST = Buffer.from([0xff]);

/** A span whose ends are no longer than stored keys; this can only make it larger. */
function fitRange(range: KeyRange): KeyRange {
  if (range.start.length <= LIMIT && range.end.length <= LIMIT) return range;
  return {
    start: range.start.subarray(0, LIMIT),
    end: range.end.length <= LIMIT ? range.end : Buffer.concat([range.end.subarray(0, LIMIT), LAST]),
  };
}

const spanOf = (table: number, range: KeyRange): KeySpan => {
  const { start, end } = fitRange(range);
  return { start: tableKey(table, start), end: tableKey(table, end) };
};

const hasNumericPart = (path: string): boolean => /(^|\.)\d+(\.|$)/.test(path);

/**
 * The part of a predicate that this index may use: with arrays, only one side of a range applies to the same
 * element.
 */
function usable(
  index: CompiledIndex,
  at: number,
  predicates: Predicates,
  taken: Set<string>,
): Predicate | undefined {
  const path = index.paths[at] as string;
  const found = predicates.byPath.get(path);
  if (found === undefined || !index.multikey.has(path)) return found;
  // A number in a path may be a position in an array or a field name in its elements: if the elements lack
  // that field, their key is for the position.
  if (hasNumericPart(path) && found.points?.some(isNullish) === true) return undefined;
  // Two paths into one array may be matched by two different elements, which have two keys.
  if (taken.has(rootOf(path))) return undefined;
  taken.add(rootOf(path));
  if (found.limits === undefined || Object.keys(found.limits).length < 2) return found;
  const [name, value] = Object.entries(found.limits)[0] as [keyof Limits, unknown];
  return { limits: { [name]: value }, beside: found.beside, exact: false };
}

function product(prefixes: readonly (readonly unknown[])[], points: readonly unknown[]): unknown[][] {
  return prefixes.flatMap((prefix) => points.map((point) => [...prefix, point]));
}

/** The bounds of an index for a filter's predicates; the whole index if none applies. */
export function indexBounds(index: CompiledIndex, predicates: Predicates): Bounds {
  const { directions, collation, paths } = index;
  const { table } = index.meta;
  const taken = new Set<string>();
  let prefixes: (readonly unknown[])[] = [[]];
  let exact = collation === undefined && index.meta.cut !== true;
  let fixed = 0;
  let limits: Limits | undefined;
  let beside: unknown;
  const served: Predicate[] = [];
  for (let at = 0; at < paths.length; at++) {
    const predicate = usable(index, at, predicates, taken);
    if (predicate === undefined) break;
    if (!predicate.exact || hasNumericPart(paths[at] as string)) exact = false;
    if (predicate.points === undefined) {
      if (collation === undefined) {
        ({ limits, beside } = predicate);
        served.push(predicate);
      }
      break;
    }
    if (prefixes.length * predicate.points.length > MOST_SPANS) break;
    prefixes = product(
      prefixes,
      predicate.points.map((point) => indexValue(point, collation)),
    );
    fixed += 1;
    served.push(predicate);
  }
  const used = fixed + (limits === undefined ? 0 : 1);
  const complete = predicates.complete && exact && coversAll(index, predicates, used);
  const told = { fixed, used, exact: complete, predicates: served };
  if (index.unique && fixed === paths.length && !index.meta.cut) {
    const keys = sorted(prefixes.map((values) => tableKey(table, fitKey(encodeKey(values, directions)))));
    return { ...told, keys, spans: [], isOneRange: keys.length <= 1 };
  }
  const ranges = prefixes.flatMap((prefix) => {
    if (limits === undefined) return [prefixRange(prefix, directions)];
    const range = limitRange(prefix, directions, limits);
    return beside === undefined ? [range] : [range, prefixRange([...prefix, beside], directions)];
  });
  const spans = sortedSpans(ranges.map((range) => spanOf(table, range)));
  return { ...told, keys: undefined, spans, isOneRange: prefixes.length <= 1 };
}

function coversAll(index: CompiledIndex, predicates: Predicates, used: number): boolean {
  const served = new Set(index.paths.slice(0, used));
  return [...predicates.byPath.keys()].every((path) => served.has(path));
}

function sorted(keys: readonly Buffer[]): Buffer[] {
  if (keys.length < 2) return [...keys];
  const ordered = [...keys].sort(Buffer.compare);
  return ordered.filter((key, i) => i === 0 || !key.equals(ordered[i - 1] as Buffer));
}

function sortedSpans(spans: readonly KeySpan[]): KeySpan[] {
  if (spans.length < 2) return [...spans];
  const ordered = [...spans].sort((a, b) => Buffer.compare(a.start, b.start));
  return ordered.filter((span, i) => i === 0 || !span.start.equals((ordered[i - 1] as KeySpan).start));
}
