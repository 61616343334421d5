/** The written forms of dates and times that a body may hold, and how they are stored (rules E.4). */
import { errors } from '../../errors.js';
import * as instants from '../../query/instant.js';

const datePrefix = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])/;
const timeForm = /^((?:2[0-3]|[01]\d):[0-5]\d:[0-5]\d)(?:\.(\d{1,3}))?$/;

const isoOf = (value: unknown): unknown =>
  value instanceof Date && !Number.isNaN(value.getTime()) ? value.toISOString() : value;

/** `yyyy-MM-dd`, taken from the start of any longer timestamp. Throws a 400 for another form, or a day that does not exist. */
export const parseDate = (value: unknown): string => {
  const text = isoOf(value);
  const [date] = typeof text === 'string' ? (datePrefix.exec(text) ?? []) : [];
  if (date === undefined) throw errors.validation('Invalid format, expected yyyy-MM-dd');
  if (instants.parseInstant(date) === null) throw errors.validation('Invalid date');
  return date;
};

/** `HH:mm:ss.SSS`, the fraction filled with zeros. Throws a 400 for any other form. */
export const parseTime = (value: unknown): string => {
  const text = value instanceof Date ? String(isoOf(value)).slice(11, 23) : value;
  const match = typeof text === 'string' ? timeForm.exec(text) : null;
  if (!match) throw errors.validation('Invalid time format, expected HH:mm:ss.SSS');
  return `${match[1]}.${(match[2] ?? '').padEnd(3, '0')}`;
};

/** An instant from an ISO 8601 text (UTC where it names no zone) or from milliseconds since 1970. Throws a 400. */
export const parseInstant = (value: unknown): Date => {
  const date = value instanceof Date ? value : instants.parseInstant(String(value));
  if (date === null || Number.isNaN(date.getTime()))
    throw errors.validation('Invalid format, expected a timestamp or an ISO date');
  return date;
};
