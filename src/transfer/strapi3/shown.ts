/**
 * What Strapi 3 returned for values whose type differs from the attribute's, since mongoose casts them when
 * reading.
 */

import { isDeepStrictEqual } from 'node:util';
import type { ScalarType } from '../../schema/types.js';
import { isBson } from '../../values/bson.js';
import { convert, UNFIT } from '../source/convert.js';
import { castValue, NO, plain, TEXTS, YES } from './cast.js';

/** Values that cannot be cast are omitted from responses. */
const ABSENT = Symbol('absent');

type Show = (value: unknown, name: string) => unknown;

const isNumeric = (value: unknown): boolean =>
  typeof value === 'bigint' || isBson(value, 'Long') || isBson(value, 'Int32') || isBson(value, 'Double');
const isDecimal = (value: unknown): boolean => isBson(value, 'Decimal128');

/** The format of `Date.prototype.toString` on a server in UTC. */
function longText(date: Date): string {
  const [day = '', number = '', month = '', year = '', time = ''] = date.toUTCString().split(' ');
  return `${day.slice(0, 3)} ${month} ${number} ${year} ${time} GMT+0000 (Coordinated Universal Time)`;
}

const text: Show = (value) => {
  if (typeof value === 'string') return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? ABSENT : longText(value);
  const isScalar = typeof value === 'number' || typeof value === 'boolean';
  return isScalar || isNumeric(value) || isDecimal(value) || isBson(value, 'ObjectId')
    ? String(value)
    : ABSENT;
};

const integer: Show = (value) => {
  if (value === '') return null;
  const isScalar = typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string';
  const number =
    isScalar || isNumeric(value) || isDecimal(value) ? Number(String(Number(value))) : Number.NaN;
  return Number.isFinite(number) ? number : ABSENT;
};

/**
 * Rounds to `places` decimals; for a string that is not a number, the response contained the error itself.
 */
const rounded =
  (places: number): Show =>
  (value, name) => {
    if (typeof value !== 'number' && typeof value !== 'string' && !isNumeric(value)) return ABSENT;
    const number = Number(value);
    if (Number.isNaN(number)) return { stringValue: '"NaN"', kind: 'Number', value: null, path: name };
    return Number(number.toFixed(places));
  };

const biginteger: Show = (value) => {
  if (typeof value === 'number') return Number.isFinite(value) ? String(BigInt(Math.trunc(value))) : ABSENT;
  const isWhole = isNumeric(value) || (typeof value === 'string' && /^-?\d+$/.test(value));
  return isWhole ? String(BigInt.asIntN(64, BigInt(String(value)))) : ABSENT;
};

const boolean: Show = (value) =>
  typeof value === 'boolean' ? value : YES.has(value) ? true : NO.has(value) ? false : ABSENT;

const datetime: Show = (value) => {
  const date = typeof value === 'string' || typeof value === 'number' ? new Date(value) : value;
  return date instanceof Date && !Number.isNaN(date.getTime()) ? date.toISOString() : ABSENT;
};

const SHOW: Readonly<Record<string, Show | null>> = {
  ...Object.fromEntries(TEXTS.map((type) => [type, text])),
  password: null,
  integer,
  float: rounded(20),
  decimal: rounded(2),
  biginteger,
  boolean,
  datetime,
};

/** The JSON value in responses now, and the one in Strapi 3; without `then`, there was none. */
interface ShownOtherwise {
  readonly now: unknown;
  readonly then?: unknown;
}

/** Null if both are the same. */
export function shownOtherwise(type: string, value: unknown, name: string): ShownOtherwise | null {
  const show = SHOW[type];
  if (!show || value === null || value === undefined) return null;
  const then = show(value, name);
  const now = rendered(type, convert(type as ScalarType, castValue(type, value).value));
  if (then === ABSENT) return { now };
  return isDeepStrictEqual(now, then) ? null : { now, then };
}

function rendered(type: string, value: unknown): unknown {
  if (value === UNFIT) return null;
  if (value instanceof Date) return value.toISOString();
  if (type === 'decimal' || type === 'float' || type === 'integer') return Number(String(value));
  return type === 'biginteger' ? String(value) : plain(value);
}
