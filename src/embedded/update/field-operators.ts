import { Long, Timestamp } from 'bson';
import { fail } from '../errors.js';
import { add, multiply } from '../values/arithmetic.js';
import { valueComparer } from '../values/compare.js';
import { makeInteger, readNumber } from '../values/numbers.js';
import { shellText } from '../values/shell-text.js';
import { bsonTypeOf, isDocument, isNumeric } from '../values/types.js';
import type { ChangeValue, UpdateContext, UpdateOptions } from './options.js';

/** Compiles the operand of one field of an operator. */
export type CompileChange = (operand: unknown, path: string, options: UpdateOptions) => ChangeValue;

/** How messages name a document. */
export const nameDocument = ({ document }: UpdateContext): string => `{_id: ${shellText(document['_id'])}}`;

const isInteger = (value: unknown): boolean => ['int', 'long'].includes(bsonTypeOf(value));

function arithmetic(
  name: string,
  verb: string,
  combine: (a: unknown, b: unknown) => unknown,
  ofMissing: (operand: unknown) => unknown,
): CompileChange {
  return (operand, path) => {
    if (!isNumeric(operand)) {
      return fail(
        'TypeMismatch',
        `Cannot ${verb} with non-numeric argument: {${path}: ${shellText(operand)}}`,
      );
    }
    return (value, context) => {
      if (value === undefined) return ofMissing(operand);
      if (!isNumeric(value)) {
        const where = `${nameDocument(context)} has the field '${path.split('.').at(-1)}' of non-numeric type ${bsonTypeOf(value)}`;
        return fail('TypeMismatch', `Cannot apply ${name} to a value of non-numeric type. ${where}`);
      }
      const result = combine(value, operand);
      if (isInteger(value) && isInteger(operand) && !isInteger(result)) {
        fail(
          'BadValue',
          `Failed to apply ${name} operations to current value (${String(value)}) for document ${nameDocument(context)}`,
        );
      }
      return result;
    };
  };
}

function extreme(sign: 1 | -1): CompileChange {
  return (operand, _path, { collation }) => {
    const compare = valueComparer(collation);
    return (value) => (value === undefined || compare(operand, value) * sign > 0 ? operand : value);
  };
}

const currentDate: CompileChange = (operand, _path, { now }) => {
  const type = isDocument(operand) ? operand['$type'] : operand;
  if (typeof type !== 'boolean' && type !== 'date' && type !== 'timestamp') {
    return fail(
      'BadValue',
      "The '$type' string field is required to be 'date' or 'timestamp': {$currentDate: {field : {$type: 'date'}}}",
    );
  }
  return () => {
    const time = now ?? new Date();
    if (type !== 'timestamp') return time;
    return new Timestamp({ t: Math.floor(time.getTime() / 1000), i: 1 });
  };
};

const BITS: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
};

const bit: CompileChange = (operand, path) => {
  if (!isDocument(operand) || Object.keys(operand).length === 0) {
    return fail(
      'BadValue',
      `The $bit modifier is not compatible with a ${bsonTypeOf(operand)}. You must pass in an embedded document: {$bit: {field: {and/or/xor: #}}`,
    );
  }
  for (const [name, value] of Object.entries(operand)) {
    if (!(name in BITS))
      fail(
        'BadValue',
        `The $bit modifier only supports 'and', 'or', and 'xor', not '${name}' which is an unknown operator`,
      );
    if (!isInteger(value))
      fail(
        'BadValue',
        `The $bit modifier field must be an Integer(32/64 bit); a '${bsonTypeOf(value)}' is not supported here`,
      );
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
    for (const [name, mask] of Object.entries(operand)) {
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

/** Operators on fields of any type; `$unset`, `$rename` and `$setOnInsert` are handled beside them. */
export const FIELD_OPERATORS: Readonly<Record<string, CompileChange>> = {
  $set: set,
  $inc: arithmetic('$inc', 'increment', add, (operand) => operand),
  $mul: arithmetic('$mul', 'multiply', multiply, zeroOf),
  $min: extreme(-1),
  $max: extreme(1),
  $currentDate: currentDate,
  $bit: bit,
  $setOnInsert:
    (operand) =>
    (value, { inserting }) =>
      inserting ? operand : value,
  $unset: () => () => undefined,
};
