import { fail } from '../errors.js';
import { add as addNumbers, asDecimal, decimalOf, divide, subtract } from '../values/arithmetic.js';
import type { DecimalParts, DecimalValue } from '../values/decimal.js';
import { DECIMAL_FUNCTIONS } from '../values/decimal-functions.js';
import { makeDouble, type Numeric, readNumber, toDouble } from '../values/numbers.js';
import { bsonTypeOf } from '../values/types.js';
import { aNumber } from './argument.js';
import { real } from './arithmetic.js';
import { binary, type Operators } from './operator.js';

const within =
  (least: number, most: number) =>
  (value: number, name: string): void => {
    if (value < least || value > most) {
      fail(50989, `cannot apply ${name} to ${value}, value must be in [${least}, ${most}]`);
    }
  };

const finite = (value: number, name: string): void => {
  if (Math.abs(value) === Number.POSITIVE_INFINITY) {
    fail(50989, `cannot apply ${name} to ${value}, value must be in (-inf,inf)`);
  }
};

/** The angle as a decimal; the double only determines the quadrant. */
function decimalAtan2(a: unknown, b: unknown, double: number): unknown {
  const [y, x] = [a, b].map((value) => asDecimal(readNumber(value) as Numeric)) as [
    DecimalValue,
    DecimalValue,
  ];
  if (typeof x === 'string' || typeof y === 'string' || x.coefficient === 0n)
    return decimalOf(asDecimal({ type: 'double', value: double }));
  const slope = divide(decimalOf(y), decimalOf(x));
  const angle = DECIMAL_FUNCTIONS.atan(asDecimal(readNumber(slope) as Numeric) as DecimalParts);
  if (!x.negative) return angle;
  const half = DECIMAL_FUNCTIONS.acos({ negative: true, coefficient: 1n, exponent: 0 });
  return y.negative ? subtract(angle, half) : addNumbers(angle, half);
}

function atan2(a: unknown, b: unknown): unknown {
  const result = Math.atan2(toDouble(a), toDouble(b));
  return [a, b].some((value) => bsonTypeOf(value) === 'decimal')
    ? decimalAtan2(a, b, result)
    : makeDouble(result);
}

/** Trigonometric operators; angles are radians. */
export const TRIGONOMETRY: Operators = {
  $sin: real(Math.sin, 'sin', finite),
  $cos: real(Math.cos, 'cos', finite),
  $tan: real(Math.tan, 'tan', finite),
  $asin: real(Math.asin, 'asin', within(-1, 1)),
  $acos: real(Math.acos, 'acos', within(-1, 1)),
  $atan: real(Math.atan, 'atan'),
  $atan2: binary(atan2, [
    aNumber(51044, '$op only supports numeric types, not $type'),
    aNumber(51045, '$op only supports numeric types, not $type'),
  ]),
  $sinh: real(Math.sinh, 'sinh'),
  $cosh: real(Math.cosh, 'cosh'),
  $tanh: real(Math.tanh, 'tanh'),
  $asinh: real(Math.asinh, 'asinh'),
  $acosh: real(Math.acosh, 'acosh', within(1, Number.POSITIVE_INFINITY)),
  $atanh: real(Math.atanh, 'atanh', within(-1, 1)),
  $degreesToRadians: real((value) => (value * Math.PI) / 180, 'degreesToRadians'),
  $radiansToDegrees: real((value) => (value * 180) / Math.PI, 'radiansToDegrees'),
};
