/** Casts values as mongoose does for Strapi 3 when their type differs from the attribute's. */

type Test = (value: unknown) => boolean;

const isText: Test = (value) => typeof value === 'string';
const isDate: Test = (value) => value instanceof Date;
const isNumber: Test = (value) => typeof value === 'number';
const isWhole: Test = (value) => typeof value === 'bigint' || Number.isInteger(value);

/** Types that Strapi 3 stores as strings. */
const TEXTS = ['string', 'text', 'richtext', 'email', 'password', 'uid', 'enumeration', 'date', 'time'];

/** The values that Strapi 3 stores for each type; any others were stored by another program. */
const EXPECTED: Readonly<Record<string, Test>> = {
  ...Object.fromEntries(TEXTS.map((type) => [type, isText])),
  integer: isWhole,
  biginteger: isWhole,
  float: isNumber,
  decimal: isNumber,
  boolean: (value) => typeof value === 'boolean',
  datetime: isDate,
};

const YES: ReadonlySet<unknown> = new Set<unknown>(['true', 'yes', '1', 1]);
const NO: ReadonlySet<unknown> = new Set<unknown>(['false', 'no', '0', 0]);

/** The value that Strapi 3 returns, and whether it differs from the stored one. */
export function castValue(type: string, value: unknown): { readonly value: unknown; readonly cast: boolean } {
  if (value === null || value === undefined) return { value: null, cast: false };
  if (type === 'json') return { value: plain(value), cast: false };
  if (EXPECTED[type]?.(value) ?? true)
    return { value: typeof value === 'bigint' ? String(value) : value, cast: false };
  if (value instanceof Date && isWritten(type) && !Number.isNaN(value.getTime()))
    return { value: longText(value), cast: true };
  if (type === 'boolean')
    return { value: YES.has(value) ? true : NO.has(value) ? false : plain(value), cast: true };
  return { value: plain(value), cast: true };
}

/** Whether a date becomes text, rather than a part of itself. */
const isWritten = (type: string): boolean => TEXTS.includes(type) && type !== 'date' && type !== 'time';

/** `Date.prototype.toString` on a server in UTC, which is what mongoose makes of a date. */
function longText(date: Date): string {
  const [day = '', number = '', month = '', year = '', time = ''] = date.toUTCString().split(' ');
  return `${day.slice(0, 3)} ${month} ${number} ${year} ${time} GMT+0000 (Coordinated Universal Time)`;
}

const NUMBERS = new Set(['integer', 'biginteger', 'float', 'decimal']);

/** Whether Strapi 3 can return the value at all; otherwise it returns the attribute's default. */
export function isCastable(type: string, value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (type === 'boolean') return typeof value === 'boolean' || YES.has(value) || NO.has(value);
  return !NUMBERS.has(type) || (!Array.isArray(value) && Number.isFinite(Number(String(plain(value)))));
}

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

const isBson = (value: object): value is { _bsontype: string; toString(): string } => '_bsontype' in value;

/** A BSON value in its JSON form; dates are unchanged. */
export function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return value <= SAFE && value >= -SAFE ? Number(value) : String(value);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (value instanceof RegExp || isBson(value)) return String(value);
  if (Array.isArray(value)) return value.map(plain);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}

/** The kind of a value, for messages. */
export const kindInWords = (value: unknown): string => {
  if (value instanceof Date) return 'a date';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null)
    return '_bsontype' in value ? String(value._bsontype) : 'an object';
  return typeof value === 'string' ? 'a string' : typeof value === 'boolean' ? 'true or false' : 'a number';
};

/** A date, possibly given as a string or milliseconds; null if it is not a date. */
export function dateOf(value: unknown): Date | null {
  const isMoment = typeof value === 'string' || typeof value === 'number';
  const date = value instanceof Date ? value : isMoment ? new Date(value) : null;
  return date && !Number.isNaN(date.getTime()) ? date : null;
}
