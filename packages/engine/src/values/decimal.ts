import { Decimal128 } from 'bson';

/** A finite decimal number: `sign * coefficient * 10^exponent`; `coefficient` is not negative. */
export interface DecimalParts {
  readonly negative: boolean;
  readonly coefficient: bigint;
  readonly exponent: number;
}

/** A value of a Decimal128: a finite number, or one of the three special ones. */
export type DecimalValue = DecimalParts | 'nan' | 'infinity' | '-infinity';

const BIAS = 6176;
const MAX_EXPONENT = 6111;
const LIMIT = 10n ** 34n;
const COEFFICIENT_MASK = (1n << 113n) - 1n;

export const DECIMAL_NAN = Decimal128.fromString('NaN');
export const DECIMAL_INFINITY = Decimal128.fromString('Infinity');
export const DECIMAL_MINUS_INFINITY = Decimal128.fromString('-Infinity');

/** Reads a Decimal128 (IEEE 754-2008, binary integer form). */
export function readDecimal(value: Decimal128): DecimalValue {
  const bytes = value.bytes;
  const view = new DataView(bytes.buffer, bytes.byteOffset, 16);
  const high = view.getBigUint64(8, true);
  const negative = high >> 63n === 1n;
  const top = Number((high >> 58n) & 31n);
  if (top === 31) return 'nan';
  if (top === 30) return negative ? '-infinity' : 'infinity';
  // The second form (top bits 11) would exceed 34 digits; IEEE reads it as zero.
  if (top >= 24) {
    return { negative, coefficient: 0n, exponent: Number((high >> 47n) & 0x3fffn) - BIAS };
  }
  const coefficient = ((high << 64n) | view.getBigUint64(0, true)) & COEFFICIENT_MASK;
  return { negative, coefficient, exponent: Number((high >> 49n) & 0x3fffn) - BIAS };
}

/** Divides a coefficient by 10^digits, rounding half to even. */
function roundOff(coefficient: bigint, digits: number): bigint {
  const divisor = 10n ** BigInt(digits);
  const quotient = coefficient / divisor;
  const twice = (coefficient % divisor) * 2n;
  const up = twice > divisor || (twice === divisor && quotient % 2n === 1n);
  return up ? quotient + 1n : quotient;
}

/** Creates a Decimal128, rounded to 34 digits (half to even) and clamped to the format's range. */
export function makeDecimal(parts: DecimalParts): Decimal128 {
  let { coefficient, exponent } = parts;
  while (coefficient >= LIMIT) {
    const extra = coefficient.toString().length - 34;
    coefficient = roundOff(coefficient, extra);
    exponent += extra;
  }
  while (exponent > MAX_EXPONENT && coefficient !== 0n && coefficient * 10n < LIMIT) {
    coefficient *= 10n;
    exponent -= 1;
  }
  if (exponent > MAX_EXPONENT) {
    if (coefficient !== 0n) return parts.negative ? DECIMAL_MINUS_INFINITY : DECIMAL_INFINITY;
    exponent = MAX_EXPONENT;
  }
  if (exponent < -BIAS) {
    const drop = -BIAS - exponent;
    coefficient = drop > 40 ? 0n : roundOff(coefficient, drop);
    exponent = -BIAS;
  }
  const bits = (parts.negative ? 1n << 127n : 0n) | (BigInt(exponent + BIAS) << 113n) | coefficient;
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, bits & 0xffffffffffffffffn, true);
  view.setBigUint64(8, bits >> 64n, true);
  return new Decimal128(bytes);
}

/** The same number with all of its 34 digits, the last ones zeros. */
export function withAllDigits(value: Decimal128): Decimal128 {
  const parts = readDecimal(value);
  if (typeof parts === 'string') return value;
  let { coefficient, exponent } = parts;
  while (exponent > -BIAS && coefficient * 10n < LIMIT) {
    coefficient *= 10n;
    exponent -= 1;
    if (coefficient === 0n) exponent = -BIAS;
  }
  return makeDecimal({ ...parts, coefficient, exponent });
}

/** Strips trailing zeros of the coefficient, down to at most exponent `until`. */
export function stripZeros(parts: DecimalParts, until = Number.POSITIVE_INFINITY): DecimalParts {
  let { coefficient, exponent } = parts;
  if (coefficient === 0n) return { ...parts, exponent: Math.min(until, 0) };
  while (exponent < until && coefficient % 10n === 0n) {
    coefficient /= 10n;
    exponent += 1;
  }
  return { ...parts, coefficient, exponent };
}

/** The exact decimal expansion of a finite double. */
export function exactDouble(value: number): DecimalParts {
  const magnitude = Math.abs(value);
  const negative = value < 0 || Object.is(value, -0);
  if (Number.isInteger(magnitude)) return { negative, coefficient: BigInt(magnitude), exponent: 0 };
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, magnitude);
  const bits = view.getBigUint64(0);
  const raw = Number(bits >> 52n);
  const fraction = bits & 0xfffffffffffffn;
  const mantissa = raw === 0 ? fraction : fraction | (1n << 52n);
  // magnitude = mantissa * 2^-shift, and 2^-n = 5^n * 10^-n.
  const shift = 1075 - (raw === 0 ? 1 : raw);
  return { negative, coefficient: mantissa * 5n ** BigInt(shift), exponent: -shift };
}

/** A double as converted to a decimal in MongoDB's arithmetic: rounded to 15 significant digits. */
export function roundedDouble(value: number): DecimalValue {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'infinity' : '-infinity';
  const [mantissa = '0', exponent = '0'] = Math.abs(value).toExponential(14).split('e');
  const coefficient = BigInt(mantissa.replace('.', ''));
  const negative = value < 0 || Object.is(value, -0);
  if (coefficient === 0n) return { negative, coefficient, exponent: 0 };
  return { negative, coefficient, exponent: Number(exponent) - 14 };
}

/** Compares two finite decimals exactly. */
export function compareParts(a: DecimalParts, b: DecimalParts): number {
  if (a.coefficient === 0n || b.coefficient === 0n) {
    if (a.coefficient === b.coefficient) return 0;
    if (a.coefficient === 0n) return b.negative ? 1 : -1;
    return a.negative ? -1 : 1;
  }
  if (a.negative !== b.negative) return a.negative ? -1 : 1;
  const sign = a.negative ? -1 : 1;
  const magnitudeA = a.coefficient.toString().length + a.exponent;
  const magnitudeB = b.coefficient.toString().length + b.exponent;
  if (magnitudeA !== magnitudeB) return magnitudeA < magnitudeB ? -sign : sign;
  const low = Math.min(a.exponent, b.exponent);
  const left = a.coefficient * 10n ** BigInt(a.exponent - low);
  const right = b.coefficient * 10n ** BigInt(b.exponent - low);
  if (left === right) return 0;
  return left < right ? -sign : sign;
}
