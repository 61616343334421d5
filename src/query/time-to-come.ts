import { errors } from '../errors.js';
import { parseInstant } from '../values/instant.js';

const TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/;

/** The time in a parameter. Throws a 400 for anything but a date and time in the future. */
export function timeToCome(param: string, raw: unknown): Date {
  const at = raw instanceof Date ? raw : typeof raw === 'string' && TIME.test(raw) ? parseInstant(raw) : null;
  if (at && at.getTime() > Date.now()) return at;
  throw errors.validation(
    'schedule-time-invalid',
    `Invalid value for '${param}'. Expected a date and time in the future, such as 2030-01-31T09:00:00Z`,
    { path: param, source: 'query', param },
  );
}
