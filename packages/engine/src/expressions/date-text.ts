import { fail } from '../errors.js';
import { zoneAhead } from './date-zones.js';
import { fromLocal, offsetAt } from './timezone.js';

export const MONTHS = [
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

/** The ISO 8601 week and the year that it belongs to. */
export function isoWeek(local: Date): { week: number; year: number } {
  const thursday = new Date(local.getTime() + (4 - isoWeekday(local)) * DAY);
  return { week: Math.floor((dayOfYear(thursday) - 1) / 7) + 1, year: thursday.getUTCFullYear() };
}

/** The week of the year with weeks that begin on Sunday, from 0. */
export const sundayWeek = (local: Date): number => Math.floor((dayOfYear(local) + 6 - local.getUTCDay()) / 7);

function offsetText(milliseconds: number): string {
  // Historical offsets of zones have seconds, which neither format shows.
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

/** Rejects a letter of a format: 18535 for a `%` at the end, 18536 for an unknown one. */
export const refuseLetter = (letter: string): never =>
  letter === ''
    ? fail(18535, "Unmatched '%' at end of format string")
    : fail(18536, `Invalid format character '%${letter}' in format string`);

/** Formats an instant as `$dateToString` does. Throws 18535 and 18536 for an invalid format. */
export function formatDate(instant: number, format: string, zone: string): string {
  const offset = offsetAt(zone, instant);
  const local = new Date(instant + offset);
  return format.replace(/%(.?)/gs, (_whole, letter: string) => {
    const write = Object.hasOwn(FORMATS, letter) ? FORMATS[letter] : undefined;
    return write === undefined ? refuseLetter(letter) : write(local, offset);
  });
}

/** Throws ConversionFailure for a string that is not a date. */
export function refuse(text: string, why = ''): never {
  return fail('ConversionFailure', `Error parsing date string '${text}'${why === '' ? '' : `; ${why}`}`);
}

const ISO = /^(\d{4})-?(\d{2})(?:-?(\d{2}))?(?:[T ](\d{2}):?(\d{2})(?:[:.]?(\d{2})(?:[.,](\d{1,9}))?)?)?$/;
const ISO_WEEK = /^(\d{4})-?W(\d{2})(?:-?(\d))?$/;

const ZONE_AT_END = /(?<=[\d ap])\s*([A-Za-z]{1,4}|(?:GMT|UTC)?[+-]\d{1,2}(?::?\d{2})?)$/i;

/** Splits the zone off a date: its offset from UTC in milliseconds, undefined if there is none. */
function splitZone(text: string): { date: string; ahead: number | undefined } {
  const found = ZONE_AT_END.exec(text);
  const zone = found?.[1] ?? '';
  const ahead = zoneAhead(zone);
  // A day or a month at the end is not an offset.
  if (found === null || ahead === undefined || (/^[+-]/.test(zone) && !text.includes(':')))
    return { date: text, ahead: undefined };
  return { date: text.slice(0, found.index), ahead };
}

const HALF_DAY = /\b(\d{1,2})(:\d{2}(?::\d{2})?)?\s*([ap])\.?m\b\.?/i;
const YEAR = /\b\d{4}\b|\d\/\d{1,2}\/\d{2}\b/;
const DAY_FIRST = /^(\d{1,2})[-.](\d{1,2})[-.](\d{4})\b/;

/** A date in words, in the local time of its zone; as UTC fields. */
function wordsOf(text: string): number {
  if (!/\d/.test(text) || !/[a-z]{3}|\/|^\d+[-.]\d+[-.]\d{4}/i.test(text) || !YEAR.test(text))
    return Number.NaN;
  const plain = text
    .replace(/(\d)(?:st|nd|rd|th)\b/i, '$1')
    .replace(/\bnoon\b/i, '12:00')
    .replace(DAY_FIRST, '$3-$2-$1 00:00')
    .replace(HALF_DAY, (_whole, hour: string, rest = ':00', half: string) => `${hour}${rest} ${half}m`);
  return Date.parse(`${plain} UTC`);
}

/** Whether a string is an incomplete date, such as a day without a year or only a time. */
const isIncomplete = (text: string): boolean =>
  !YEAR.test(text) && !Number.isNaN(Date.parse(`${text.replace(/(\d)(?:st|nd|rd|th)\b/i, '$1')} 2000 UTC`));

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

/** Throws ConversionFailure if both the string and an argument contain a zone. */
export function refuseTwoZones(text: string, zone: string | undefined): void {
  if (zone === undefined || ['UTC', 'GMT', 'Z'].includes(zone)) return;
  fail(
    'ConversionFailure',
    `you cannot pass in a date/time string with GMT offset together with a timezone argument: '${text}'`,
  );
}

/** Reads a date without a format: ISO 8601, or words as JavaScript reads them. Throws ConversionFailure. */
export function parseDate(text: string, zone?: string): Date {
  const { date, ahead } = splitZone(text.trim());
  const local = isoOf(date);
  if (Number.isNaN(local)) {
    return isIncomplete(date)
      ? refuse(text, 'an incomplete date/time string has been found, with elements missing')
      : refuse(text);
  }
  if (ahead === undefined) return new Date(fromLocal(local, zone ?? 'UTC'));
  refuseTwoZones(text, zone);
  return new Date(local - ahead);
}
