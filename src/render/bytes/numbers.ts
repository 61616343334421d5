import type { Buffer } from 'node:buffer';
import { int32 } from '../../values/bson-bytes.js';

const double = new Float64Array(1);
const doubleBytes = new Uint8Array(double.buffer);

/** BSON is little-endian, as are all but one of the processors that Node.js supports. */
const LITTLE = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

export function doubleAt(bytes: Buffer, at: number): number {
  if (!LITTLE) return bytes.readDoubleLE(at);
  for (let i = 0; i < 8; i++) doubleBytes[i] = bytes[at + i] ?? 0;
  return double[0] ?? 0;
}

const HALF = 0x1_0000_0000;

/** A 64-bit integer as the nearest number. */
export const longNumber = (bytes: Buffer, at: number): number =>
  int32(bytes, at + 4) * HALF + (int32(bytes, at) >>> 0);

export function longText(bytes: Buffer, at: number): string {
  const number = longNumber(bytes, at);
  return String(Number.isSafeInteger(number) ? number : bytes.readBigInt64LE(at));
}

const EXPONENT_BIAS = 6176;
/** The powers of ten that a double represents exactly. */
const POWERS = Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

/**
 * A Decimal128 as the nearest number, if one exact division or multiplication gives it: digits below 2^53 and
 * an exponent from -22 to 22. Otherwise null.
 */
export function decimalNumber(bytes: Buffer, at: number): number | null {
  const decimal = decimalAt(bytes, at);
  if (decimal === null) return null;
  const { digits, exponent, negative } = decimal;
  const power = POWERS[Math.abs(exponent)];
  if (power === undefined) return null;
  const number = exponent < 0 ? digits / power : digits * power;
  return negative ? -number : number;
}

/** Integers below this keep all their digits in a double. */
const DISTINCT = 1e15;
/** With more decimal places, Decimal128 and JavaScript write numbers with an exponent. */
const MOST_PLACES = 6;

/** A Decimal128 as the number with the same digits, apart from trailing zeros. Null if there may be none. */
export function sameDecimal(bytes: Buffer, at: number): number | null {
  const decimal = decimalAt(bytes, at);
  if (decimal === null) return null;
  const { digits, exponent, negative } = decimal;
  if (digits >= DISTINCT || exponent > 0 || exponent < -MOST_PLACES || (negative && digits === 0))
    return null;
  const number = digits / (POWERS[-exponent] as number);
  return negative ? -number : number;
}

interface Decimal {
  /** A safe integer. */
  readonly digits: number;
  readonly exponent: number;
  readonly negative: boolean;
}

/** Null if it has more digits or is not finite. */
function decimalAt(bytes: Buffer, at: number): Decimal | null {
  const high = int32(bytes, at + 12) >>> 0;
  // More than 64 bits of digits, infinity, NaN, or the alternative encoding for large coefficients.
  if (int32(bytes, at + 8) !== 0 || (high & 0x1ffff) !== 0 || (high & 0x6000_0000) === 0x6000_0000)
    return null;
  const digits = (int32(bytes, at + 4) >>> 0) * HALF + (int32(bytes, at) >>> 0);
  if (!Number.isSafeInteger(digits)) return null;
  return { digits, exponent: ((high >>> 17) & 0x3fff) - EXPONENT_BIAS, negative: high >>> 31 === 1 };
}

/** The hexadecimal digits of an ObjectId. */
export const hexAt = (bytes: Buffer, at: number): string => bytes.toString('hex', at, at + 12);
