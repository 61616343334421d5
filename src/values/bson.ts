import type { DBRef } from 'bson';
import { isPlainObject } from './plain-object.js';

/** Set by the bson package on each of its values; nothing parsed from JSON has it. */
const BSON_VERSION = Symbol.for('@@mdb.bson.version');

/**
 * Whether `value` is a BSON value (of this type), and not a client's object that merely has a key
 * `_bsontype`. Checks a symbol rather than the class, since the driver bundles its own copy of the package.
 */
export const isBson = (value: unknown, type?: string): boolean =>
  typeof value === 'object' &&
  value !== null &&
  BSON_VERSION in value &&
  '_bsontype' in value &&
  (type === undefined || value._bsontype === type);

/** The driver returns `{ $ref, $id }` as an instance of this class. */
export const isDbRef = (value: unknown): value is DBRef => isBson(value, 'DBRef');

/** Whether the server has a document here, which may have the form of a DBRef. */
export const isStoredDocument = (value: unknown): value is Record<string, unknown> =>
  isPlainObject(value) || isDbRef(value);

/** The members of such a document. */
export const membersOf = (value: Record<string, unknown>): Record<string, unknown> =>
  isDbRef(value) ? value.toJSON() : value;

/**
 * Options for decoding stored documents. 64-bit integers stay `Long`, so that a `biginteger` keeps all its
 * digits; PCRE patterns may not be valid in JavaScript; strings stored by other programs may not be valid
 * UTF-8.
 */
export const AS_STORED = { promoteLongs: false, bsonRegExp: true, validation: { utf8: false } } as const;
