import type { Document } from 'bson';
import { fail } from '../errors.js';
import { makeLong, toDouble } from '../values/numbers.js';
import { bsonTypeOf } from '../values/types.js';
import { argument, aString, aWholeNumber, checkArgument } from './argument.js';
import { isoWeekday } from './date-text.js';
import { instantOf, zoneOf } from './instant.js';
import { type Members, named, type Operator, type Operators } from './operator.js';
import { fromLocal, toLocal } from './timezone.js';

/** Lengths of the fixed-length units, in milliseconds. */
const FIXED: Readonly<Record<string, number>> = {
  week: 604_800_000,
  day: 86_400_000,
  hour: 3_600_000,
  minute: 60_000,
  second: 1000,
  millisecond: 1,
};

const DAY = FIXED['day'] as number;

/** Lengths of the calendar units, in months. */
const MONTHS: Readonly<Record<string, number>> = { year: 12, quarter: 3, month: 1 };

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

const isUnit = (value: string): boolean => value in FIXED || value in MONTHS;

const UNIT = aString(5439013, "$op requires 'unit' to be a string, but got $type");

function unitOf(value: string, name: string): string {
  if (isUnit(value)) return value;
  return fail(5439014, `${name} parameter 'unit' value cannot be recognized as a time unit: ${value}`);
}

/** Days and longer units count in the local time of the zone, shorter ones in real time. */
const isLocalUnit = (unit: string): boolean => unit === 'day' || unit === 'week' || unit in MONTHS;

function addMonths(local: Date, months: number): number {
  const target = new Date(local.getTime());
  target.setUTCDate(1);
  target.setUTCMonth(target.getUTCMonth() + months);
  const days = new Date(Date.UTC(target.getUTCFullYear(), target.getUTCMonth() + 1, 0)).getUTCDate();
  target.setUTCDate(Math.min(local.getUTCDate(), days));
  return target.getTime();
}

/** The days between the first and the last date that MongoDB can represent. */
const MOST_DAYS = Math.ceil(2 ** 64 / 86_400_000);

/** The amount of a unit from which no date can be moved by it; milliseconds have none. */
function endOfAmounts(unit: string): number {
  const months = MONTHS[unit];
  if (months !== undefined) return (Math.floor(MOST_DAYS / 365) + 1) * (12 / months);
  return unit === 'millisecond'
    ? Number.POSITIVE_INFINITY
    : Math.floor((MOST_DAYS * DAY) / (FIXED[unit] as number));
}

/** An instant moved by an amount of a unit. Throws 5976500 for an amount beyond all dates. */
function stepDate(instant: number, unit: string, amount: number, zone: string): number {
  if (Math.abs(amount) >= endOfAmounts(unit))
    fail(5976500, `invalid dateAdd 'amount' parameter value: ${amount} ${unit}`);
  const months = MONTHS[unit];
  if (months !== undefined) return fromLocal(addMonths(toLocal(instant, zone), months * amount), zone);
  const step = (FIXED[unit] as number) * amount;
  return isLocalUnit(unit) ? fromLocal(toLocal(instant, zone).getTime() + step, zone) : instant + step;
}

/** The last instant that a JavaScript date can represent; negated, the first. */
const LAST_DATE = 8.64e15;

/** An argument that is converted to a date. */
const aDate = argument((value): value is unknown =>
  ['date', 'timestamp', 'objectId'].includes(bsonTypeOf(value)),
);

const STEP: Members = {
  object: 5166400,
  unknown: 5166401,
  missing: 5166402,
  required: ['startDate', 'unit', 'amount'],
  optional: ['timezone'],
  nulls: ['startDate', 'unit', 'amount', 'timezone'],
  types: {
    startDate: aDate(5166403, '$op requires startDate to be convertible to a date'),
    unit: aString(5166404, '$op expects string defining the time unit'),
    amount: aWholeNumber(5166405, '$op expects integer amount of time units'),
  },
};

const dateStep = (sign: 1 | -1): Operator =>
  named(STEP, ({ startDate, unit, amount, timezone }, name) => {
    if (!isUnit(unit)) fail('FailedToParse', `unknown time unit value: ${unit}`);
    const moved = stepDate(instantOf(startDate), unit, sign * toDouble(amount), zoneOf(timezone));
    if (!(Math.abs(moved) <= LAST_DATE)) fail(5166406, `${name} overflowed`);
    return new Date(moved);
  });

const monthsOf = (local: Date): number => local.getUTCFullYear() * 12 + local.getUTCMonth();

const START_OF_WEEK = aString(5439015, "'startOfWeek' must be a string, but is $type");

function startOfWeekOf(value: unknown = 'sunday'): number {
  checkArgument(START_OF_WEEK, value, '');
  const name = value.toLowerCase();
  const day = WEEKDAYS.findIndex((weekday) => weekday === name || weekday.slice(0, 3) === name);
  return day < 0 ? fail(5439016, `unknown day of week value: ${name}`) : day + 1;
}

/** The first day of the week matters only for weeks. */
const andFirstDay =
  (names: readonly string[]) =>
  ({ unit }: Document): readonly string[] =>
    unit === 'week' ? [...names, 'startOfWeek'] : names;

/** Days since a Monday-based first day of the week, over all weeks. */
const weekNumber = (local: Date, firstDay: number): number => {
  const sinceFirst = (isoWeekday(local) - firstDay + 7) % 7;
  return (Math.floor(local.getTime() / DAY) - sinceFirst) / 7;
};

const dateDiff = named(
  {
    object: 5166301,
    unknown: 5166302,
    required: ['startDate', 'endDate', 'unit'],
    missing: [5166303, 5166304, 5166305],
    optional: ['timezone', 'startOfWeek'],
    nulls: andFirstDay(['startDate', 'endDate', 'unit', 'timezone']),
    types: {
      startDate: aDate(5166307, "$op requires 'startDate' to be a date, but got $type"),
      endDate: aDate(5166307, "$op requires 'endDate' to be a date, but got $type"),
      unit: UNIT,
    },
  },
  ({ startDate, endDate, unit, timezone, startOfWeek }, name) => {
    const by = unitOf(unit, name);
    const zone = zoneOf(timezone);
    const [from, to] = [instantOf(startDate), instantOf(endDate)];
    const [start, end] = [toLocal(from, zone), toLocal(to, zone)];
    const months = MONTHS[by];
    if (months !== undefined) {
      return makeLong(BigInt(Math.floor(monthsOf(end) / months) - Math.floor(monthsOf(start) / months)));
    }
    if (by === 'week') {
      const first = startOfWeekOf(startOfWeek);
      return makeLong(BigInt(weekNumber(end, first) - weekNumber(start, first)));
    }
    const length = FIXED[by] as number;
    const [a, b] = by === 'day' ? [start.getTime(), end.getTime()] : [from, to];
    return makeLong(BigInt(Math.floor(b / length) - Math.floor(a / length)));
  },
);

/** The start of a bin; bins are counted from the year 2000, weeks from the first such weekday in it. */
function truncate(local: Date, unit: string, size: number, firstDay: number): number {
  const reference = Date.UTC(2000, 0, 1);
  const months = MONTHS[unit];
  if (months !== undefined) {
    const since = monthsOf(local) - 2000 * 12;
    return Date.UTC(2000, Math.floor(since / (months * size)) * months * size, 1);
  }
  const length = (FIXED[unit] as number) * size;
  const base =
    unit === 'week' ? reference + ((firstDay - isoWeekday(new Date(reference)) + 7) % 7) * DAY : reference;
  return base + Math.floor((local.getTime() - base) / length) * length;
}

const BIN_SIZE = aWholeNumber(
  5439017,
  "$op requires 'binSize' to be a 64-bit integer, but got value of type $type",
);

const dateTrunc = named(
  {
    object: 5439007,
    unknown: 5439008,
    required: ['date', 'unit'],
    missing: [5439009, 5439010],
    optional: ['binSize', 'timezone', 'startOfWeek'],
    nulls: andFirstDay(['date', 'unit', 'binSize', 'timezone']),
    types: {
      date: aDate(5439012, "$op requires 'date' to be a date, but got $type"),
      unit: UNIT,
    },
  },
  ({ date, unit, timezone, startOfWeek, binSize = 1 }, name) => {
    const by = unitOf(unit, name);
    const zone = zoneOf(timezone);
    checkArgument(BIN_SIZE, binSize, name);
    const size = toDouble(binSize);
    if (size <= 0) fail(5439018, `${name} requires 'binSize' to be greater than 0, but got value ${size}`);
    const instant = instantOf(date);
    const first = by === 'week' ? startOfWeekOf(startOfWeek) : 1;
    const local = toLocal(instant, zone);
    const begin = truncate(local, by, size, first);
    if (isLocalUnit(by)) return new Date(fromLocal(begin, zone));
    return new Date(instant - (local.getTime() - begin));
  },
);

/** Operators that move dates and measure intervals. */
export const DATE_STEPS: Operators = {
  $dateAdd: dateStep(1),
  $dateSubtract: dateStep(-1),
  $dateDiff: dateDiff,
  $dateTrunc: dateTrunc,
};
