import type { DBRef } from 'bson';

/** Set on every value of the bson package, and on nothing that came as JSON. */
const BSON_VERSION = Symbol.for('@@mdb.bson.version');

/**
 * Whether `value` is a BSON value (of this type) and not an object that merely says so: whatever a caller sends may hold a key
 * `_bsontype`. By its name, not its class, since the driver has a copy of the package of its own.
 */
export const isBson = (value: unknown, type?: string): boolean =>
  typeof value === 'object' &&
  value !== null &&
  BSON_VERSION in value &&
  '_bsontype' in value &&
  (type === undefined || value._bsontype === type);

/** The driver makes an object of this class of `{ $ref, $id }`. */
export const isDbRef = (value: unknown): value is DBRef => isBson(value, 'DBRef');

/**
 * How stored documents are read: 64-bit integers stay `Long`, so that every digit of a `biginteger` is kept (rules 0.4, 11); a pattern
 * of PCRE may be none of JavaScript's; nor is what others wrote always UTF-8.
 */
export const AS_STORED = { promoteLongs: false, bsonRegExp: true, validation: { utf8: false } } as const;
