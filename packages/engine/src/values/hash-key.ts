import type { Decimal128, Long } from 'bson';
import { type Collation, collatedValue, isSimpleCollation } from './collation.js';
import { encodeValue } from './encode-key.js';
import { millisecondsOf } from './far-date.js';
import { compareNumbers, toDouble } from './numbers.js';
import { bsonTag } from './types.js';

/** A primitive for use in a Map or Set. */
export type HashKey = string | number | boolean | null | undefined;

function encoded(value: unknown): string {
  const out: number[] = [];
  encodeValue(out, value);
  return `e${Buffer.from(out).toString('latin1')}`;
}

function hashObject(value: object): HashKey {
  if (value instanceof Date) return `d${millisecondsOf(value)}`;
  switch (bsonTag(value)) {
    // Equal to the string of the same text.
    case 'BSONSymbol':
      return `s${String(value)}`;
    case 'ObjectId':
      return `o${(value as { toHexString(): string }).toHexString()}`;
    case 'Double':
    case 'Int32':
      return (value as { value: number }).value;
    case 'Long':
    case 'Decimal128': {
      // A double of the same value is used if there is one, so that equal numbers match.
      const double = toDouble(value);
      return compareNumbers(value as Long | Decimal128, double) === 0 ? double : encoded(value);
    }
    default:
      return encoded(value);
  }
}

/** A primitive that two values share exactly if they are equal, numbers across their types. */
export function hashKey(value: unknown): HashKey {
  switch (typeof value) {
    case 'string':
      return `s${value}`;
    case 'number':
    case 'boolean':
    case 'undefined':
      return value;
    case 'object':
      return value === null ? null : hashObject(value);
    default:
      return encoded(value);
  }
}

/** The hash for a collation: strings that it considers equal share a key. */
export function hasher(collation?: Collation): (value: unknown) => HashKey {
  if (collation === undefined || isSimpleCollation(collation)) return hashKey;
  return (value) => hashKey(collatedValue(value, collation));
}
