import type { Document } from 'bson';

/** Names of BSON types as used by `$type`; `missing` is an absent field. */
export type BsonType =
  | 'missing'
  | 'minKey'
  | 'null'
  | 'int'
  | 'long'
  | 'double'
  | 'decimal'
  | 'string'
  | 'symbol'
  | 'object'
  | 'array'
  | 'binData'
  | 'objectId'
  | 'bool'
  | 'date'
  | 'timestamp'
  | 'regex'
  | 'dbPointer'
  | 'javascript'
  | 'javascriptWithScope'
  | 'maxKey'
  | 'undefined';

/** BSON's type numbers, which `$type` accepts as well. */
export const TYPE_NUMBERS: Readonly<Record<Exclude<BsonType, 'missing'>, number>> = {
  double: 1,
  string: 2,
  object: 3,
  array: 4,
  binData: 5,
  undefined: 6,
  objectId: 7,
  bool: 8,
  date: 9,
  null: 10,
  regex: 11,
  dbPointer: 12,
  javascript: 13,
  symbol: 14,
  javascriptWithScope: 15,
  int: 16,
  timestamp: 17,
  long: 18,
  decimal: 19,
  minKey: -1,
  maxKey: 127,
};

const CLASS_TYPES: Readonly<Record<string, BsonType>> = {
  ObjectId: 'objectId',
  Long: 'long',
  Decimal128: 'decimal',
  Double: 'double',
  Int32: 'int',
  Binary: 'binData',
  Timestamp: 'timestamp',
  BSONRegExp: 'regex',
  Code: 'javascript',
  BSONSymbol: 'symbol',
  DBRef: 'object',
  MinKey: 'minKey',
  BsonUndefined: 'undefined',
  MaxKey: 'maxKey',
};

/** BSON's old type 6, which may occur in old data: a value like null. */
class BsonUndefined {
  readonly _bsontype = 'BsonUndefined';
}

/** The only value of BSON's type undefined; JavaScript's own means a missing field. */
export const UNDEFINED: object = Object.freeze(new BsonUndefined());

/** Whether a number is stored in BSON as a 32-bit integer. -0 is a double. */
export const isInt32 = (value: number): boolean => (value | 0) === value && !Object.is(value, -0);

/** The tag of the bson package's classes, or undefined. */
export const bsonTag = (value: object): string | undefined => (value as { _bsontype?: string })._bsontype;

/** Whether a value is an embedded document: a plain object, neither an array nor one of BSON's classes. */
export function isDocument(value: unknown): value is Document {
  if (typeof value !== 'object' || value === null) return false;
  const proto = Object.getPrototypeOf(value);
  return proto === Object.prototype || proto === null;
}

/** The BSON type of a value; `undefined` counts as missing. */
export function bsonTypeOf(value: unknown): BsonType {
  switch (typeof value) {
    case 'undefined':
      return 'missing';
    case 'string':
      return 'string';
    case 'number':
      return isInt32(value) ? 'int' : 'double';
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'long';
    case 'object':
      return objectType(value);
    default:
      return 'missing';
  }
}

function objectType(value: object | null): BsonType {
  if (value === null) return 'null';
  if (isDocument(value)) return 'object';
  if (Array.isArray(value)) return 'array';
  if (value instanceof Date) return 'date';
  const tag = bsonTag(value);
  if (tag === 'Code' && (value as { scope?: unknown }).scope) return 'javascriptWithScope';
  if (tag !== undefined && Object.hasOwn(CLASS_TYPES, tag)) return CLASS_TYPES[tag] as BsonType;
  if (value instanceof RegExp) return 'regex';
  if (value instanceof Uint8Array) return 'binData';
  return 'object';
}

/** Null, missing and BSON's undefined, which most operators treat alike. */
export const isNullish = (value: unknown): value is null | undefined =>
  value === null || value === undefined || value === UNDEFINED;

/** Whether a value is a document of operators: its first field begins with a dollar sign. */
export const hasOperator = (value: unknown): value is Document =>
  isDocument(value) && Object.keys(value)[0]?.startsWith('$') === true;

/** Whether a value is of one of the four numeric types. */
export function isNumeric(value: unknown): boolean {
  if (typeof value === 'number' || typeof value === 'bigint') return true;
  if (typeof value !== 'object' || value === null) return false;
  const tag = bsonTag(value);
  return tag === 'Long' || tag === 'Double' || tag === 'Decimal128' || tag === 'Int32';
}
