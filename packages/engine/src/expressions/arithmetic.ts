import { Decimal128 } from 'bson';
import { fail } from '../errors.js';
import { asDecimal, decimalOf, divide, modulo, multiply, subtract } from '../values/arithmetic.js';
import { withAllDigits } from '../values/decimal.js';
import { DECIMAL_FUNCTIONS, type DecimalFunction, decimalPower } from '../values/decimal-functions.js';
import { dateOf, millisecondsOf } from '../values/far-date.js';
import {
  makeDouble,
  makeInteger,
  makeLong,
  type Numeric,
  readNumber,
  toDecimalValue,
  toDouble,
} from '../values/numbers.js';
import { bsonTypeOf, isInt32, isNullish, isNumeric } from '../values/types.js';
import { makeSum } from './accumulators/accumulators.js';
import { aNumber } from './argument.js';
import { binary, foldConstant, type Operator, type Operators, unary, variadic } from './operator.js';
import type { Evaluate } from './scope.js';

/** The sum of a date and milliseconds. */
function shiftDate(date: Date, by: unknown): Date {
  const number = readNumber(by);
  if (number?.type === 'long') return dateOf(millisecondsOf(date) + number.value);
  const steps = Math.round(toDouble(by));
  if (!Number.isFinite(steps)) fail('Overflow', 'date overflow');
  return dateOf(millisecondsOf(date) + BigInt(steps));
}

function addAll(values: Iterable<unknown>, name: string): unknown {
  const sum = makeSum();
  let date: Date | undefined;
  for (const value of values) {
    if (isNullish(value)) return null;
    if (value instanceof Date) {
      if (date !== undefined) fail(16612, 'only one date allowed in an $add expression');
      date = value;
    } else if (isNumeric(value)) sum.add(value);
    else fail(16554, `${name} only supports numeric or date types, not ${bsonTypeOf(value)}`);
  }
  return date === undefined ? sum.result() : shiftDate(date, sum.result());
}

function multiplyAll(values: Iterable<unknown>): unknown {
  let product: unknown = 1;
  for (const value of values) product = multiply(product, value);
  return product;
}

function subtractTwo(a: unknown, b: unknown): unknown {
  if (isNullish(a) || isNullish(b)) return null;
  if (isNumeric(a) && isNumeric(b)) return subtract(a, b);
  if (a instanceof Date && b instanceof Date) return makeLong(millisecondsOf(a) - millisecondsOf(b));
  if (a instanceof Date && isNumeric(b)) return shiftDate(a, subtract(makeLong(0n), b));
  return fail(16556, `can't $subtract ${bsonTypeOf(b)} from ${bsonTypeOf(a)}`);
}

/** `$divide` and `$mod`: the codes for anything but two numbers, and for a second one that is zero. */
const quotient = (compute: (a: unknown, b: unknown) => unknown, types: number, zero: number): Operator =>
  binary((a, b, name) => {
    if (isNullish(a) || isNullish(b)) return null;
    if (!isNumeric(a) || !isNumeric(b))
      fail(types, `${name} only supports numeric types, not ${bsonTypeOf(a)} and ${bsonTypeOf(b)}`);
    if (toDouble(b) === 0) fail(zero, `can't ${name} by zero`);
    return compute(a, b);
  });

/** A numeric function of one argument; null for null. */
export function ofNumber(compute: (number: Numeric, name: string) => unknown): Operator {
  return unary(
    (value, name) => compute(readNumber(value) as Numeric, name),
    aNumber(28765, '$op only supports numeric types, not $type'),
  );
}

/** A decimal for a value that is special or has only the digits of a double: an integer is exact, any other has 15 digits. */
const decimalOfDouble = (value: number): Decimal128 =>
  Number.isSafeInteger(value)
    ? Decimal128.fromString(String(value))
    : decimalOf(asDecimal({ type: 'double', value }));

const LOGARITHMS: readonly DecimalFunction[] = ['ln', 'log10'];

/** A function of real numbers: a decimal for a decimal, otherwise a double. */
export function real(
  compute: (value: number) => number,
  ofDecimal: DecimalFunction,
  check?: (value: number, name: string) => void,
): Operator {
  return ofNumber((number, name) => {
    const input = toDouble(number.value);
    check?.(input, name);
    const parts = number.type === 'decimal' ? toDecimalValue(number) : undefined;
    if (parts === undefined) return makeDouble(compute(input));
    // Logarithms that are not numbers are computed as doubles.
    if (LOGARITHMS.includes(ofDecimal) && Number.isNaN(input)) return makeDouble(compute(input));
    return typeof parts === 'string' ? decimalOfDouble(compute(input)) : DECIMAL_FUNCTIONS[ofDecimal](parts);
  });
}

const absolute = ofNumber((number) => {
  if (number.type === 'int') return makeInteger(BigInt(Math.abs(number.value)));
  if (number.type === 'double') return makeDouble(Math.abs(number.value));
  if (number.type === 'long') {
    if (number.value === -(1n << 63n)) fail(28680, "can't take $abs of long long min");
    return makeInteger(number.value < 0n ? -number.value : number.value, 'long');
  }
  return Decimal128.fromString(number.value.toString().replace(/^-/, ''));
});

function power(a: unknown, b: unknown): unknown {
  const [base, exponent] = [readNumber(a), readNumber(b)] as [Numeric, Numeric];
  const [x, y] = [toDouble(a), toDouble(b)];
  if (x === 0 && y < 0) fail(28764, '$pow cannot take a base of 0 and a negative exponent');
  const types = [base.type, exponent.type];
  if (types.includes('decimal')) {
    const [p, q] = [asDecimal(base), asDecimal(exponent)];
    const exact =
      typeof p === 'string' || typeof q === 'string' ? decimalOfDouble(x ** y) : decimalPower(p, q);
    return exact === undefined ? decimalOfDouble(Number.NaN) : withAllDigits(exact);
  }
  if (types.includes('double')) return makeDouble(x ** y);
  // For other bases a negative exponent gives a fraction.
  const power = Math.abs(x) === 1 ? Math.abs(y % 2) : y;
  if (power < 0 || power > 64) return makeDouble(x ** y);
  return makeInteger(BigInt(base.value as number) ** BigInt(power), types.includes('long') ? 'long' : 'int');
}

function logarithm(a: unknown, b: unknown): unknown {
  const [value, base] = [toDouble(a), toDouble(b)];
  if (value <= 0) fail(28758, `$log's argument must be a positive number, but is ${value}`);
  if (base <= 0 || base === 1)
    fail(28759, `$log's base must be a positive number not equal to 1, but is ${base}`);
  const isDecimal = bsonTypeOf(a) === 'decimal' || bsonTypeOf(b) === 'decimal';
  if (!isDecimal || Number.isNaN(value) || Number.isNaN(base))
    return makeDouble(Math.log(value) / Math.log(base));
  const [p, q] = [asDecimal(readNumber(a) as Numeric), asDecimal(readNumber(b) as Numeric)];
  if (typeof p === 'string' || typeof q === 'string')
    return decimalOfDouble(Math.log(value) / Math.log(base));
  return divide(DECIMAL_FUNCTIONS.ln(p), DECIMAL_FUNCTIONS.ln(q));
}

const positive =
  (code: number) =>
  (value: number, name: string): void => {
    if (value <= 0) fail(code, `${name}'s argument must be a positive number, but is ${value}`);
  };

/** A fast path for adding two plain ints. */
const sum: Operator = (operand, scope, name) => {
  const general = variadic(addAll)(operand, scope, name);
  if (!Array.isArray(operand) || operand.length !== 2) return general;
  const [left, right] = operand.map((item) => scope.compile(item)) as [Evaluate, Evaluate];
  return foldConstant(
    (root) => {
      const a = left(root);
      const b = right(root);
      if (typeof a === 'number' && typeof b === 'number') {
        const result = a + b;
        if (isInt32(a) && isInt32(b) && isInt32(result)) return result;
      }
      return addAll([a, b], name);
    },
    left,
    right,
  );
};

/** Arithmetic operators. */
export const ARITHMETIC: Operators = {
  $add: sum,
  $subtract: binary(subtractTwo),
  $multiply: variadic(multiplyAll, aNumber(16555, '$op only supports numeric types, not $type')),
  $divide: quotient(divide, 16609, 16608),
  $mod: quotient(modulo, 16611, 16610),
  $abs: absolute,
  $pow: binary(power, [
    aNumber(28762, "$op's base must be numeric, not $type"),
    aNumber(28763, "$op's exponent must be numeric, not $type"),
  ]),
  $log: binary(logarithm, [
    aNumber(28756, "$op's argument must be numeric, not $type"),
    aNumber(28757, "$op's base must be numeric, not $type"),
  ]),
  $exp: real(Math.exp, 'exp'),
  $ln: real(Math.log, 'ln', positive(28766)),
  $log10: real(Math.log10, 'log10', positive(28761)),
  $sqrt: real(Math.sqrt, 'sqrt', (value) => {
    if (value < 0) fail(28714, "$sqrt's argument must be greater than or equal to 0");
  }),
};
