import type { Decimal128 } from 'bson';
import { type DecimalParts, makeDecimal, stripZeros } from './decimal.js';

/** Numbers are stored as integers in units of 10 ** -DIGITS: twice the precision of a Decimal128. */
export const DIGITS = 70;
export const ONE = 10n ** BigInt(DIGITS);
export const LN10 = 23025850929940456840179914546843642076011014886287729760333279009675726n;
export const PI = 31415926535897932384626433832795028841971693993751058209749445923078164n;
/** Below 10 ** TINY an odd function equals its argument, to all digits shown. */
export const TINY = -18;

export const multiplyFixed = (a: bigint, b: bigint): bigint => (a * b) / ONE;
export const divideFixed = (a: bigint, b: bigint): bigint => (a * ONE) / b;

export function fixedOf({ negative, coefficient, exponent }: DecimalParts): bigint {
  const shift = exponent + DIGITS;
  const size = shift >= 0 ? coefficient * 10n ** BigInt(shift) : coefficient / 10n ** BigInt(-shift);
  return negative ? -size : size;
}

export const partsOf = (value: bigint, exponent = 0): DecimalParts => ({
  negative: value < 0n,
  coefficient: value < 0n ? -value : value,
  exponent: exponent - DIGITS,
});

/** The decimal exponent of the first digit. */
export const magnitude = ({ coefficient, exponent }: DecimalParts): number =>
  coefficient.toString().length - 1 + exponent;

export const decimal = (parts: DecimalParts): Decimal128 => makeDecimal(stripZeros(parts, 0));
export const ofFixed = (value: bigint): Decimal128 => decimal(partsOf(value));

export function root(value: bigint): bigint {
  if (value < 2n) return value;
  let x = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const y = (x + value / x) >> 1n;
    if (y >= x) return x;
    x = y;
  }
}

export const fixedRoot = (value: bigint): bigint => root(value * ONE);

/** The sum of a series in which each term is computed from the previous one. */
function series(first: bigint, next: (term: bigint, n: bigint) => bigint): bigint {
  let sum = first;
  let term = first;
  for (let n = 1n; term !== 0n; n++) {
    term = next(term, n);
    sum += term;
  }
  return sum;
}

/** e ** x for a small x. */
function smallExp(x: bigint): bigint {
  const HALVINGS = 8n;
  let out = series(ONE, (term, n) => multiplyFixed(term, x >> HALVINGS) / n);
  for (let i = 0n; i < HALVINGS; i++) out = multiplyFixed(out, out);
  return out;
}

/** e ** x as a number and its decimal exponent. */
export function expParts(x: bigint): { value: bigint; exponent: number } {
  const tens = x / LN10;
  return { value: smallExp(x - tens * LN10), exponent: Number(tens) };
}

/** The logarithm of a positive number. */
export function lnOf(parts: DecimalParts): bigint {
  const exponent = magnitude(parts);
  const mantissa = fixedOf({ ...parts, negative: false, exponent: parts.exponent - exponent });
  let y =
    BigInt(Math.round(Math.log(Number(mantissa / 10n ** BigInt(DIGITS - 17)) / 1e17) * 1e15)) *
    10n ** BigInt(DIGITS - 15);
  for (let i = 0; i < 3; i++) {
    const e = smallExp(y);
    y += (2n * (mantissa - e) * ONE) / (mantissa + e);
  }
  return y + BigInt(exponent) * LN10;
}

export function sinCos(x: bigint): { sin: bigint; cos: bigint } {
  const turn = 2n * PI;
  let r = x % turn;
  if (r > PI) r -= turn;
  if (r < -PI) r += turn;
  const square = multiplyFixed(r, r);
  return {
    sin: series(r, (term, n) => -multiplyFixed(term, square) / (2n * n * (2n * n + 1n))),
    cos: series(ONE, (term, n) => -multiplyFixed(term, square) / ((2n * n - 1n) * 2n * n)),
  };
}

export function atanOf(x: bigint): bigint {
  if (x < 0n) return -atanOf(-x);
  if (x > ONE) return PI / 2n - atanOf(divideFixed(ONE, x));
  const guess = Math.atan(Number(x / 10n ** BigInt(DIGITS - 18)) / 1e18);
  let y = BigInt(Math.round(guess * 1e15)) * 10n ** BigInt(DIGITS - 15);
  for (let i = 0; i < 2; i++) {
    const { sin, cos } = sinCos(y);
    const d = divideFixed(multiplyFixed(x, cos) - sin, cos + multiplyFixed(x, sin));
    y += d - multiplyFixed(d, multiplyFixed(d, d)) / 3n;
  }
  return y;
}

export const asinOf = (x: bigint): bigint => {
  const rest = fixedRoot(ONE - multiplyFixed(x, x));
  return rest === 0n ? (x < 0n ? -PI : PI) / 2n : atanOf(divideFixed(x, rest));
};

export const lnFixed = (x: bigint): bigint => lnOf(partsOf(x));
