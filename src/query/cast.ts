/** Callers' values → stored BSON values, by attribute type (rules B.4). Null: the value does not fit the type. */
import { Decimal128, Long } from 'bson';
import type { ScalarType } from '../schema/types.js';
import type { RawValue } from './ast.js';
import { parseInstant, parseJson } from './instant.js';
import { forceBoolean } from './values.js';

/** A stored value, wrapped: JSON's own null is a value too. */
export type Cast = { readonly value: unknown } | { readonly message: string };

const ok = (value: unknown): Cast => ({ value });
const wrong = (message: string): Cast => ({ message });

const asText = (value: RawValue): Cast => ok(value instanceof Date ? value.toISOString() : String(value));

/** Number text as JavaScript reads it; never empty, never infinite. */
function numberOf(value: RawValue): number | null {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'number' && (typeof value !== 'string' || value.trim() === '')) return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

function asNumber(value: RawValue): Cast {
  const number = numberOf(value);
  return number === null ? wrong('Expected a valid number') : ok(number);
}

const largest = 2n ** 63n - 1n;

function asBigInteger(value: RawValue): Cast {
  if (Long.isLong(value)) return ok(value);
  const number = numberOf(value);
  if (number === null) return wrong('Expected a valid number');
  const text = String(value).trim();
  if (!/^[+-]?\d+$/.test(text)) return ok(number);
  const integer = BigInt(text.replace(/^\+/, ''));
  if (integer > largest || integer < -largest - 1n) return wrong('Expected a 64-bit integer');
  return ok(Long.fromBigInt(integer));
}

function asDecimal(value: RawValue): Cast {
  if (value instanceof Decimal128) return ok(value);
  const number = numberOf(value);
  if (number === null) return wrong('Expected a valid number');
  const text = String(value).trim();
  return ok(Decimal128.fromStringWithRounding(/^[+-]?\d+(\.\d+)?$/.test(text) ? text : String(number)));
}

function asDate(value: RawValue): Cast {
  const text = value instanceof Date ? value.toISOString() : String(value);
  const found = /^\d{4}-\d{2}-\d{2}/.exec(text)?.[0];
  return found !== undefined && parseInstant(found)
    ? ok(found)
    : wrong('Invalid format, expected yyyy-MM-dd');
}

function asTime(value: RawValue): Cast {
  const text = value instanceof Date ? value.toISOString().slice(11, 23) : String(value);
  const found = /^(2[0-3]|[01]?\d):([0-5]\d):([0-5]\d)(?:[.](\d{1,3}))?$/.exec(text);
  if (!found) return wrong('Invalid time format, expected HH:mm:ss.SSS');
  const [, hours = '', minutes, seconds, fraction = ''] = found;
  return ok(`${hours.padStart(2, '0')}:${minutes}:${seconds}.${fraction.padEnd(3, '0')}`);
}

function asInstant(value: RawValue): Cast {
  const instant = value instanceof Date ? value : parseInstant(String(value));
  return instant ? ok(instant) : wrong('Invalid format, expected a timestamp or an ISO date');
}

function asJson(value: RawValue): Cast {
  if (typeof value !== 'string') return ok(value);
  return parseJson(value) ?? wrong('Expected JSON text');
}

const casts: Readonly<Record<ScalarType, (value: RawValue) => Cast>> = {
  string: asText,
  text: asText,
  richtext: asText,
  email: asText,
  uid: asText,
  enumeration: asText,
  password: asText,
  json: asJson,
  blocks: asJson,
  integer: asNumber,
  float: asNumber,
  biginteger: asBigInteger,
  decimal: asDecimal,
  boolean: (value) => ok(forceBoolean(value)),
  date: asDate,
  time: asTime,
  datetime: asInstant,
  timestamp: asInstant,
};

/** Types whose stored form is text, for the operators that compare text as it is (rules B.5). */
export const textTypes: ReadonlySet<ScalarType> = new Set<ScalarType>([
  'string',
  'text',
  'richtext',
  'email',
  'uid',
  'enumeration',
  'password',
]);

export const numberTypes: ReadonlySet<ScalarType> = new Set<ScalarType>([
  'integer',
  'biginteger',
  'float',
  'decimal',
]);

/** Casts one value, null excepted. @example castValue('05', 'integer') // { value: 5 } */
export const castValue = (value: RawValue, type: ScalarType): Cast => casts[type](value);
