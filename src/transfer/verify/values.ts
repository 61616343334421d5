/** Whether a stored value is that of the source, whatever forms the two have. */

import { isBson } from '../../values/bson.js';
import { parseInstant } from '../../values/instant.js';
import { isObject } from '../../values/plain-object.js';

const isNil = (value: unknown): value is null | undefined => value === null || value === undefined;

const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i;

/** All digits of a number and its exponent, in one form: `1.50`, `15e-1` and `+1.5` are the same. */
function digitsOf(value: unknown): string | null {
  const isNumeric =
    ['number', 'bigint', 'string'].includes(typeof value) ||
    ['Long', 'Decimal128', 'Int32', 'Double'].some((type) => isBson(value, type));
  const found = isNumeric ? NUMBER.exec(String(value).trim()) : null;
  if (!found) return null;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = found;
  if (whole + fraction === '') return null;
  const digits = (whole + fraction).replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  if (kept === '') return '0';
  const power = Number(exponent) - fraction.length + (digits.length - kept.length);
  return `${sign === '-' ? '-' : ''}${kept}e${power}`;
}

const ISO = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;
const TIME = /^\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/;

/** Milliseconds; null if it is not an instant. */
function instantOf(value: unknown): number | null {
  if (value instanceof Date) return value.getTime();
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  return typeof value === 'string' ? (parseInstant(value)?.getTime() ?? null) : null;
}

/** A time of day with three decimals. */
const timeOf = (text: string): string => {
  const [clock = '', fraction = ''] = text.split('.');
  return `${clock.length === 5 ? `${clock}:00` : clock}.${fraction.slice(0, 3).padEnd(3, '0')}`;
};

const TRUTHS = new Map<unknown, boolean>([
  ...(['true', '1', 1, true] as const).map((value) => [value, true] as const),
  ...(['false', '0', 0, false] as const).map((value) => [value, false] as const),
]);

function sameText(given: unknown, stored: string): boolean {
  if (given === stored) return true;
  if (given instanceof Date) return given.toISOString() === stored;
  if (typeof given !== 'string') return isObject(given) && !isBson(given) ? false : String(given) === stored;
  if (TIME.test(given) && TIME.test(stored)) return timeOf(given) === timeOf(stored);
  // A date given with a time of day.
  return stored.length === 10 && given.startsWith(stored) && ISO.test(given) && ISO.test(stored);
}

/** Whether an attribute of one value has the value of the source. */
export function isSameValue(given: unknown, stored: unknown): boolean {
  if (isNil(given)) return isNil(stored) || (Array.isArray(stored) && stored.length === 0);
  if (isNil(stored)) return false;
  if (stored instanceof Date) return instantOf(given) === stored.getTime();
  if (typeof stored === 'boolean') return TRUTHS.get(given) === stored;
  if (typeof stored === 'string') return sameText(given, stored);
  // A double holds about 17 digits, of which the source may write more.
  if (typeof stored === 'number' && Number(given) === stored) return true;
  const digits = digitsOf(given);
  return digits === null ? isSameJson(given, stored) : digits === digitsOf(stored);
}

/** The same within JSON, where every value has one form only, apart from numbers. */
function isSameJson(given: unknown, stored: unknown): boolean {
  if (isNil(given) || isNil(stored)) return isNil(given) && isNil(stored);
  if (Array.isArray(given) || Array.isArray(stored))
    return (
      Array.isArray(given) &&
      Array.isArray(stored) &&
      given.length === stored.length &&
      given.every((member, at) => isSameJson(member, stored[at]))
    );
  if (given instanceof Date || stored instanceof Date) return instantOf(given) === instantOf(stored);
  const digits = typeof given === 'string' ? null : digitsOf(given);
  if (digits !== null) return digits === digitsOf(stored);
  if (!isObject(given) || !isObject(stored) || isBson(given) || isBson(stored))
    return given === stored || (isBson(given) && String(given) === String(stored));
  const names = Object.keys(given);
  return (
    names.length === Object.keys(stored).length &&
    names.every((name) => Object.hasOwn(stored, name) && isSameJson(given[name], stored[name]))
  );
}

/** The forms in which a single value may be found where it was moved. */
export function formsOf(leaf: unknown): readonly string[] {
  const forms = [`text ${leaf instanceof Date ? leaf.toISOString() : String(leaf)}`];
  if (typeof leaf === 'string' && /^[0-9a-f]{24}$/i.test(leaf)) forms.push(`text ${leaf.toLowerCase()}`);
  const digits = digitsOf(leaf);
  if (digits !== null) forms.push(`number ${digits}`);
  const truth = TRUTHS.get(leaf) ?? (leaf === 'yes' ? true : leaf === 'no' ? false : undefined);
  if (truth !== undefined) forms.push(`truth ${truth}`);
  const isMoment = leaf instanceof Date || (typeof leaf === 'string' ? ISO.test(leaf) : digits !== null);
  const moment = isMoment ? instantOf(leaf) : null;
  if (moment !== null && !Number.isNaN(moment) && Math.abs(moment) <= 8.64e15) {
    const iso = new Date(moment).toISOString();
    forms.push(`moment ${iso}`);
    if (leaf instanceof Date || typeof leaf === 'string')
      forms.push(`text ${iso.slice(0, 10)}`, `text ${iso.slice(11, 23)}`);
  }
  if (typeof leaf === 'string' && TIME.test(leaf)) forms.push(`text ${timeOf(leaf)}`);
  return forms;
}

/** Every single value within a value. */
export function* leavesOf(value: unknown): Generator<unknown> {
  if (isNil(value)) return;
  if (Array.isArray(value)) for (const member of value) yield* leavesOf(member);
  else if (isObject(value) && !isBson(value) && !(value instanceof Date) && !(value instanceof RegExp))
    for (const member of Object.values(value)) yield* leavesOf(member);
  else yield value;
}
