import { isBson } from '../values/bson.js';

/** The kinds of stored values that schemas distinguish. */
export type Kind =
  | 'string'
  | 'int'
  | 'long'
  | 'double'
  | 'decimal'
  | 'bool'
  | 'date'
  | 'objectId'
  | 'uuid'
  | 'dbRef'
  | 'null'
  | 'array'
  | 'object'
  | 'other';

const BSON_KINDS: Readonly<Record<string, Kind>> = {
  Int32: 'int',
  Long: 'long',
  Double: 'double',
  Decimal128: 'decimal',
  ObjectId: 'objectId',
};

const PLAIN_KINDS: Readonly<Record<string, Kind>> = {
  string: 'string',
  boolean: 'bool',
  number: 'double',
  bigint: 'long',
};

interface BsonValue {
  readonly _bsontype: string;
  readonly sub_type?: number;
  readonly db?: string;
}

/** The kind of a value that was read with its BSON type. */
export function kindOf(value: unknown): Kind {
  if (value === null || value === undefined) return 'null';
  if (typeof value !== 'object') return PLAIN_KINDS[typeof value] ?? 'other';
  if (Array.isArray(value)) return 'array';
  if (value instanceof Date) return 'date';
  if (!isBson(value)) return 'object';
  const { _bsontype: name, sub_type: subtype, db } = value as BsonValue;
  // Relations cannot lead to another database.
  if (name === 'DBRef' && !db) return 'dbRef';
  return name === 'Binary' || name === 'UUID'
    ? subtype === 4 || name === 'UUID'
      ? 'uuid'
      : 'other'
    : (BSON_KINDS[name] ?? 'other');
}

export const NUMBERS: ReadonlySet<Kind> = new Set(['int', 'long', 'double', 'decimal']);
