import { type Document, Long, Timestamp } from 'bson';
import { fail } from '../errors.js';
import { aNumber, anInteger, argument, checkArgument } from '../expressions/argument.js';
import { add, multiply } from '../values/arithmetic.js';
import { valueComparer } from '../values/compare.js';
import { makeInteger, readNumber } from '../values/numbers.js';
import { shellText } from '../values/shell-text.js';
import { bsonTypeOf, isDocument, isNumeric } from '../values/types.js';
import type { CompileChange, UpdateContext, UpdateOperator } from './options.js';

/** How messages identify a document. */
export const nameDocument = ({ document }: UpdateContext): string => `{_id: ${shellText(document['_id'])}}`;

const isInteger = (value: unknown): boolean => ['int', 'long'].includes(bsonTypeOf(value));

const arithmetic = (
  name: string,
  verb: string,
  combine: (a: unknown, b: unknown) => unknown,
  ofMissing: (operand: unknown) => unknown,
): UpdateOperator => ({
  takes: aNumber('TypeMismatch', `Cannot ${verb} with non-numeric argument: {$key: $value}`),
  compile: (operand, path) => (value, context) => {
    if (value === undefined) return ofMissing(operand);
    const of = nameDocument(context);
    if (!isNumeric(value)) {
      const where = `${of} has the field '${path.split('.').at(-1)}' of non-numeric type ${bsonTypeOf(value)}`;
      return fail('TypeMismatch', `Cannot apply ${name} to a value of non-numeric type. ${where}`);
    }
    const result = combine(value, operand);
    if (isInteger(value) && isInteger(operand) && !isInteger(result)) {
      const current = `current value (${String(value)}) for document ${of}`;
      fail('BadValue', `Failed to apply ${name} operations to ${current}`);
    }
    return result;
  },
});

function extreme(sign: 1 | -1): CompileChange {
  return (operand, _path, { collation }) => {
    const compare = valueComparer(collation);
    return (value) => (value === undefined || compare(operand, value) * sign > 0 ? operand : value);
  };
}

const typeOfDate = (operand: unknown): unknown => (isDocument(operand) ? operand['$type'] : operand);

const currentDate: UpdateOperator = {
  takes: argument((value): value is unknown =>
    [true, false, 'date', 'timestamp'].some((known) => known === typeOfDate(value)),
  )(
    'BadValue',
    "The '$$type' string field is required to be 'date' or 'timestamp': {$op: {field : {$$type: 'date'}}}",
  ),
  compile:
    (operand, _path, { now }) =>
    () => {
      const time = now ?? new Date();
      if (typeOfDate(operand) !== 'timestamp') return time;
      return new Timestamp({ t: Math.floor(time.getTime() / 1000), i: 1 });
    },
};

const BITS: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
};

const BIT = argument((value): value is unknown => isDocument(value) && Object.keys(value).length > 0)(
  'BadValue',
  'The $op modifier is not compatible with a $type. You must pass in an embedded document: {$bit: {field: {and/or/xor: #}}',
);
const MASK = anInteger(
  'BadValue',
  "The $op modifier field must be an Integer(32/64 bit); a '$type' is not supported here",
);

const bit: CompileChange = (operand, path) => {
  const masks = Object.entries(operand as Document);
  for (const [name, value] of masks) {
    const only = `only supports 'and', 'or', and 'xor', not '${name}' which is an unknown operator`;
    if (!(name in BITS)) fail('BadValue', `The $bit modifier ${only}`);
    checkArgument(MASK, value, '$bit');
  }
  return (value, context) => {
    if (value !== undefined && !isInteger(value)) {
      fail(
        'BadValue',
        `Cannot apply $bit to a value of non-integral type.${nameDocument(context)} has the field ${path} of non-integer type ${bsonTypeOf(value)}`,
      );
    }
    let bits: bigint | undefined;
    let long = bsonTypeOf(value) === 'long';
    if (value !== undefined) bits = BigInt(readNumber(value)?.value as bigint);
    for (const [name, mask] of masks) {
      long ||= bsonTypeOf(mask) === 'long';
      bits = BITS[name]?.(bits ?? 0n, BigInt(readNumber(mask)?.value as bigint));
    }
    return makeInteger(bits ?? 0n, long ? 'long' : 'int');
  };
};

const set: CompileChange = (operand) => () => operand;

/** Zero in the type of a number. */
function zeroOf(operand: unknown): unknown {
  return bsonTypeOf(operand) === 'long' ? Long.ZERO : multiply(operand, 0);
}

/** Operators on fields of any type; `$rename` is handled beside them. */
export const FIELD_OPERATORS: Readonly<Record<string, UpdateOperator>> = {
  $set: { compile: set },
  $inc: arithmetic('$inc', 'increment', add, (operand) => operand),
  $mul: arithmetic('$mul', 'multiply', multiply, zeroOf),
  $min: { compile: extreme(-1) },
  $max: { compile: extreme(1) },
  $currentDate: currentDate,
  $bit: { takes: BIT, compile: bit },
  $setOnInsert: {
    compile:
      (operand) =>
      (value, { inserting }) =>
        inserting ? operand : value,
  },
  $unset: { compile: () => () => undefined, neverCreates: true, anyWay: true },
};
