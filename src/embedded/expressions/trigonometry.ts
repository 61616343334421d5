import { fail } from '../errors.js';
import { makeDouble, toDouble } from '../values/numbers.js';
import { bsonTypeOf, isNumeric } from '../values/types.js';
import { real } from './arithmetic.js';
import { binary, isNullish, type Operators } from './operator.js';

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

function atan2(a: unknown, b: unknown): unknown {
  if (isNullish(a) || isNullish(b)) return null;
  for (const value of [a, b]) {
    if (!isNumeric(value)) fail(51044, `$atan2 only supports numeric types, not ${bsonTypeOf(value)}`);
  }
  return makeDouble(Math.atan2(toDouble(a), toDouble(b)));
}

/** Trigonometric operators; angles are radians. */
export const TRIGONOMETRY: Operators = {
  $sin: real(Math.sin, finite),
  $cos: real(Math.cos, finite),
  $tan: real(Math.tan, finite),
  $asin: real(Math.asin, within(-1, 1)),
  $acos: real(Math.acos, within(-1, 1)),
  $atan: real(Math.atan),
  $atan2: binary(atan2),
  $sinh: real(Math.sinh),
  $cosh: real(Math.cosh),
  $tanh: real(Math.tanh),
  $asinh: real(Math.asinh),
  $acosh: real(Math.acosh, within(1, Number.POSITIVE_INFINITY)),
  $atanh: real(Math.atanh, within(-1, 1)),
  $degreesToRadians: real((value) => (value * Math.PI) / 180),
  $radiansToDegrees: real((value) => (value * 180) / Math.PI),
};
