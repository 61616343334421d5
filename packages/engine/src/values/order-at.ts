import { compareNear, nearDouble } from './near-double.js';
import { BOOLEAN, DATE, DECIMAL, DOUBLE, INT, LONG, OBJECT_ID, STRING } from './type-bytes.js';

export const isNumberType = (type: number): boolean =>
  type === INT || type === DOUBLE || type === LONG || type === DECIMAL;

const longAt = (bytes: Buffer, at: number): number =>
  bytes.readInt32LE(at + 4) * 0x1_0000_0000 + bytes.readUInt32LE(at);

/** The number that begins there, or a double close to it; NaN if there is none. */
export function doubleAt(bytes: Buffer, type: number, at: number): number {
  if (type === INT) return bytes.readInt32LE(at);
  if (type === DOUBLE) return bytes.readDoubleLE(at);
  return type === LONG ? longAt(bytes, at) : nearDouble(bytes, at);
}

/** Whether numbers of a type equal their double. */
export const isExactly = (type: number, double: number): boolean =>
  type === INT || type === DOUBLE || (type === LONG && Number.isSafeInteger(double));

/** The order of two doubles; undefined if one is NaN. */
const compareExactly = (a: number, b: number): number | undefined =>
  a < b ? -1 : a > b ? 1 : a === b ? 0 : undefined;

/** The order of two numbers by their doubles, exact or close; undefined if these are not sufficient. */
export const orderOfDoubles = (a: number, b: number, areExact: boolean): number | undefined =>
  areExact ? compareExactly(a, b) : compareNear(a, b) || undefined;

function orderOfStrings(bytes: Buffer, a: number, b: number): number {
  const left = bytes.readInt32LE(a);
  const right = bytes.readInt32LE(b);
  const end = Math.min(left, right) + 4;
  for (let i = 4; i < end; i++) {
    const difference = (bytes[a + i] ?? 0) - (bytes[b + i] ?? 0);
    if (difference !== 0) return difference;
  }
  return left - right;
}

/**
 * The order of two values in the same bytes, as `compareValues` orders the decoded ones; undefined if the bytes are not
 * sufficient.
 */
export function orderAt(
  bytes: Buffer,
  a: { readonly type: number; readonly at: number },
  b: { readonly type: number; readonly at: number },
): number | undefined {
  if (isNumberType(a.type) && isNumberType(b.type)) {
    const left = doubleAt(bytes, a.type, a.at);
    const right = doubleAt(bytes, b.type, b.at);
    return orderOfDoubles(left, right, isExactly(a.type, left) && isExactly(b.type, right));
  }
  if (a.type !== b.type) return undefined;
  switch (a.type) {
    case STRING:
      return orderOfStrings(bytes, a.at, b.at);
    case DATE: {
      const left = longAt(bytes, a.at);
      const right = longAt(bytes, b.at);
      return isExactly(LONG, left) && isExactly(LONG, right) ? left - right : undefined;
    }
    case BOOLEAN:
      return (bytes[a.at] ?? 0) - (bytes[b.at] ?? 0);
    case OBJECT_ID:
      return bytes.compare(bytes, b.at, b.at + 12, a.at, a.at + 12);
    default:
      return undefined;
  }
}
