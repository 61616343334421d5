/** What Strapi 3 answered for values that are of another type than their attribute: mongoose casts them as it reads. */

import { isDeepStrictEqual } from 'node:util';
import type { ScalarType } from '../../schema/types.js';
import { isBson } from '../../values/bson.js';
import { convert, UNFIT } from '../source/convert.js';
import { castValue, NO, plain, TEXTS, YES } from './cast.js';

/** What cannot be cast is not answered at all. */
const ABSENT = Symbol('absent');

type Show = (value: unknown, name: string) => unknown;

const isNumeric = (value: unknown): boolean =>
  typeof value === 'bigint' || isBson(value, 'Long') || isBson(value, 'Int32') || isBson(value, 'Double');
const isDecimal = (value: unknown): boolean => isBson(value, 'Decimal128');

/** As `Date.prototype.toString` has it on a server whose clock is in UTC. */
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

/** Rounded to so many places; a string that is not a number was answered with the error itself. */
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

/** What is answered here, as JSON has it, and what Strapi 3 answered; without `then` it answered nothing. */
interface ShownOtherwise {
  readonly now: unknown;
  readonly then?: unknown;
}

/** Null where both answer the same. */
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
