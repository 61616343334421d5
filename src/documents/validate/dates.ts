/** The written forms of dates and times that a body may hold, and how they are stored (SPEC E.4). */
import { errors } from '../../errors.js';

const datePrefix = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])/;
const timeForm = /^((?:2[0-3]|[01]\d):[0-5]\d:[0-5]\d)(?:\.(\d{1,3}))?$/;
const isoForm =
  /^(\d{4})(?:-?(\d{2})(?:-?(\d{2}))?)?(?:[T ](\d{2})(?::?(\d{2})(?::?(\d{2})(?:[.,](\d{1,9}))?)?)?\s?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

/** Milliseconds; NaN for a day that the month does not have. */
const utc = (year: number, month: number, day: number): number => {
  const date = new Date(Date.UTC(year, month - 1, day));
  // Years below 100 would be taken for 19xx.
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : Number.NaN;
};

/** `yyyy-MM-dd`, taken from the start of any longer timestamp. Throws a 400 for another form, or a day that does not exist. */
export const parseDate = (value: unknown): string => {
  const text = value instanceof Date && !Number.isNaN(value.getTime()) ? value.toISOString() : value;
  const [date] = typeof text === 'string' ? (datePrefix.exec(text) ?? []) : [];
  if (date === undefined) throw errors.validation('Invalid format, expected yyyy-MM-dd');
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  if (Number.isNaN(utc(year, month, day))) throw errors.validation('Invalid date');
  return date;
};

/** `HH:mm:ss.SSS`, the fraction filled with zeros. Throws a 400 for any other form. */
export const parseTime = (value: unknown): string => {
  const text =
    value instanceof Date && !Number.isNaN(value.getTime()) ? value.toISOString().slice(11, 23) : value;
  const match = typeof text === 'string' ? timeForm.exec(text) : null;
  if (!match) throw errors.validation('Invalid time format, expected HH:mm:ss.SSS');
  return `${match[1]}.${(match[2] ?? '').padEnd(3, '0')}`;
};

/** Minutes east of Greenwich, from `Z`, `+02`, `+0200` or `+02:00`. */
const offsetMinutes = (zone: string | undefined): number => {
  if (zone === undefined || /^z$/i.test(zone)) return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3).replace(':', '') || 0);
  return zone.startsWith('-') ? -minutes : minutes;
};

const parseIso = (text: string): number => {
  const match = isoForm.exec(text);
  if (!match) return Number.NaN;
  const [hours = 0, minutes = 0, seconds = 0] = match.slice(4, 7).map((part) => Number(part ?? 0));
  if (hours > 24 || minutes > 59 || seconds > 59 || (hours === 24 && minutes + seconds > 0))
    return Number.NaN;
  const millis = Math.trunc(Number(`0.${match[7] ?? '0'}`) * 1000 + 1e-6);
  const day = utc(Number(match[1]), Number(match[2] ?? 1), Number(match[3] ?? 1));
  return day + ((hours * 60 + minutes - offsetMinutes(match[8])) * 60 + seconds) * 1000 + millis;
};

/** An instant from an ISO 8601 text (UTC where it names no zone) or from milliseconds since 1970. Throws a 400. */
export const parseInstant = (value: unknown): Date => {
  const text = value instanceof Date ? null : String(value);
  const iso = text === null ? Number.NaN : parseIso(text);
  const millis = text !== null && Number.isNaN(iso) && /^-?\d{1,16}$/.test(text) ? Number(text) : iso;
  const date = value instanceof Date ? value : new Date(millis);
  if (Number.isNaN(date.getTime()))
    throw errors.validation('Invalid format, expected a timestamp or an ISO date');
  return date;
};
