import { Decimal128 } from 'bson';
import { fail } from '../../errors.js';
import { type Argument, aString } from '../../expressions/argument.js';
import { makeDouble, toDouble } from '../../values/numbers.js';
import { bsonTypeOf, isNumeric } from '../../values/types.js';

/** Rounds the bounds of buckets to a series of preferred numbers. */
export interface Granularity {
  /** The next larger number of the series; zero for zero. */
  up(value: unknown): unknown;
  /** The next smaller number of the series; zero for zero. */
  down(value: unknown): unknown;
}

/** Renard numbers (ISO 3) from 1 to 10, in hundredths. */
const R80 = [
  100, 103, 106, 109, 112, 115, 118, 122, 125, 128, 132, 136, 140, 145, 150, 155, 160, 165, 170, 175, 180,
  185, 190, 195, 200, 206, 212, 218, 224, 230, 236, 243, 250, 258, 265, 272, 280, 290, 300, 307, 315, 325,
  335, 345, 355, 365, 375, 387, 400, 412, 425, 437, 450, 462, 475, 487, 500, 515, 530, 545, 560, 580, 600,
  615, 630, 650, 670, 690, 710, 730, 750, 775, 800, 825, 850, 875, 900, 925, 950, 975,
];

/** The E series of IEC 60063 up to 24, in tenths; they are older than the rule that the others follow. */
const E24 = [10, 11, 12, 13, 15, 16, 18, 20, 22, 24, 27, 30, 33, 36, 39, 43, 47, 51, 56, 62, 68, 75, 82, 91];

const every = (series: readonly number[], step: number): number[] => series.filter((_, i) => i % step === 0);
const renard = (step: number): number[] => every(R80, step).map((value) => value / 100);
const electronic = (step: number): number[] => every(E24, step).map((value) => value / 10);

/** The E series of 48 and more: powers of a root of 10 to three digits, except one number of the standard. */
const fine = (count: number): number[] =>
  Array.from({ length: count }, (_, i) => {
    const value = Math.round(10 ** (i / count) * 100);
    return (value === 919 ? 920 : value) / 100;
  });

const SERIES: Readonly<Record<string, readonly number[]>> = {
  R5: renard(16),
  R10: renard(8),
  R20: renard(4),
  R40: renard(2),
  R80: renard(1),
  '1-2-5': [1, 2, 5],
  E6: electronic(4),
  E12: electronic(2),
  E24: electronic(1),
  E48: fine(48),
  E96: fine(96),
  E192: fine(192),
};

function boundOf(value: unknown): number {
  const what = "$bucketAuto can specify a 'granularity' with";
  if (!isNumeric(value))
    return fail(40258, `${what} numeric boundaries only, but found a value with type: ${bsonTypeOf(value)}`);
  const bound = toDouble(value);
  if (Number.isNaN(bound)) fail(40259, `${what} numeric boundaries only, but found a NaN`);
  if (bound < 0) fail(40260, `${what} non-negative numbers only, but found: ${bound}`);
  return bound;
}

/** A rounded bound in the type of the value: decimals stay decimals, other numbers become doubles. */
const typed = (bound: number, like: unknown): unknown =>
  bsonTypeOf(like) === 'decimal' ? Decimal128.fromString(String(bound)) : makeDouble(bound);

const rounding =
  (round: (bound: number) => number) =>
  (value: unknown): unknown => {
    const bound = boundOf(value);
    return bound === 0 || !Number.isFinite(bound) ? value : typed(round(bound), value);
  };

const powersOfTwo: Granularity = {
  up: rounding((bound) => 2 ** (Math.floor(Math.log2(bound)) + 1)),
  down: rounding((bound) => 2 ** (Math.ceil(Math.log2(bound)) - 1)),
};

/** A number of a series times a power of ten, according to its decimal digits. */
const scaled = (value: number, exponent: number): number => Number(`${value}e${exponent}`);

/** Smaller doubles have fewer digits, so powers of ten times a number of the series are not exact. */
const SMALLEST_WHOLE = 2.3e-308;

/** The number above such a small bound, as MongoDB steps down to it by tenths. */
function aboveSmall(series: readonly number[], bound: number): number {
  const first = (series[1] as number) * 100;
  const last = 1000;
  let power = 1;
  while (bound < first * power) {
    const above = first * power;
    power /= 10;
    if (bound >= last * power) return above;
  }
  return series.map((value) => value * 100 * power).find((value) => value > bound) ?? last * power;
}

function preferred(series: readonly number[]): Granularity {
  const exponentOf = (bound: number): number => Math.floor(Math.log10(bound));
  const around = (bound: number): number[] => {
    const middle = exponentOf(bound);
    return [middle - 1, middle, middle + 1].flatMap((exponent) =>
      series.map((value) => scaled(value, exponent)),
    );
  };
  return {
    up: rounding((bound) =>
      bound < SMALLEST_WHOLE
        ? aboveSmall(series, bound)
        : (around(bound).find((value) => value > bound) ?? bound),
    ),
    down: rounding((bound) => around(bound).findLast((value) => value < bound) ?? 0),
  };
}

/** The name of a granularity. */
export const aGranularity: Argument<string> = {
  is: (name): name is string => name === 'POWERSOF2' || Object.hasOwn(SERIES, String(name)),
  code: 40257,
  says: "Unknown rounding granularity '$text'",
  first: aString(40261, "The $op 'granularity' field must be a string, but found type: $type."),
};

/** The granularity of a name. */
export const granularityOf = (name: string): Granularity =>
  name === 'POWERSOF2' ? powersOfTwo : preferred(SERIES[name] as readonly number[]);
