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
const wholeText: Reader = (value) => (/^[+-]?\d+$/.test(String(value)) ? String(value) : UNFIT);
const shaped =
  (pattern: RegExp): Reader =>
  (value) =>
    typeof value === 'string' && pattern.test(value) ? value : UNFIT;
const instant: Reader = (value) =>
  (typeof value === 'string' || typeof value === 'number') && !Number.isNaN(new Date(value).getTime())
    ? value
    : UNFIT;

/** SPEC D.4: what a default looks like, by type, and what to say where it does not. */
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
  date: [shaped(/^\d{4}-\d{2}-\d{2}/), 'a date such as "2024-01-31"'],
  time: [shaped(/^\d{1,2}:\d{2}(:\d{2}(\.\d{1,3})?)?$/), 'a time such as "08:30:00.000"'],
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
