import { Binary, calculateObjectSize } from 'bson';
import { fail } from '../errors.js';
import { metadataOf } from '../values/metadata.js';
import { makeInteger, type Numeric, readNumber, toDouble } from '../values/numbers.js';
import { bsonTypeOf, isNullish } from '../values/types.js';
import { anInteger, anObject, aTimestamp } from './argument.js';
import { constant, type Operator, type Operators, since, unary, variadic } from './operator.js';

const BITS = anInteger('TypeMismatch', '$op only supports int and long operands, not $type');

function bitwise(start: bigint, combine: (a: bigint, b: bigint) => bigint): Operator {
  const combineAll = (values: Iterable<unknown>): unknown => {
    let out = start;
    let least: 'int' | 'long' = 'int';
    for (const value of values) {
      const number = readNumber(value) as Whole;
      if (number.type === 'long') least = 'long';
      out = combine(out, BigInt(number.value));
    }
    return makeInteger(out, least);
  };
  return since(6.3, variadic(combineAll, BITS));
}

type Whole = Numeric & { readonly type: 'int' | 'long' };

const unsupported =
  (name: string): Operator =>
  () =>
    fail('NotImplemented', `${name} is not supported by this engine`);

function binarySize(value: unknown): unknown {
  if (isNullish(value)) return null;
  if (typeof value === 'string') return Buffer.byteLength(value, 'utf8');
  if (value instanceof Uint8Array) return value.length;
  // The old subtype repeats its length inside its bytes.
  if (value instanceof Binary) return Math.max(0, value.position - (value.sub_type === 2 ? 4 : 0));
  return fail(51276, `$binarySize requires a string or BinData argument, found: ${bsonTypeOf(value)}`);
}

/** Metadata of text and geo searches. */
const OF_SEARCHES = [
  'textScore',
  'searchScore',
  'searchHighlights',
  'geoNearDistance',
  'geoNearPoint',
  'vectorSearchScore',
];

/** `$meta`: what is known about a document besides its fields. */
const meta: Operator = (operand, _scope, name) => {
  if (typeof operand !== 'string') return fail(17307, `${name} only supports string arguments`);
  if (OF_SEARCHES.includes(operand))
    return fail(40218, `query requires ${operand} metadata, but it is not available`);
  if (operand === 'randVal') return () => Math.random();
  if (operand !== 'sortKey' && operand !== 'indexKey' && operand !== 'recordId')
    return fail(17308, `Unsupported argument to ${name}: ${operand}`);
  return (root) => {
    const known = metadataOf(root)?.[operand];
    if (known === undefined && operand === 'sortKey')
      fail(40218, 'query requires sort key metadata, but it is not available');
    return known;
  };
};

/** `$tsSecond` and `$tsIncrement`, and MongoDB's code for anything but a timestamp. */
const partOfTimestamp = (part: 'high' | 'low', code: number): Operator =>
  since(
    5.1,
    unary(
      (value) => makeInteger(BigInt(value[part] >>> 0), 'long'),
      aTimestamp(code, '$op argument must be a timestamp, but is $type'),
    ),
  );

/** The remaining operators. */
export const MISCELLANY: Operators = {
  $literal: (operand) => constant(operand),
  $const: (operand) => constant(operand),
  $expr: (operand, scope) => scope.compile(operand),
  $rand: () => () => Math.random(),
  $sampleRate: (operand) => () => Math.random() < toDouble(operand),
  $bitAnd: bitwise(-1n, (a, b) => a & b),
  $bitOr: bitwise(0n, (a, b) => a | b),
  $bitXor: bitwise(0n, (a, b) => a ^ b),
  $bitNot: since(
    6.3,
    unary(
      (value) => {
        const number = readNumber(value) as Whole;
        return makeInteger(~BigInt(number.value), number.type);
      },
      anInteger('TypeMismatch', '$op only supports int and long, not: $type'),
    ),
  ),
  $bsonSize: unary(
    (document) => calculateObjectSize(document),
    anObject(31393, '$op requires a document input, found: $type'),
  ),
  $binarySize: unary(binarySize),
  $tsSecond: partOfTimestamp('high', 5687301),
  $tsIncrement: partOfTimestamp('low', 5687302),
  $meta: meta,
  $function: unsupported('$function'),
  $accumulator: unsupported('$accumulator'),
  $toHashedIndexKey: unsupported('$toHashedIndexKey'),
};
