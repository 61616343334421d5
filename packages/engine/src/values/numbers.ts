import { type Decimal128, Double, type Int32, Long } from 'bson';
import { compareParts, type DecimalValue, exactDouble, readDecimal } from './decimal.js';
import { compareNear, isNaNDecimal, nearDouble } from './near-double.js';
import { bsonTag, isInt32 } from './types.js';

/** MongoDB's numeric types in the order in which arithmetic widens them. */
export type NumericType = 'int' | 'long' | 'double' | 'decimal';

/** A number of any BSON type as the pair of its type and a plain value. */
export type Numeric =
  | { readonly type: 'int' | 'double'; readonly value: number }
  | { readonly type: 'long'; readonly value: bigint }
  | { readonly type: 'decimal'; readonly value: Decimal128 };

/** Splits a BSON number into type and plain value; undefined for anything else. */
export function readNumber(value: unknown): Numeric | undefined {
  if (typeof value === 'number') return { type: isInt32(value) ? 'int' : 'double', value };
  if (typeof value === 'bigint') return { type: 'long', value };
  if (typeof value !== 'object' || value === null) return undefined;
  switch (bsonTag(value)) {
    case 'Long':
      return { type: 'long', value: (value as Long).toBigInt() };
    case 'Double':
      return { type: 'double', value: (value as Double).value };
    case 'Int32':
      return { type: 'int', value: (value as Int32).value };
    case 'Decimal128':
      return { type: 'decimal', value: value as Decimal128 };
    default:
      return undefined;
  }
}

/** A number as a double, which loses digits beyond 2^53; NaN for anything that is not a number. */
export function toDouble(value: unknown): number {
  if (typeof value === 'number') return value;
  const number = readNumber(value);
  if (number === undefined) return Number.NaN;
  if (number.type === 'long') return Number(number.value);
  if (number.type === 'decimal') return Number(number.value.toString());
  return number.value;
}

/** Whether a number of any BSON type is a whole one that 64 bits hold. */
export function isWhole64(value: unknown): boolean {
  const number = toDouble(value);
  return Number.isInteger(number) && (Math.abs(number) < 2 ** 63 || readNumber(value)?.type === 'long');
}

/** Whether a number of any BSON type is NaN; also true for anything that is not a number. */
export function isNaNumber(value: unknown): boolean {
  const isDecimal = typeof value === 'object' && value !== null && bsonTag(value) === 'Decimal128';
  return isDecimal ? isNaNDecimal(value as Decimal128) : Number.isNaN(toDouble(value));
}

/** A double that remains one when stored: an integral value is wrapped, since bare integers are 32-bit ints. */
export const makeDouble = (value: number): number | Double => (isInt32(value) ? new Double(value) : value);

/** A 64-bit integer. */
export const makeLong = (value: bigint): Long => Long.fromBigInt(value);

/** An integer in the smallest type that can represent it, not narrower than `least`; beyond 64 bits a double. */
export function makeInteger(value: bigint, least: 'int' | 'long' = 'int'): number | Long | Double {
  if (least === 'int' && value >= -2147483648n && value <= 2147483647n) return Number(value);
  if (value >= -(1n << 63n) && value < 1n << 63n) return Long.fromBigInt(value);
  return makeDouble(Number(value));
}

/** The exact decimal value of a number of any type. */
export function toDecimalValue(number: Numeric): DecimalValue {
  if (number.type === 'decimal') return readDecimal(number.value);
  if (number.type === 'long') {
    const negative = number.value < 0n;
    return { negative, coefficient: negative ? -number.value : number.value, exponent: 0 };
  }
  if (Number.isNaN(number.value)) return 'nan';
  if (!Number.isFinite(number.value)) return number.value > 0 ? 'infinity' : '-infinity';
  return exactDouble(number.value);
}

const compareDoubles = (a: number, b: number): number => {
  if (a < b) return -1;
  if (a > b) return 1;
  if (a === b) return 0;
  // NaN is equal to itself and below every other number.
  return Number.isNaN(a) ? (Number.isNaN(b) ? 0 : -1) : 1;
};

const SPECIAL_ORDER = { nan: 0, '-infinity': 1, finite: 2, infinity: 3 } as const;

const specialOrder = (value: DecimalValue): number =>
  SPECIAL_ORDER[typeof value === 'string' ? value : 'finite'];

/** The double of a number, or one close to it; NaN if there is none. */
export const nearestDouble = ({ type, value }: Numeric): number =>
  type === 'decimal' ? nearDouble(value.bytes) : Number(value);

/** Orders two BSON numbers of any types by their exact values. */
export function compareNumbers(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return compareDoubles(a, b);
  const left = readNumber(a);
  const right = readNumber(b);
  if (left === undefined || right === undefined) return 0;
  if (left.type !== 'decimal' && right.type !== 'decimal') {
    if (typeof left.value === 'number' && typeof right.value === 'number') {
      return compareDoubles(left.value, right.value);
    }
    // JavaScript compares a bigint with a number exactly.
    if (left.value < right.value) return -1;
    if (left.value > right.value) return 1;
    if (Number.isNaN(left.value as number) && typeof left.value === 'number') return -1;
    if (Number.isNaN(right.value as number) && typeof right.value === 'number') return 1;
    return 0;
  }
  const near = compareNear(nearestDouble(left), nearestDouble(right));
  if (near !== 0) return near;
  const exactLeft = toDecimalValue(left);
  const exactRight = toDecimalValue(right);
  if (typeof exactLeft === 'string' || typeof exactRight === 'string') {
    return Math.sign(specialOrder(exactLeft) - specialOrder(exactRight));
  }
  return compareParts(exactLeft, exactRight);
}
