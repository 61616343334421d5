import type { Decimal128 } from 'bson';
import {
  DECIMAL_INFINITY,
  DECIMAL_MINUS_INFINITY,
  type DecimalParts,
  makeDecimal,
  stripZeros,
} from './decimal.js';

import {
  asinOf,
  atanOf,
  DIGITS,
  decimal,
  divideFixed,
  expParts,
  fixedOf,
  fixedRoot,
  LN10,
  lnFixed,
  lnOf,
  magnitude,
  multiplyFixed,
  ONE,
  ofFixed,
  PI,
  partsOf,
  root,
  sinCos,
  TINY,
} from './fixed-point.js';

/** e ** x and e ** -x, for hyperbolic functions; for a large x only the larger one is present. */
function hyperbolic(combine: (grows: bigint, shrinks: bigint) => bigint): (x: DecimalParts) => Decimal128 {
  return (parts) => {
    const x = fixedOf(parts);
    if (magnitude(parts) < 2) {
      const { value, exponent } = expParts(x);
      const grows = fixedOf(partsOf(value, exponent));
      return ofFixed(combine(grows, divideFixed(ONE, grows)));
    }
    const { value, exponent } = expParts(x < 0n ? -x : x);
    const whole = combine(x < 0n ? 0n : value, x < 0n ? value : 0n);
    return decimal(partsOf(whole, exponent));
  };
}

/** A function for which a tiny argument is its own value. */
const odd =
  (compute: (x: bigint) => bigint): ((x: DecimalParts) => Decimal128) =>
  (parts) =>
    parts.coefficient === 0n || magnitude(parts) < TINY
      ? makeDecimal(parts)
      : ofFixed(compute(fixedOf(parts)));

const oddParts =
  (compute: (x: DecimalParts) => Decimal128): ((x: DecimalParts) => Decimal128) =>
  (parts) =>
    parts.coefficient === 0n || magnitude(parts) < TINY ? makeDecimal(parts) : compute(parts);

/** The powers of e leave the range of a Decimal128 about here. */
const LARGEST_EXPONENT = 5;

function exp(parts: DecimalParts): Decimal128 {
  if (parts.coefficient !== 0n && magnitude(parts) >= LARGEST_EXPONENT)
    return makeDecimal({ negative: false, coefficient: 1n, exponent: parts.negative ? -7000 : 7000 });
  const { value, exponent } = expParts(fixedOf(parts));
  return decimal(partsOf(value, exponent));
}

function sqrt(parts: DecimalParts): Decimal128 {
  const { coefficient, exponent } = parts;
  const even = exponent - (((exponent % 2) + 2) % 2);
  const scaled = coefficient * 10n ** BigInt(exponent - even) * 10n ** BigInt(2 * DIGITS);
  return makeDecimal(
    stripZeros(
      { negative: false, coefficient: root(scaled), exponent: even / 2 - DIGITS },
      Math.floor(exponent / 2),
    ),
  );
}

function wholePower({ negative, coefficient, exponent }: DecimalParts, power: bigint): Decimal128 {
  const size = power < 0n ? -power : power;
  const up = {
    negative: negative && size % 2n === 1n,
    coefficient: coefficient ** size,
    exponent: exponent * Number(size),
  };
  if (power >= 0n) return makeDecimal(up);
  const digits = BigInt(up.coefficient.toString().length + DIGITS);
  return decimal({
    negative: up.negative,
    coefficient: 10n ** digits / up.coefficient,
    exponent: -up.exponent - Number(digits),
  });
}

/** The maximum number of digits to which a power is computed exactly. */
const EXACT_DIGITS = 4000n;

/** `x ** y` of numbers that are not special; undefined for a negative base and a fractional exponent. */
export function decimalPower(x: DecimalParts, y: DecimalParts): Decimal128 | undefined {
  const power = stripZeros(y);
  const whole = power.exponent >= 0 && power.exponent < 20;
  if (whole) {
    const size = power.coefficient * 10n ** BigInt(power.exponent);
    if (BigInt(x.coefficient.toString().length) * size <= EXACT_DIGITS || x.coefficient <= 1n)
      return wholePower(
        x,
        x.coefficient <= 1n
          ? (power.negative ? -1n : 1n) * (size % 2n || (size === 0n ? 0n : 2n))
          : power.negative
            ? -size
            : size,
      );
  }
  if (x.coefficient === 0n) return makeDecimal({ ...x, negative: false, exponent: 0 });
  if (x.negative && !whole) return undefined;
  const result = exp(partsOf(multiplyFixed(fixedOf(y), lnOf(x))));
  const isOdd = whole && power.exponent === 0 && power.coefficient % 2n === 1n;
  return x.negative && isOdd ? negate(result) : result;
}

/** The same number with the other sign. */
function negate(value: Decimal128): Decimal128 {
  const bytes = Uint8Array.from(value.bytes);
  bytes[15] = (bytes[15] ?? 0) ^ 0x80;
  return new (value.constructor as typeof Decimal128)(bytes);
}

/** Functions of finite decimals, to the 34 digits of a Decimal128; arguments are within their domains. */
export const DECIMAL_FUNCTIONS = {
  exp,
  sqrt,
  ln: (x: DecimalParts) => ofFixed(lnOf(x)),
  log10: (x: DecimalParts) => {
    const { coefficient, exponent } = stripZeros(x);
    if (coefficient === 1n) return ofFixed(BigInt(exponent) * ONE);
    return ofFixed(divideFixed(lnOf(x), LN10));
  },
  sin: odd((x) => sinCos(x).sin),
  cos: (x: DecimalParts) => ofFixed(sinCos(fixedOf(x)).cos),
  tan: odd((x) => {
    const { sin, cos } = sinCos(x);
    return divideFixed(sin, cos);
  }),
  asin: odd(asinOf),
  acos: (x: DecimalParts) => ofFixed(PI / 2n - asinOf(fixedOf(x))),
  atan: odd(atanOf),
  sinh: oddParts(hyperbolic((grows, shrinks) => (grows - shrinks) / 2n)),
  cosh: hyperbolic((grows, shrinks) => (grows + shrinks) / 2n),
  tanh: odd((x) => {
    const { value, exponent } = expParts(-2n * (x < 0n ? -x : x));
    const shrinks = fixedOf(partsOf(value, exponent));
    const size = divideFixed(ONE - shrinks, ONE + shrinks);
    return x < 0n ? -size : size;
  }),
  asinh: odd((x) => {
    const size = x < 0n ? -x : x;
    const out = lnFixed(size + fixedRoot(multiplyFixed(size, size) + ONE));
    return x < 0n ? -out : out;
  }),
  acosh: (x: DecimalParts) => {
    const value = fixedOf(x);
    return ofFixed(lnFixed(value + fixedRoot(multiplyFixed(value, value) - ONE)));
  },
  atanh: oddParts((parts) => {
    const x = fixedOf(parts);
    if (x === ONE || x === -ONE) return x > 0n ? DECIMAL_INFINITY : DECIMAL_MINUS_INFINITY;
    return ofFixed(lnFixed(divideFixed(ONE + x, ONE - x)) / 2n);
  }),
  degreesToRadians: (x: DecimalParts) =>
    decimal({ ...x, coefficient: x.coefficient * (PI / 180n), exponent: x.exponent - DIGITS }),
  radiansToDegrees: (x: DecimalParts) =>
    decimal({ ...x, coefficient: (x.coefficient * 180n * ONE * ONE) / PI, exponent: x.exponent - DIGITS }),
} as const;

export type DecimalFunction = keyof typeof DECIMAL_FUNCTIONS;
