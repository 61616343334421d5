import { type Direction, encodeKey, encodeValue, TYPE_MARKS } from './encode-key.js';
import { NUMBER_MARKS } from './encode-number.js';

/** A span of index keys: from `start` (inclusive) to `end` (exclusive), compared as bytes. */
export interface KeyRange {
  readonly start: Buffer;
  readonly end: Buffer;
}

/** The limits of a range condition on one field. */
export interface Limits {
  readonly gt?: unknown;
  readonly gte?: unknown;
  readonly lt?: unknown;
  readonly lte?: unknown;
}

const LAST = Buffer.from([0xff]);
const ALL_MARKS = [...Object.values(TYPE_MARKS), 0xff].sort((a, b) => a - b);

const after = (key: Buffer): Buffer => Buffer.concat([key, LAST]);

/** All keys whose first fields have these values. An empty prefix spans the whole index. */
export function prefixRange(values: readonly unknown[], directions: readonly Direction[]): KeyRange {
  const start = encodeKey(values, directions);
  return { start, end: after(start) };
}

/** The first mark of the value's type and the first after it: the interval in which ranges compare. */
function bracketOf(value: unknown): { low: number; high: number } {
  const out: number[] = [];
  encodeValue(out, value);
  const first = out[0] ?? 0;
  // Ranges of numbers do not include NaN, which is below all of them.
  const least = ALL_MARKS.filter((mark) => mark <= first).at(-1) as number;
  const low = least === TYPE_MARKS.number ? NUMBER_MARKS.negative : least;
  const high = ALL_MARKS.find((mark) => mark > first) as number;
  return { low, high };
}

/**
 * The keys whose first fields equal `prefix` and whose next field lies within the limits, within the limits' own type
 * (MongoDB's ranges never match another type).
 */
export function limitRange(
  prefix: readonly unknown[],
  directions: readonly Direction[],
  limits: Limits,
): KeyRange {
  const head = encodeKey(prefix, directions);
  const direction = directions[prefix.length] ?? 1;
  const key = (value: unknown): Buffer => Buffer.concat([head, encodeKey([value], [direction])]);
  const hasLow = 'gt' in limits || 'gte' in limits;
  const hasHigh = 'lt' in limits || 'lte' in limits;
  const any = [limits.gt, limits.gte, limits.lt, limits.lte].find((value) => value !== undefined);
  const { low, high } = bracketOf(any);
  const mark = (byte: number): Buffer => Buffer.concat([head, Buffer.from([byte])]);
  const least = hasLow ? ('gt' in limits ? after(key(limits.gt)) : key(limits.gte)) : mark(low);
  const most = hasHigh ? ('lte' in limits ? after(key(limits.lte)) : key(limits.lt)) : mark(high);
  if (direction === 1) return { start: least, end: most };
  // Descending: bytes are inverted, so the upper limit comes first.
  const first = hasHigh ? ('lte' in limits ? key(limits.lte) : after(key(limits.lt))) : mark(0xff - high + 1);
  const last = hasLow ? ('gt' in limits ? key(limits.gt) : after(key(limits.gte))) : mark(0xff - low + 1);
  return { start: first, end: last };
}
