import { fail } from '../errors.js';

const MINUTE = 60_000;
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (format === undefined) {
    try {
      format = new Intl.DateTimeFormat('en-US', {
        timeZone: zone,
        hourCycle: 'h23',
        era: 'short',
        year: 'numeric',
        month: 'numeric',
        day: 'numeric',
        hour: 'numeric',
        minute: 'numeric',
        second: 'numeric',
      });
    } catch {
      return fail(40485, `unrecognized time zone identifier: "${zone}"`);
    }
    formats.set(zone, format);
  }
  return format;
}

const OFFSET = /^([+-])(\d{2}):?(\d{2})?$/;

/** The offset of a zone from UTC at an instant, in milliseconds. Throws 40485 for an unknown zone. */
export function offsetAt(zone: string, instant: number): number {
  if (zone === 'UTC' || zone === 'GMT' || zone === 'Z') return 0;
  const fixed = OFFSET.exec(zone);
  if (fixed !== null) {
    const minutes = Number(fixed[2]) * 60 + Number(fixed[3] ?? 0);
    return (fixed[1] === '-' ? -minutes : minutes) * MINUTE;
  }
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, value]),
  );
  const year = parts['era'] === 'BC' ? 1 - Number(parts['year']) : Number(parts['year']);
  const local = new Date(0);
  local.setUTCFullYear(year, Number(parts['month']) - 1, Number(parts['day']));
  local.setUTCHours(Number(parts['hour']), Number(parts['minute']), Number(parts['second']));
  return local.getTime() - (instant - (((instant % 1000) + 1000) % 1000));
}

/** A date whose UTC fields are the local time of a zone. */
export const toLocal = (instant: number, zone: string): Date => new Date(instant + offsetAt(zone, instant));

/** The instant at which the local time of a zone equals the UTC fields of a date. */
export function fromLocal(local: number, zone: string): number {
  const guess = local - offsetAt(zone, local);
  return local - offsetAt(zone, guess);
}
