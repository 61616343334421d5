/**
 * Parses instants as Strapi does: ISO 8601, including partial dates, ordinal dates and weeks, in UTC if there
 * is no offset; otherwise epoch milliseconds.
 */

const isoDate =
  /^(?:(?<century>\d{2}|[+-]\d{4})$|(?<year>\d{4}|[+-]\d{6}))(?:-?(?:(?<ordinal>\d{3})|W(?<week>\d{2})(?:-?(?<weekday>[1-7]))?|(?<month>\d{2})(?:-?(?<day>\d{2}))?))?(?:[T ](?<time>.*))?$/;
const isoTime = /^(\d{2})(?::?(\d{2})(?::?(\d{2})(?:[.,](\d+))?)?)?(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/**
 * Null if the text is neither an ISO date nor milliseconds. @example parseInstant('2024') //
 * 2024-01-01T00:00:00.000Z
 */
export function parseInstant(text: string): Date | null {
  const found = isoDate.exec(text)?.groups;
  if (!found) return parseMilliseconds(text);
  const midnight = midnightOf(found);
  if (midnight === null) return null;
  const offset = found['time'] ? millisecondsOf(found['time']) : 0;
  return offset === null ? null : new Date(midnight + offset);
}

function parseMilliseconds(text: string): Date | null {
  if (!/^-?\d{1,16} ?$/.test(text)) return null;
  const date = new Date(Number(text));
  return Number.isNaN(date.getTime()) ? null : date;
}

function midnightOf(found: Record<string, string>): number | null {
  const { century, year, ordinal, week, weekday, month, day } = found;
  if (century !== undefined) return dateOf(Number(century) * 100, 1, 1);
  if (ordinal !== undefined) return dayOfYear(Number(year), Number(ordinal));
  if (week !== undefined) return dayOfWeek(Number(year), Number(week), Number(weekday ?? 1));
  return dateOf(Number(year), Number(month ?? 1), Number(day ?? 1));
}

function dayOfYear(year: number, ordinal: number): number | null {
  const start = dateOf(year, 1, 1);
  const next = dateOf(year + 1, 1, 1);
  if (start === null || next === null || ordinal < 1) return null;
  const found = start + (ordinal - 1) * dayLong;
  return found < next ? found : null;
}

/** ISO weeks: the first is the one that contains 4 January, and weeks begin on Monday. */
function dayOfWeek(year: number, week: number, weekday: number): number | null {
  const fourth = dateOf(year, 1, 4);
  if (fourth === null || week < 1 || week > 53) return null;
  const monday = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * dayLong;
  return monday + ((week - 1) * 7 + weekday - 1) * dayLong;
}

const dayLong = 86_400_000;

/** Midnight UTC in epoch milliseconds; null if the day does not exist. */
function dateOf(year: number, month: number, day: number): number | null {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : null;
}

function millisecondsOf(time: string): number | null {
  const found = isoTime.exec(time);
  if (!found) return null;
  const [, hours = '', minutes = '0', seconds = '0', fraction = '', zone = 'Z'] = found;
  const full = Number(hours) === 24 && Number(minutes) === 0 && Number(seconds) === 0;
  if ((Number(hours) > 23 && !full) || Number(minutes) > 59 || Number(seconds) > 59) return null;
  const milliseconds = Math.trunc(Number(`0.${fraction}0`) * 1000);
  const offset = offsetOf(zone);
  if (offset === null) return null;
  return ((Number(hours) * 60 + Number(minutes) - offset) * 60 + Number(seconds)) * 1000 + milliseconds;
}

/** The offset in minutes east of UTC; null if it is invalid. */
function offsetOf(zone: string): number | null {
  if (zone.toUpperCase() === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(':', ''));
  if (hours > 23 || minutes > 59) return null;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}
