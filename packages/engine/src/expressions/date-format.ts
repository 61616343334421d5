import { isoWeekday, MONTHS, refuse, refuseLetter, refuseTwoZones } from './date-text.js';
import { zoneAhead } from './date-zones.js';
import { fromLocal } from './timezone.js';

const DIGITS = (most: number): RegExp => new RegExp(`\\d{1,${most}}`, 'y');

/** What each letter of a format string stands for. */
const PARTS: Readonly<Record<string, RegExp>> = {
  d: DIGITS(2),
  G: DIGITS(4),
  H: DIGITS(2),
  j: DIGITS(3),
  L: DIGITS(3),
  m: DIGITS(2),
  M: DIGITS(2),
  S: DIGITS(2),
  u: DIGITS(1),
  V: DIGITS(2),
  Y: DIGITS(4),
  b: /[A-Za-z]{3}/y,
  B: /[A-Za-z]+/y,
  z: /\s*((?:GMT|UTC)?[+-]\d{1,2}(?::?\d{2})?|[A-Za-z]{1,5})/iy,
  Z: /[+-]?\d{1,4}/y,
};

/** The parts of a date by the letters of a format. */
type Parts = ReadonlyMap<string, string>;

/** The letters and literals of a format. Throws 18536 for an unknown letter. */
function tokensOf(format: string): { letter?: string; literal?: string }[] {
  return [...format.matchAll(/%(.?)|[^%]/gs)].map(([whole, letter]) => {
    if (letter === undefined) return { literal: whole };
    if (letter === '%') return { literal: '%' };
    return Object.hasOwn(PARTS, letter) ? { letter } : refuseLetter(letter);
  });
}

/** Throws 18536 for a letter that is not a part of a date. */
export const checkFormat = (format: string): void => void tokensOf(format);

/** A string up to its first null byte, where it ends for the server. */
const upToNull = (text: string): string => text.split('\0', 1)[0] as string;

function partsOf(whole: string, format: string): Parts {
  const text = upToNull(whole);
  const parts = new Map<string, string>();
  let at = 0;
  for (const { letter, literal } of tokensOf(upToNull(format))) {
    if (at >= text.length) refuse(whole, 'Data missing');
    if (letter === undefined) {
      if (text[at] !== literal) refuse(whole, `Format literal not found '${literal}'`);
      at += 1;
      continue;
    }
    const pattern = PARTS[letter] as RegExp;
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found === null) return refuse(whole, `nothing found for %${letter}`);
    parts.set(letter, found[1] ?? found[0]);
    at = pattern.lastIndex;
  }
  if (at < text.length) refuse(whole, 'Trailing data');
  return parts;
}

const NATURAL = ['Y', 'm', 'd', 'j', 'b', 'B'];
const ISO = ['G', 'V', 'u'];

/** The day given by calendar or ISO week fields, in local time. */
function dayOf(text: string, parts: Parts): Date {
  const has = (names: readonly string[]): boolean => names.some((name) => parts.has(name));
  const number = (name: string, otherwise: number): number => Number(parts.get(name) ?? otherwise);
  const local = new Date(0);
  if (has(ISO)) {
    if (has(NATURAL)) refuse(text, 'Mixing of ISO dates with natural dates is not allowed');
    if (!parts.has('G')) refuse(text, 'The parsed date was invalid');
    local.setUTCFullYear(number('G', 0), 0, 4);
    local.setUTCDate(local.getUTCDate() - isoWeekday(local) + (number('V', 1) - 1) * 7 + number('u', 1));
    return local;
  }
  const hasDay = parts.has('j') || (parts.has('d') && has(['m', 'b', 'B']));
  if (!parts.has('Y') || !hasDay)
    refuse(text, 'an incomplete date/time string has been found, with elements missing');
  if (parts.has('j')) {
    local.setUTCFullYear(number('Y', 0), 0, number('j', 1));
    return local;
  }
  const name = (parts.get('b') ?? parts.get('B'))?.slice(0, 3).toLowerCase();
  const month =
    name === undefined
      ? number('m', 1) - 1
      : MONTHS.findIndex((known) => known.slice(0, 3).toLowerCase() === name);
  local.setUTCFullYear(number('Y', 0), month, number('d', 1));
  if (month < 0 || month > 11 || local.getUTCDate() !== number('d', 1))
    refuse(text, 'The parsed date was invalid');
  return local;
}

/** The offset of a date's zone from UTC in milliseconds; undefined if it has none. */
function aheadOf(text: string, parts: Parts): number | undefined {
  const minutes = parts.get('Z');
  if (minutes !== undefined) return Number(minutes) * 60_000;
  const zone = parts.get('z');
  return zone === undefined ? undefined : (zoneAhead(zone) ?? refuse(text, `unknown time zone '${zone}'`));
}

/** Reads a date with `$dateFromString`'s format. Throws ConversionFailure. */
export function parseFormatted(text: string, format: string, zone: string | undefined): Date {
  const parts = partsOf(text, format);
  const local = dayOf(text, parts);
  const [hour, minute, second] = ['H', 'M', 'S'].map((name) => Number(parts.get(name) ?? 0)) as [
    number,
    number,
    number,
  ];
  if (hour > 23 || minute > 59 || second > 59) refuse(text, 'The parsed time was invalid');
  local.setUTCHours(hour, minute, second, Number((parts.get('L') ?? '0').padEnd(3, '0')));
  const ahead = aheadOf(text, parts);
  if (ahead === undefined) return new Date(fromLocal(local.getTime(), zone ?? 'UTC'));
  refuseTwoZones(text, zone);
  return new Date(local.getTime() - ahead);
}
