import { fail } from '../errors.js';
import { fromLocal, offsetAt } from './timezone.js';

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const DAY = 86_400_000;

const pad = (value: number, width: number): string => String(value).padStart(width, '0');

/** The day of the year, from 1. */
export const dayOfYear = (local: Date): number =>
  Math.floor((local.getTime() - Date.UTC(local.getUTCFullYear(), 0, 1)) / DAY) + 1;

/** The weekday from Monday, 1, to Sunday, 7. */
export const isoWeekday = (local: Date): number => local.getUTCDay() || 7;

/** ISO 8601's week and the year that it belongs to. */
export function isoWeek(local: Date): { week: number; year: number } {
  const thursday = new Date(local.getTime() + (4 - isoWeekday(local)) * DAY);
  return { week: Math.floor((dayOfYear(thursday) - 1) / 7) + 1, year: thursday.getUTCFullYear() };
}

/** The week of the year with weeks that begin on Sunday, from 0. */
export const sundayWeek = (local: Date): number => Math.floor((dayOfYear(local) + 6 - local.getUTCDay()) / 7);

function offsetText(milliseconds: number): string {
  // Offsets of the time before zones have seconds, which neither form shows.
  const minutes = Math.floor(Math.abs(milliseconds) / 60_000);
  return `${milliseconds < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60), 2)}${pad(minutes % 60, 2)}`;
}

const FORMATS: Readonly<Record<string, (local: Date, offset: number) => string>> = {
  '%': () => '%',
  b: (local) => (MONTHS[local.getUTCMonth()] as string).slice(0, 3),
  B: (local) => MONTHS[local.getUTCMonth()] as string,
  d: (local) => pad(local.getUTCDate(), 2),
  G: (local) => pad(isoWeek(local).year, 4),
  H: (local) => pad(local.getUTCHours(), 2),
  j: (local) => pad(dayOfYear(local), 3),
  L: (local) => pad(local.getUTCMilliseconds(), 3),
  m: (local) => pad(local.getUTCMonth() + 1, 2),
  M: (local) => pad(local.getUTCMinutes(), 2),
  S: (local) => pad(local.getUTCSeconds(), 2),
  u: (local) => String(isoWeekday(local)),
  U: (local) => pad(sundayWeek(local), 2),
  V: (local) => pad(isoWeek(local).week, 2),
  w: (local) => String(local.getUTCDay() + 1),
  Y: (local) => pad(local.getUTCFullYear(), 4),
  z: (_local, offset) => offsetText(offset),
  Z: (_local, offset) => String(Math.trunc(offset / 60_000)),
};

/** Writes an instant as `$dateToString` does. Throws 18536 for an unknown format character. */
export function formatDate(instant: number, format: string, zone: string): string {
  const offset = offsetAt(zone, instant);
  const local = new Date(instant + offset);
  return format.replace(/%(.?)/gs, (_whole, letter: string) => {
    const write = Object.hasOwn(FORMATS, letter) ? FORMATS[letter] : undefined;
    if (write === undefined) return fail(18536, `Invalid format character '%${letter}' in format string`);
    return write(local, offset);
  });
}

const PATTERNS: Readonly<Record<string, string>> = {
  d: '(?<d>\\d{2})',
  G: '(?<G>\\d{4})',
  H: '(?<H>\\d{2})',
  j: '(?<j>\\d{3})',
  L: '(?<L>\\d{1,3})',
  m: '(?<m>\\d{2})',
  M: '(?<M>\\d{2})',
  S: '(?<S>\\d{2})',
  u: '(?<u>\\d)',
  V: '(?<V>\\d{2})',
  Y: '(?<Y>\\d{4})',
  b: '(?<b>[A-Za-z]{3})',
  B: '(?<B>[A-Za-z]+)',
  z: '(?<z>Z|[+-]\\d{2}:?\\d{2})',
  Z: '(?<Z>[+-]\\d{1,4})',
  '%': '%',
};

const patterns = new Map<string, RegExp>();

function patternOf(format: string): RegExp {
  let pattern = patterns.get(format);
  if (pattern === undefined) {
    const source = format.replace(/%(.?)|[\\^$.*+?()[\]{}|/]/gs, (whole, letter?: string) => {
      if (letter === undefined) return `\\${whole}`;
      return PATTERNS[letter] ?? fail(18536, `Invalid format character '%${letter}' in format string`);
    });
    pattern = new RegExp(`^${source}$`);
    patterns.set(format, pattern);
  }
  return pattern;
}

/** Throws 18536 where a format has a letter that is none of a date's parts. */
export const checkFormat = (format: string): void => void patternOf(format);

function refuse(text: string): never {
  return fail('ConversionFailure', `Error parsing date string '${text}'`);
}

function offsetOf(groups: Readonly<Record<string, string | undefined>>): number | undefined {
  const { z, Z } = groups;
  if (Z !== undefined) return Number(Z) * 60_000;
  if (z === undefined) return undefined;
  return z === 'Z' ? 0 : offsetAt(z, 0);
}

function monthOf(groups: Readonly<Record<string, string | undefined>>): number {
  const name = groups['b'] ?? groups['B'];
  if (name === undefined) return Number(groups['m'] ?? 1) - 1;
  return MONTHS.findIndex((month) => month.slice(0, 3).toLowerCase() === name.slice(0, 3).toLowerCase());
}

/** Reads a date by `$dateFromString`'s format. Throws ConversionFailure. */
export function parseFormatted(text: string, format: string, zone: string): Date {
  const groups = patternOf(format).exec(text)?.groups;
  if (groups === undefined) return refuse(text);
  const number = (name: string, otherwise: number): number => Number(groups[name] ?? otherwise);
  const year = number('Y', number('G', 1970));
  const local = new Date(0);
  local.setUTCFullYear(year, monthOf(groups), number('d', 1));
  if (groups['d'] !== undefined && local.getUTCDate() !== Number(groups['d'])) refuse(text);
  if (groups['j'] !== undefined) local.setUTCFullYear(year, 0, Number(groups['j']));
  if (groups['V'] !== undefined) {
    local.setUTCFullYear(year, 0, 4);
    local.setUTCDate(local.getUTCDate() - isoWeekday(local) + (number('V', 1) - 1) * 7 + number('u', 1));
  }
  if (number('H', 0) > 23 || number('M', 0) > 59 || number('S', 0) > 59) refuse(text);
  local.setUTCHours(
    number('H', 0),
    number('M', 0),
    number('S', 0),
    Number((groups['L'] ?? '0').padEnd(3, '0')),
  );
  const offset = offsetOf(groups);
  return new Date(offset === undefined ? fromLocal(local.getTime(), zone) : local.getTime() - offset);
}

/** Hours ahead of UTC of the zones that dates in words name; military letters besides. */
const ZONES: Readonly<Record<string, number>> = {
  UTC: 0,
  GMT: 0,
  WET: 0,
  BST: 1,
  CET: 1,
  WEST: 1,
  CEST: 2,
  EET: 2,
  EEST: 3,
  MSK: 3,
  EDT: -4,
  EST: -5,
  CDT: -5,
  CST: -6,
  MDT: -6,
  MST: -7,
  PDT: -7,
  PST: -8,
  AKDT: -8,
  AKST: -9,
  HST: -10,
  ...Object.fromEntries([...'ABCDEFGHI'].map((letter, i) => [letter, i + 1])),
  ...Object.fromEntries([...'KLM'].map((letter, i) => [letter, i + 10])),
  ...Object.fromEntries([...'NOPQRSTUVWXY'].map((letter, i) => [letter, -i - 1])),
  Z: 0,
};
const ZONE_AT_END = /(?<=[\d ])\s*(?:([A-Za-z]{1,4})|([+-]\d{2}(?::?\d{2})?))$/;

const ISO = /^(\d{4})-?(\d{2})(?:-?(\d{2}))?(?:[T ](\d{2}):?(\d{2})(?:[:.]?(\d{2})(?:[.,](\d{1,9}))?)?)?$/;
const ISO_WEEK = /^(\d{4})-?W(\d{2})(?:-?(\d))?$/;

/** Splits the zone off a date: its milliseconds ahead of UTC, undefined where there is none. */
function splitZone(text: string): { date: string; ahead: number | undefined } {
  const found = ZONE_AT_END.exec(text);
  const name = found?.[1]?.toUpperCase();
  const hours = name === undefined ? undefined : ZONES[name];
  const ahead =
    hours === undefined ? (found?.[2] === undefined ? undefined : offsetAt(found[2], 0)) : hours * HOUR;
  // A day or a month at the end is no offset.
  if (found === null || ahead === undefined || (found[2] !== undefined && !text.includes(':')))
    return { date: text, ahead: undefined };
  return { date: text.slice(0, found.index), ahead };
}

const HOUR = 3_600_000;

/** A date in words, as the clocks of its zone show it; in UTC's fields. */
function wordsOf(text: string): number {
  if (!/\d/.test(text) || !/[a-z]{3}|\//i.test(text)) return Number.NaN;
  return Date.parse(`${text.replace(/(\d)(?:st|nd|rd|th)\b/i, '$1')} UTC`);
}

function isoOf(text: string): number {
  const week = ISO_WEEK.exec(text);
  const local = new Date(0);
  if (week !== null) {
    local.setUTCFullYear(Number(week[1]), 0, 4);
    local.setUTCDate(
      local.getUTCDate() - isoWeekday(local) + (Number(week[2]) - 1) * 7 + Number(week[3] ?? 1),
    );
    return local.getTime();
  }
  const iso = ISO.exec(text);
  if (iso === null) return wordsOf(text);
  const [, year, month, day = '1', hour = '0', minute = '0', second = '0', fraction = '0'] = iso;
  local.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (local.getUTCDate() !== Number(day) || Number(hour) > 24 || Number(minute) > 59 || Number(second) > 59)
    return Number.NaN;
  const milliseconds = Number(fraction.padEnd(3, '0').slice(0, 3));
  return local.setUTCHours(Number(hour), Number(minute), Number(second), milliseconds);
}

/** Reads a date without a format: ISO 8601, or words as JavaScript reads them. Throws ConversionFailure. */
export function parseDate(text: string, zone = 'UTC'): Date {
  const { date, ahead } = splitZone(text.trim());
  const local = isoOf(date);
  if (Number.isNaN(local)) return refuse(text);
  return new Date(ahead === undefined ? fromLocal(local, zone) : local - ahead);
}
