import type { Buffer } from 'node:buffer';
import { int32 } from '../../values/bson-bytes.js';

const HALF = 0x1_0000_0000;

/** A 64-bit integer as the nearest number. */
export const longNumber = (bytes: Buffer, at: number): number =>
  int32(bytes, at + 4) * HALF + (int32(bytes, at) >>> 0);

const EXPONENT_BIAS = 6176;
/** The powers of ten that a double represents exactly. */
const POWERS = Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

/**
 * A Decimal128 as the nearest number, if one exact division or multiplication gives it: digits below 2^53 and
 * an exponent from -22 to 22. Otherwise null.
 */
export function decimalNumber(bytes: Buffer, at: number): number | null {
  const high = int32(bytes, at + 12) >>> 0;
  // More than 64 bits of digits, infinity, NaN, or the alternative encoding for large coefficients.
  if (int32(bytes, at + 8) !== 0 || (high & 0x1ffff) !== 0 || (high & 0x6000_0000) === 0x6000_0000)
    return null;
  const digits = (int32(bytes, at + 4) >>> 0) * HALF + (int32(bytes, at) >>> 0);
  const exponent = ((high >>> 17) & 0x3fff) - EXPONENT_BIAS;
  const power = POWERS[Math.abs(exponent)];
  if (!Number.isSafeInteger(digits) || power === undefined) return null;
  const number = exponent < 0 ? digits / power : digits * power;
  return high >>> 31 === 1 ? -number : number;
}

/** The hexadecimal digits of an ObjectId. */
export const hexAt = (bytes: Buffer, at: number): string => bytes.toString('hex', at, at + 12);
