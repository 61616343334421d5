import { Binary, Decimal128, ObjectId, type Timestamp } from 'bson';
import { fail } from '../errors.js';
import { asDecimal, decimalOf } from '../values/arithmetic.js';
import { dateOf, millisecondsOf } from '../values/far-date.js';
import { makeDouble, makeInteger, makeLong, type Numeric, readNumber, toDouble } from '../values/numbers.js';
import { isTypeNumber, parseTypes } from '../values/type-names.js';
import { type BsonType, bsonTypeOf, isNullish, isNumeric } from '../values/types.js';
import { argument, checkArgument } from './argument.js';
import { parseDate } from './date-text.js';
import { declared, type Operator, type Operators, unary } from './operator.js';
import { textOfValue } from './text-of-value.js';

type Target = 'double' | 'string' | 'objectId' | 'bool' | 'date' | 'int' | 'long' | 'decimal' | 'binData';

const cannot = (reason: string, detail = ''): never =>
  fail('ConversionFailure', `${reason} in $convert with no onError value${detail}`);

const refuse = (value: unknown, target: Target): never =>
  cannot(`Unsupported conversion from ${bsonTypeOf(value)} to ${target}`);

const overflow = (value: unknown): never =>
  cannot('Conversion would overflow target type', `: ${String(value)}`);

const malformed = (value: string, what: string): never =>
  cannot(`Failed to parse number '${value}'`, `: ${what}`);

const truth = (value: unknown): number | undefined =>
  typeof value === 'boolean' ? Number(value) : undefined;

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const SPECIAL = /^[+-]?(inf(inity)?|nan)$/i;

function doubleOfText(text: string): number {
  if (NUMBER.test(text)) return Number(text);
  if (/^-?0x[0-9a-f]+$/i.test(text))
    return malformed(text, 'Illegal hexadecimal input in $convert with no onError value');
  if (!SPECIAL.test(text)) return malformed(text, 'Did not consume whole string.');
  if (/nan/i.test(text)) return Number.NaN;
  return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

function toDoubleValue(value: unknown): unknown {
  if (typeof value === 'string') return makeDouble(doubleOfText(value));
  if (value instanceof Date) return makeDouble(value.getTime());
  if (isNumeric(value)) return makeDouble(toDouble(value));
  const bool = truth(value);
  return bool === undefined ? refuse(value, 'double') : makeDouble(bool);
}

function toDecimal(value: unknown): Decimal128 {
  if (typeof value === 'string') {
    if (!NUMBER.test(value) && !SPECIAL.test(value)) malformed(value, 'Failed to parse string to decimal');
    return Decimal128.fromString(value.replace(/^\+/, ''));
  }
  if (value instanceof Date) return Decimal128.fromString(String(millisecondsOf(value)));
  const number = readNumber(value);
  if (number !== undefined) return number.type === 'decimal' ? number.value : decimalOf(asDecimal(number));
  const bool = truth(value);
  return bool === undefined ? refuse(value, 'decimal') : Decimal128.fromString(String(bool));
}

const BOUNDS = { int: [-2147483648n, 2147483647n], long: [-(1n << 63n), (1n << 63n) - 1n] } as const;

const notFinite = (): never => cannot('Attempt to convert NaN or infinity value to integer type');

function wholeOf(number: Numeric): bigint {
  if (number.type === 'long') return number.value;
  if (number.type === 'decimal') {
    const parts = asDecimal(number);
    if (typeof parts === 'string') return notFinite();
    const { negative, coefficient, exponent } = parts;
    const size =
      exponent < 0 ? coefficient / 10n ** BigInt(-exponent) : coefficient * 10n ** BigInt(exponent);
    return negative ? -size : size;
  }
  if (!Number.isFinite(number.value)) return notFinite();
  return BigInt(Math.trunc(number.value));
}

function integerOf(value: unknown, target: 'int' | 'long'): bigint {
  const bool = truth(value);
  if (bool !== undefined) return BigInt(bool);
  if (value instanceof Date && target === 'long') return millisecondsOf(value);
  if (typeof value === 'string') {
    if (!/^[+-]?\d+$/.test(value))
      malformed(value, value.includes('.') ? 'Did not consume whole string.' : 'No digits');
    return BigInt(value.replace(/^\+/, ''));
  }
  const number = readNumber(value);
  return number === undefined ? refuse(value, target) : wholeOf(number);
}

function toInteger(value: unknown, target: 'int' | 'long'): unknown {
  const whole = integerOf(value, target);
  const [least, most] = BOUNDS[target];
  if (whole < least || whole > most) overflow(whole);
  return target === 'int' ? makeInteger(whole) : makeLong(whole);
}

function toDate(value: unknown): Date {
  if (value instanceof Date) return value;
  if (typeof value === 'string') return parseDate(value);
  const type = bsonTypeOf(value);
  if (type === 'objectId') return (value as ObjectId).getTimestamp();
  if (type === 'timestamp') return new Date((value as Timestamp).getHighBitsUnsigned() * 1000);
  if (!isNumeric(value) || type === 'int') return refuse(value, 'date');
  const milliseconds = wholeOf(readNumber(value) as Numeric);
  return milliseconds === BigInt.asIntN(64, milliseconds) ? dateOf(milliseconds) : overflow(value);
}

function toObjectId(value: unknown): ObjectId {
  if (bsonTypeOf(value) === 'objectId') return value as ObjectId;
  if (typeof value !== 'string') return refuse(value, 'objectId');
  if (/^[0-9a-f]{24}$/i.test(value)) return new ObjectId(value);
  const length = `: Invalid string length for parsing to OID, expected 24 but found ${value.length}`;
  return cannot(`Failed to parse objectId '${value}'`, length);
}

function toBool(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  return !(isNumeric(value) && toDouble(value) === 0);
}

const CONVERT: Readonly<Record<Target, (value: unknown) => unknown>> = {
  double: toDoubleValue,
  string: (value) => textOfValue(value) ?? refuse(value, 'string'),
  objectId: toObjectId,
  bool: toBool,
  date: toDate,
  int: (value) => toInteger(value, 'int'),
  long: (value) => toInteger(value, 'long'),
  decimal: toDecimal,
  binData: (value) => (value instanceof Binary ? value : refuse(value, 'binData')),
};

const TO = argument((value): value is unknown => typeof value === 'string' || isNumeric(value))(
  'FailedToParse',
  "$op's 'to' argument must be a string or number, but is $type",
);

function targetOf(type: unknown, name: string): Target | 'missing' {
  // A name of `$type` that nothing can be converted to.
  if (type === 'missing') return 'missing';
  checkArgument(TO, type, name);
  if (typeof type !== 'string') {
    const code = toDouble(type);
    if (!Number.isInteger(code))
      fail('FailedToParse', "In $convert, numeric 'to' argument is not an integer");
    const wrong = "In $convert, numeric value for 'to' does not correspond to a BSON type";
    if (!isTypeNumber(code)) fail('FailedToParse', `${wrong}: ${code}`);
  }
  const [target] = [...parseTypes(type)] as BsonType[];
  return target as Target;
}

const convert = declared(
  { required: ['input', 'to'], optional: ['onError', 'onNull'] },
  (spec, scope, name) => {
    const input = scope.compile(spec['input']);
    const to = scope.compile(spec['to']);
    const onNull = 'onNull' in spec ? scope.compile(spec['onNull']) : () => null;
    const onError = 'onError' in spec ? scope.compile(spec['onError']) : undefined;
    return (root) => {
      const value = input(root);
      const type = to(root);
      if (isNullish(value)) return onNull(root);
      if (isNullish(type)) return null;
      const target = targetOf(type, name);
      try {
        if (target === 'missing' || !(target in CONVERT)) return refuse(value, target as Target);
        return CONVERT[target](value);
      } catch (error) {
        if (onError === undefined) throw error;
        return onError(root);
      }
    };
  },
);

const to = (target: Target): Operator => unary((value) => (isNullish(value) ? null : CONVERT[target](value)));

/** Operators on types. */
export const CONVERSION: Operators = {
  $convert: convert,
  $toDouble: to('double'),
  $toString: to('string'),
  $toObjectId: to('objectId'),
  $toBool: to('bool'),
  $toDate: to('date'),
  $toInt: to('int'),
  $toLong: to('long'),
  $toDecimal: to('decimal'),
  $type: unary((value) => bsonTypeOf(value)),
  $isNumber: unary((value) => isNumeric(value)),
};
