/** ISO 8601 as Strapi reads it (rules B.4): partial dates too, without an offset in UTC; else epoch milliseconds. */

const isoDate = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?|(\d{2})(\d{2})?)?(?:[T ](.+))?$/;
const isoTime = /^(\d{2})(?::?(\d{2})(?::?(\d{2})(?:[.,](\d+))?)?)?(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/** Null: neither an ISO date nor milliseconds. @example parseInstant('2024') // 2024-01-01T00:00:00.000Z */
export function parseInstant(text: string): Date | null {
  const trimmed = text.trim();
  const found = isoDate.exec(trimmed);
  if (!found) return parseMilliseconds(trimmed);
  const [, year = '', month, day, compactMonth, compactDay, time] = found;
  const midnight = dateOf(Number(year), Number(month ?? compactMonth ?? 1), Number(day ?? compactDay ?? 1));
  if (midnight === null) return null;
  const offset = time === undefined ? 0 : millisecondsOf(time);
  return offset === null ? null : new Date(midnight + offset);
}

function parseMilliseconds(text: string): Date | null {
  if (!/^-?\d{1,16}$/.test(text)) return null;
  const date = new Date(Number(text));
  return Number.isNaN(date.getTime()) ? null : date;
}

/** Midnight of a day that exists, in milliseconds. */
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

/** Minutes east of Greenwich. */
function offsetOf(zone: string): number | null {
  if (zone.toUpperCase() === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(':', ''));
  if (hours > 23 || minutes > 59) return null;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}
