/** Converts values of a source to their stored form (docs/architecture.md, "How content is stored"). */

import { Decimal128, Long } from 'bson';
import { isTextType, scalarOf } from '../../schema/scalars/index.js';
import type { ScalarType } from '../../schema/types.js';
import { isBson } from '../../values/bson.js';

/** The result for values that the type cannot hold. */
export const NOT_HELD = Symbol('unfit');

type Convert = (value: unknown) => unknown;

const LONG_MIN = -(2n ** 63n);
const LONG_MAX = 2n ** 63n - 1n;
const DIGITS = /^[+-]?\d+$/;
/** Number of digits that a Decimal128 holds exactly. */
const MAX_DIGITS = 34;

const isNumeric = (value: unknown): boolean =>
  isBson(value, 'Long') || isBson(value, 'Decimal128') || isBson(value, 'Int32') || isBson(value, 'Double');

const text: Convert = (value) => {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' || isNumeric(value)
    ? String(value)
    : NOT_HELD;
};

const number: Convert = (value) => {
  if (typeof value === 'number') return Number.isFinite(value) ? value : NOT_HELD;
  if (isNumeric(value)) return Number(String(value));
  return typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value))
    ? Number(value)
    : NOT_HELD;
};

/** Keeps every digit: as a 64-bit integer or, if it is larger, as a decimal. */
const biginteger: Convert = (value) => {
  const whole = typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value;
  const digits = typeof whole === 'object' && !isNumeric(whole) ? '' : String(whole).trim();
  if (!DIGITS.test(digits)) return NOT_HELD;
  const exact = BigInt(digits.replace(/^\+/, ''));
  if (exact >= LONG_MIN && exact <= LONG_MAX) return Long.fromString(exact.toString());
  return exact.toString().replace('-', '').length > MAX_DIGITS
    ? NOT_HELD
    : Decimal128.fromString(exact.toString());
};

const decimal: Convert = (value) => {
  if (isBson(value, 'Decimal128')) return value;
  const known = number(value);
  if (known === NOT_HELD) return NOT_HELD;
  const written = String(typeof value === 'string' ? value.trim() : value);
  try {
    return Decimal128.fromString(written);
  } catch {
    return Decimal128.fromString(String(known));
  }
};

const boolean: Convert = (value) => {
  if (typeof value === 'boolean') return value;
  if (value === 1 || value === '1' || value === 'true') return true;
  return value === 0 || value === '0' || value === 'false' ? false : NOT_HELD;
};

/** Converts as queries do, discarding the error message. */
const asQuery =
  (type: ScalarType): Convert =>
  (value) => {
    if (Array.isArray(value)) return NOT_HELD;
    const read = scalarOf(type).fromQuery(isBson(value) ? String(value) : value);
    return 'value' in read ? read.value : NOT_HELD;
  };

const time: Convert = (value) => {
  const written =
    value instanceof Date && !Number.isNaN(value.getTime()) ? value.toISOString().slice(11, 23) : value;
  const found =
    typeof written === 'string'
      ? /^((?:[01]\d|2[0-3]):[0-5]\d)(?::([0-5]\d)(?:\.(\d+))?)?$/.exec(written)
      : null;
  if (!found) return NOT_HELD;
  return `${found[1]}:${found[2] ?? '00'}.${(found[3] ?? '').slice(0, 3).padEnd(3, '0')}`;
};

const instant = asQuery('datetime');

/** The instant given as ISO text, milliseconds or a `Date`; null for anything else. */
export const instantOf = (value: unknown): Date | null => {
  const moment = value === null ? null : instant(value);
  return moment instanceof Date ? moment : null;
};

const same: Convert = (value) => value;
const list: Convert = (value) => (Array.isArray(value) ? value : NOT_HELD);

const OWN: Readonly<Partial<Record<ScalarType, Convert>>> = {
  integer: number,
  float: number,
  biginteger,
  decimal,
  boolean,
  time,
  json: same,
  blocks: list,
};

const converterOf = (type: ScalarType): Convert => OWN[type] ?? (isTextType(type) ? text : asQuery(type));

/** The stored form of a value; null stays null. `NOT_HELD` if the type or MongoDB cannot hold it. */
export const convert = (type: ScalarType, value: unknown): unknown => {
  if (value === null || value === undefined) return null;
  return isStorable(value) ? converterOf(type)(value) : NOT_HELD;
};

const MAX_DEPTH = 90;

/**
 * MongoDB allows neither unpaired surrogates nor zero characters in keys, and the driver interprets
 * `_bsontype`.
 */
export function isStorable(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return !/\p{Surrogate}/u.test(value);
  if (typeof value !== 'object' || value === null || value instanceof Date || isBson(value)) return true;
  if (depth > MAX_DEPTH) return false;
  if (Array.isArray(value)) return value.every((member) => isStorable(member, depth + 1));
  return Object.entries(value).every(
    ([key, member]) =>
      key !== '_bsontype' && !key.includes('\u0000') && isStorable(key) && isStorable(member, depth + 1),
  );
}
