import type { ScalarType } from './types.js';

type Reader = (value: unknown, options: readonly string[]) => unknown;

/** Not a default for this type. */
export const UNFIT: unique symbol = Symbol('unfit');

const text: Reader = (value) => (typeof value === 'string' ? value : UNFIT);
const numeric: Reader = (value) => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : UNFIT;
};
const whole: Reader = (value, options) => {
  const number = numeric(value, options);
  return Number.isInteger(number) ? number : UNFIT;
};
const wholeText: Reader = (value) => {
  const digits = String(value);
  return /^[+-]?\d{1,20}$/.test(digits) && BigInt(digits) === BigInt.asIntN(64, BigInt(digits))
    ? digits
    : UNFIT;
};
const day: Reader = (value) => {
  const [date] = /^\d{4}-\d{2}-\d{2}/.exec(String(value)) ?? [];
  return date !== undefined && isInstant(date) && new Date(date).toISOString().startsWith(date)
    ? value
    : UNFIT;
};
/** Seconds and fraction are filled in, since a write takes no shorter form (rules E.4). */
const time: Reader = (value) => {
  const [, hours = '', rest = '', seconds = ':00', fraction = ''] =
    /^(\d{1,2})(:[0-5]\d)(:[0-5]\d)?(?:\.(\d{1,3}))?$/.exec(String(value)) ?? [];
  if (hours === '' || Number(hours) > 23) return UNFIT;
  return `${hours.padStart(2, '0')}${rest}${seconds}.${fraction.padEnd(3, '0')}`;
};
const isInstant = (value: string | number): boolean => !Number.isNaN(new Date(value).getTime());
const instant: Reader = (value) => {
  if (typeof value === 'number') return isInstant(value) ? value : UNFIT;
  return typeof value === 'string' && /^\d{4}(?:$|-)/.test(value) && isInstant(value) ? value : UNFIT;
};

/** rules D.4: what a default looks like, by type, and what to say where it does not. */
const READERS: Readonly<Record<ScalarType, readonly [Reader, string]>> = {
  string: [text, 'text'],
  text: [text, 'text'],
  richtext: [text, 'text'],
  email: [text, 'text'],
  uid: [text, 'text'],
  password: [text, 'text'],
  blocks: [() => UNFIT, 'no default: blocks have none'],
  json: [(value) => value, 'any value'],
  enumeration: [(value, options) => (options.includes(String(value)) ? value : UNFIT), 'one of "enum"'],
  integer: [whole, 'a whole number'],
  biginteger: [wholeText, 'a whole number, in quotes'],
  float: [numeric, 'a number'],
  decimal: [numeric, 'a number'],
  date: [day, 'a date such as "2024-01-31"'],
  time: [time, 'a time such as "08:30:00.000"'],
  datetime: [instant, 'an ISO timestamp'],
  timestamp: [instant, 'an ISO timestamp or milliseconds'],
  boolean: [(value) => (typeof value === 'boolean' ? value : UNFIT), 'true or false'],
};

/**
 * The default of a schema file as it will be used. A function (schemas written in JavaScript) stays one; null means none.
 * @returns UNFIT where the type cannot have this default
 */
export function readDefault(type: ScalarType, value: unknown, options: readonly string[]): unknown {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'function' ? value : READERS[type][0](value, options);
}

/** What a default of this type looks like, for messages. */
export const defaultOf = (type: ScalarType): string => READERS[type][1];
