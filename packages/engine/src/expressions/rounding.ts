import type { Decimal128 } from 'bson';
import { fail } from '../errors.js';
import { asDecimal } from '../values/arithmetic.js';
import { type DecimalParts, makeDecimal, readDecimal } from '../values/decimal.js';
import { makeDouble, makeInteger, type Numeric, readNumber, toDouble } from '../values/numbers.js';
import { aNumber, aWholeNumber } from './argument.js';
import { ofNumber } from './arithmetic.js';
import { type Operator, type Operators, several } from './operator.js';

/** How a number is rounded to an integer: as a function of doubles, and of a decimal's quotient and remainder. */
interface Rounding {
  readonly double: (value: number) => number;
  readonly decimal: (quotient: bigint, rest: bigint, unit: bigint, negative: boolean) => bigint;
}

/** The digits of a decimal. */
const DIGITS = 34;

const halfEven = (value: number): number => {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
};

const ROUND: Rounding = {
  double: halfEven,
  decimal: (quotient, rest, unit) => {
    const twice = rest * 2n;
    return twice > unit || (twice === unit && quotient % 2n === 1n) ? quotient + 1n : quotient;
  },
};
const TRUNCATE: Rounding = { double: Math.trunc, decimal: (quotient) => quotient };
const CEIL: Rounding = {
  double: Math.ceil,
  decimal: (quotient, rest, _unit, negative) => (rest !== 0n && !negative ? quotient + 1n : quotient),
};
const FLOOR: Rounding = {
  double: Math.floor,
  decimal: (quotient, rest, _unit, negative) => (rest !== 0n && negative ? quotient + 1n : quotient),
};

/** A decimal with zeros added up to a position, as far as its 34 digits allow. */
function padded(parts: DecimalParts, place: number): DecimalParts {
  const room = DIGITS - parts.coefficient.toString().length;
  const zeros = Math.min(parts.exponent + place, room);
  if (zeros <= 0) return parts;
  return {
    ...parts,
    coefficient: parts.coefficient * 10n ** BigInt(zeros),
    exponent: parts.exponent - zeros,
  };
}

function roundDecimal(parts: DecimalParts, place: number, rounding: Rounding, pads = false): Decimal128 {
  const drop = -place - parts.exponent;
  if (drop <= 0) return makeDecimal(pads ? padded(parts, place) : parts);
  const unit = 10n ** BigInt(drop);
  const quotient = parts.coefficient / unit;
  const coefficient = rounding.decimal(quotient, parts.coefficient % unit, unit, parts.negative);
  return makeDecimal({ negative: parts.negative, coefficient, exponent: -place });
}

const LONGEST = 2n ** 63n - 1n;

function roundInteger(value: bigint, place: number, rounding: Rounding, least: 'int' | 'long'): unknown {
  if (place >= 0) return makeInteger(value, least);
  const unit = 10n ** BigInt(-place);
  const negative = value < 0n;
  const size = negative ? -value : value;
  const whole = rounding.decimal(size / unit, size % unit, unit, negative) * unit;
  if (whole > LONGEST) fail(51080, 'the rounded number does not fit into 64 bits');
  return makeInteger(negative ? -whole : whole, least);
}

function roundNumber(number: Numeric, place: number, rounding: Rounding): unknown {
  switch (number.type) {
    case 'int':
      return roundInteger(BigInt(number.value), place, rounding, 'int');
    case 'long':
      return roundInteger(number.value, place, rounding, 'long');
    case 'double':
      return makeDouble(roundDouble(number.value, place, rounding));
    default: {
      const parts = readDecimal(number.value);
      return typeof parts === 'string' ? number.value : roundDecimal(parts, place, rounding, true);
    }
  }
}

function roundDouble(value: number, place: number, rounding: Rounding): number {
  if (!Number.isFinite(value)) return value;
  if (place === 0) return rounding.double(value);
  const parts = asDecimal({ type: 'double', value });
  if (typeof parts === 'string') return value;
  return toDouble(roundDecimal(parts, place, rounding));
}

const NUMBER = aNumber(51081, '$op only supports numeric types, not $type');
const PRECISION = aWholeNumber(51082, 'precision argument to  must be a integral value');

const roundTo = (rounding: Rounding): Operator =>
  several(
    [1, 2],
    ([value, digits = 0], name) => {
      const at = toDouble(digits);
      if (at < -20 || at > 100)
        fail(51083, `cannot apply ${name} with precision value ${at} value must be in [-20, 100]`);
      return roundNumber(readNumber(value) as Numeric, at, rounding);
    },
    [NUMBER, PRECISION],
  );

/** Operators that reduce the digits of numbers. */
export const ROUNDING: Operators = {
  $ceil: ofNumber((number) => roundNumber(number, 0, CEIL)),
  $floor: ofNumber((number) => roundNumber(number, 0, FLOOR)),
  $round: roundTo(ROUND),
  $trunc: roundTo(TRUNCATE),
};
