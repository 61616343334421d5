import type { Binary, BSONRegExp, Code, Document, ObjectId, Timestamp } from 'bson';
import { type Collation, type CompareStrings, compareBytewise, stringComparer } from './collation.js';
import { FarDate, millisecondsOf } from './far-date.js';
import { compareNumbers } from './numbers.js';
import { type BsonType, bsonTag, bsonTypeOf } from './types.js';
import { tick } from './work.js';

/** The rank of each type in MongoDB's cross-type order. Types with the same rank compare by value. */
const TYPE_ORDER: Readonly<Record<BsonType, number>> = {
  minKey: -1,
  missing: 0,
  undefined: 0,
  null: 5,
  int: 10,
  long: 10,
  double: 10,
  decimal: 10,
  string: 15,
  symbol: 15,
  object: 20,
  array: 25,
  binData: 30,
  objectId: 35,
  bool: 40,
  date: 45,
  timestamp: 47,
  regex: 50,
  dbPointer: 55,
  javascript: 60,
  javascriptWithScope: 65,
  maxKey: 127,
};

/** Orders two values; negative, zero or positive. */
export type Compare = (a: unknown, b: unknown) => number;

/** The rank of a value's type in the cross-type order. */
export function typeOrder(value: unknown): number {
  if (typeof value === 'string') return 15;
  if (typeof value === 'number') return 10;
  return TYPE_ORDER[bsonTypeOf(value)];
}

const order = <T extends string | number | bigint | boolean>(a: T, b: T): number =>
  a < b ? -1 : a > b ? 1 : 0;

function bytesOf(value: unknown): { bytes: Uint8Array; subtype: number } {
  if (value instanceof Uint8Array) return { bytes: value, subtype: 0 };
  const binary = value as Binary;
  return { bytes: binary.buffer.subarray(0, binary.position), subtype: binary.sub_type };
}

function compareBinary(a: unknown, b: unknown): number {
  const left = bytesOf(a);
  const right = bytesOf(b);
  return (
    order(left.bytes.length, right.bytes.length) ||
    order(left.subtype, right.subtype) ||
    Buffer.compare(left.bytes, right.bytes)
  );
}

/** Pattern and options of a regular expression of either representation. */
export function regexParts(value: unknown): { pattern: string; options: string } {
  if (value instanceof RegExp) {
    const options = [...value.flags].filter((flag) => 'ims'.includes(flag)).sort();
    return { pattern: value.source, options: options.join('') };
  }
  const regex = value as BSONRegExp;
  return { pattern: regex.pattern, options: regex.options };
}

function compareRegex(a: unknown, b: unknown): number {
  const left = regexParts(a);
  const right = regexParts(b);
  return order(left.pattern, right.pattern) || order(left.options, right.options);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : String(value));

function compareArrays(a: readonly unknown[], b: readonly unknown[], compare: Compare): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    tick();
    const result = compare(a[i] ?? null, b[i] ?? null);
    if (result !== 0) return result;
  }
  return a.length - b.length;
}

/** Documents compare field by field in order: type, then name, then value. */
function compareDocuments(a: Document, b: Document, compare: Compare): number {
  const left = Object.keys(a).filter((key) => a[key] !== undefined);
  const right = Object.keys(b).filter((key) => b[key] !== undefined);
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) {
    const x = left[i] as string;
    const y = right[i] as string;
    const result = order(typeOrder(a[x]), typeOrder(b[y])) || compareBytewise(x, y) || compare(a[x], b[y]);
    if (result !== 0) return result;
  }
  return left.length - right.length;
}

/** An order of strings, and the order over all values that is based on it. */
interface Orders {
  readonly strings: CompareStrings;
  readonly self: Compare;
}

function compareSameType(a: unknown, b: unknown, place: number, { strings, self }: Orders): number {
  switch (place) {
    case 10:
      return compareNumbers(a, b);
    case 15:
      return strings(textOf(a), textOf(b));
    case 20:
      return compareDocuments(a as Document, b as Document, self);
    case 25:
      return compareArrays(a as unknown[], b as unknown[], self);
    case 30:
      return compareBinary(a, b);
    case 35:
      return order((a as ObjectId).toHexString(), (b as ObjectId).toHexString());
    case 40:
      return order(a as boolean, b as boolean);
    case 45:
      return (
        order((a as Date).getTime(), (b as Date).getTime()) ||
        (a instanceof FarDate ? order(millisecondsOf(a), millisecondsOf(b as Date)) : 0)
      );
    case 47:
      return (a as Timestamp).compare(b as Timestamp);
    case 50:
      return compareRegex(a, b);
    case 60:
    case 65:
      return order((a as Code).code, (b as Code).code);
    default:
      return 0;
  }
}

/** Creates the order of a collation. */
function makeCompare(strings: CompareStrings): Compare {
  const compare: Compare = (a, b) => {
    if (typeof a === 'string' && typeof b === 'string') return strings(a, b);
    if (typeof a === 'number' && typeof b === 'number') {
      if (a < b) return -1;
      if (a > b) return 1;
      if (a === b) return 0;
    }
    const left = typeOrder(a);
    const right = typeOrder(b);
    if (left !== right) return left < right ? -1 : 1;
    return compareSameType(a, b, left, orders);
  };
  const orders: Orders = { strings, self: compare };
  return compare;
}

/**
 * MongoDB's order over all BSON values, with strings by bytes. `undefined` means a missing value, which is below null; callers
 * that sort documents use null instead.
 */
export const compareValues: Compare = makeCompare(compareBytewise);

const collated = new Map<CompareStrings, Compare>();

/** The order over all values in which strings compare by a collation. */
export function valueComparer(collation?: Collation): Compare {
  const strings = stringComparer(collation);
  if (strings === compareBytewise) return compareValues;
  let compare = collated.get(strings);
  if (compare === undefined) {
    compare = makeCompare(strings);
    collated.set(strings, compare);
  }
  return compare;
}

/** Whether two values are equal, numbers across their types; documents with their members in the same order. */
export function equalValues(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a === 'string' || typeof b === 'string') {
    // A symbol equals the string of the same text; nothing else does.
    const other = typeof a === 'string' ? b : a;
    return (
      typeof other === 'object' &&
      other !== null &&
      bsonTag(other) === 'BSONSymbol' &&
      String(a) === String(b)
    );
  }
  return compareValues(a, b) === 0;
}
