import type { Decimal128, Double, Long } from 'bson';
import {
  DECIMAL_INFINITY,
  DECIMAL_MINUS_INFINITY,
  DECIMAL_NAN,
  type DecimalParts,
  type DecimalValue,
  exactDouble,
  makeDecimal,
  roundedDouble,
  stripZeros,
} from './decimal.js';
import { makeDouble, makeInteger, type Numeric, readNumber, toDecimalValue } from './numbers.js';
import { isInt32 } from './types.js';

/** A BSON number as the engine holds it. */
type BsonNumber = number | Double | Long | Decimal128;

/** A number as used in decimal arithmetic: doubles with 15 digits. */
export function asDecimal(number: Numeric): DecimalValue {
  return number.type === 'double' ? roundedDouble(number.value) : toDecimalValue(number);
}

const SPECIAL: Readonly<Record<string, Decimal128>> = {
  nan: DECIMAL_NAN,
  infinity: DECIMAL_INFINITY,
  '-infinity': DECIMAL_MINUS_INFINITY,
};

/** Creates a Decimal128 from a decimal value. */
export const decimalOf = (value: DecimalValue): Decimal128 =>
  typeof value === 'string' ? (SPECIAL[value] as Decimal128) : makeDecimal(value);

interface Operation {
  readonly integers: (a: bigint, b: bigint) => bigint;
  readonly doubles: (a: number, b: number) => number;
  readonly decimals: (a: DecimalParts, b: DecimalParts) => Decimal128;
}

const signed = (parts: DecimalParts): bigint => (parts.negative ? -parts.coefficient : parts.coefficient);

const fromSigned = (value: bigint, exponent: number): Decimal128 =>
  makeDecimal({ negative: value < 0n, coefficient: value < 0n ? -value : value, exponent });

function addDecimals(a: DecimalParts, b: DecimalParts, sign: bigint): Decimal128 {
  // Beyond a distance of 80 digits, the smaller operand has no effect on 34 digits.
  if (Math.abs(a.exponent - b.exponent) > 80) {
    const [large, small] = a.exponent > b.exponent ? [a, b] : [b, a];
    if (large.coefficient !== 0n)
      return fromSigned(signed(large) * (large === b ? sign : 1n), large.exponent);
    return fromSigned(signed(small) * (small === b ? sign : 1n), small.exponent);
  }
  const exponent = Math.min(a.exponent, b.exponent);
  const left = signed(a) * 10n ** BigInt(a.exponent - exponent);
  const right = signed(b) * 10n ** BigInt(b.exponent - exponent);
  return fromSigned(left + sign * right, exponent);
}

const ADD: Operation = {
  integers: (a, b) => a + b,
  doubles: (a, b) => a + b,
  decimals: (a, b) => addDecimals(a, b, 1n),
};

const SUBTRACT: Operation = {
  integers: (a, b) => a - b,
  doubles: (a, b) => a - b,
  decimals: (a, b) => addDecimals(a, b, -1n),
};

const MULTIPLY: Operation = {
  integers: (a, b) => a * b,
  doubles: (a, b) => a * b,
  decimals: (a, b) => fromSigned(signed(a) * signed(b), a.exponent + b.exponent),
};

const MODULO: Operation = {
  integers: (a, b) => a % b,
  doubles: (a, b) => a % b,
  decimals: (a, b) => {
    const exponent = Math.min(a.exponent, b.exponent);
    const left = signed(a) * 10n ** BigInt(a.exponent - exponent);
    const rest = left % (signed(b) * 10n ** BigInt(b.exponent - exponent));
    // If nothing is left of a negative number, it is a negative zero.
    return makeDecimal({ negative: a.negative, coefficient: rest < 0n ? -rest : rest, exponent });
  },
};

/** Infinities and NaN follow the rules of doubles. */
function specialDecimals(
  a: DecimalValue,
  b: DecimalValue,
  doubles: (a: number, b: number) => number,
): Decimal128 {
  const sample = (value: DecimalValue): number => {
    if (value === 'nan') return Number.NaN;
    if (typeof value === 'string')
      return value === 'infinity' ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
    return value.coefficient === 0n ? 0 : value.negative ? -1 : 1;
  };
  const result = doubles(sample(a), sample(b));
  if (Number.isNaN(result)) return DECIMAL_NAN;
  if (result === Number.POSITIVE_INFINITY) return DECIMAL_INFINITY;
  if (result === Number.NEGATIVE_INFINITY) return DECIMAL_MINUS_INFINITY;
  return typeof a === 'string'
    ? makeDecimal({ negative: false, coefficient: 0n, exponent: 0 })
    : makeDecimal(a);
}

function apply(operation: Operation, a: Numeric, b: Numeric): BsonNumber {
  if (a.type === 'decimal' || b.type === 'decimal') {
    const left = asDecimal(a);
    const right = asDecimal(b);
    if (typeof left === 'string' || typeof right === 'string') {
      return specialDecimals(left, right, operation.doubles);
    }
    return operation.decimals(left, right);
  }
  if (a.type === 'double' || b.type === 'double') {
    return makeDouble(operation.doubles(Number(a.value), Number(b.value)));
  }
  const least = a.type === 'long' || b.type === 'long' ? 'long' : 'int';
  return makeInteger(operation.integers(BigInt(a.value), BigInt(b.value)), least);
}

function binary(operation: Operation): (a: unknown, b: unknown) => BsonNumber {
  return (a, b) => {
    if (typeof a === 'number' && typeof b === 'number') {
      const result = operation.doubles(a, b);
      if (isInt32(a) && isInt32(b)) {
        if (isInt32(result)) return result;
        if (Object.is(result, -0)) return 0;
      } else return makeDouble(result);
    }
    return apply(operation, readNumber(a) as Numeric, readNumber(b) as Numeric);
  };
}

/** A double in a sum with decimals, with all of its digits. */
const wide = (value: unknown): unknown => {
  const number = readNumber(value);
  return number?.type === 'double' && Number.isFinite(number.value)
    ? makeDecimal(exactDouble(number.value))
    : value;
};

/** The sum of a decimal and another number, with all digits. */
export const addWide = (a: unknown, b: unknown): BsonNumber => add(wide(a), wide(b));

/** The sum of two BSON numbers in the wider of their types; int overflows to long, long to double. */
export const add = binary(ADD);
/** Difference of two BSON numbers. */
export const subtract = binary(SUBTRACT);
/** Product of two BSON numbers. */
export const multiply = binary(MULTIPLY);
const remainder = binary(MODULO);

/** Remainder with the sign of the dividend. The divisor is not zero; a whole double divides as an integer. */
export function modulo(a: unknown, b: unknown): BsonNumber {
  const divisor = readNumber(b);
  const isWhole = divisor?.type === 'double' && isInt32(divisor.value);
  return remainder(a, isWhole && readNumber(a)?.type !== 'double' ? divisor.value : b);
}

/** Quotient: a double, or a decimal if either operand is one. The divisor is not zero. */
export function divide(a: unknown, b: unknown): BsonNumber {
  const left = readNumber(a) as Numeric;
  const right = readNumber(b) as Numeric;
  if (left.type !== 'decimal' && right.type !== 'decimal')
    return makeDouble(Number(left.value) / Number(right.value));
  const x = asDecimal(left);
  const y = asDecimal(right);
  if (typeof x === 'string' || typeof y === 'string') return specialDecimals(x, y, (p, q) => p / q);
  // Enough digits for 34 in the quotient and one to round by.
  const scale = Math.max(0, 40 + y.coefficient.toString().length - x.coefficient.toString().length);
  const dividend = x.coefficient * 10n ** BigInt(scale);
  const sticky = dividend % y.coefficient === 0n ? 0n : 1n;
  const coefficient = (dividend / y.coefficient) * 10n + sticky;
  const ideal = x.exponent - y.exponent;
  const parts = { negative: x.negative !== y.negative, coefficient, exponent: ideal - scale - 1 };
  return makeDecimal(stripZeros(parts, ideal));
}
