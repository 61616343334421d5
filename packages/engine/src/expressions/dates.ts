import type { Document } from 'bson';
import { EngineError, fail } from '../errors.js';
import { makeLong, toDouble } from '../values/numbers.js';
import { bsonTypeOf, hasOperator, isDocument, isNullish } from '../values/types.js';
import { aBoolean, aString, checkArgument } from './argument.js';
import { checkFormat, parseFormatted } from './date-format.js';
import { DATE_STEPS } from './date-steps.js';
import { dayOfYear, formatDate, isoWeek, isoWeekday, parseDate, sundayWeek } from './date-text.js';
import { instantOf, isAbsent, zoneOf } from './instant.js';
import {
  declared,
  type Members,
  named,
  type Operator,
  type Operators,
  readMembers,
  saying,
} from './operator.js';
import type { Evaluate, Scope } from './scope.js';
import { fromLocal, offsetAt, toLocal } from './timezone.js';

/** The date of an operator that may take it in an array. Throws 40536 for an array of anything else. */
function onlyOf(operand: unknown, name: string): unknown {
  if (!Array.isArray(operand)) return operand;
  if (operand.length !== 1)
    fail(40536, `${name} accepts exactly one argument if given an array, but was given ${operand.length}`);
  return operand[0];
}

const PART: Members = { required: ['date'], optional: ['timezone'], unknown: 40535, missing: 40539 };

/** An operator that reads a part of a date, given directly or as `{date, timezone}`. */
function part(read: (local: Date) => unknown): Operator {
  return (operand, scope, name) => {
    const isNamed = isDocument(operand) && !hasOperator(operand);
    const { date, timezone } = isNamed
      ? readMembers(name, operand, PART)
      : { date: onlyOf(operand, name), timezone: undefined };
    const source = scope.compile(date);
    const zone = timezone === undefined ? undefined : scope.compile(timezone);
    return (root) => {
      const value = source(root);
      const where = zone?.(root);
      if (isNullish(value) || (zone !== undefined && isNullish(where))) return null;
      return read(toLocal(instantOf(value), zoneOf(where, 40533)));
    };
  };
}

const DEFAULT_FORMAT = '%Y-%m-%dT%H:%M:%S.%L';

const TO_STRING: Members = {
  required: ['date'],
  optional: ['format', 'timezone', 'onNull'],
  object: 18629,
  unknown: 18534,
  missing: 18628,
};
const FORMAT = aString(18533, "$op requires that 'format' be a string, found: $type");

const dateToString = named(TO_STRING, (values, name) => {
  const { date, timezone, onNull } = values;
  if (isNullish(date)) return 'onNull' in values ? onNull : null;
  if (isAbsent(values, 'format') || isAbsent(values, 'timezone')) return null;
  const zone = zoneOf(timezone);
  const format: unknown = values['format'] ?? `${DEFAULT_FORMAT}${zone === 'UTC' ? 'Z' : '%z'}`;
  checkArgument(FORMAT, format, name);
  return formatDate(instantOf(date), format, zone);
});

const FORMAT_TO_READ = aString(40684, "$op requires that 'format' be a string, found: $type");

/** The format to read a date with, undefined for null. Throws 40684 for another type, 18536 for an unknown letter. */
function formatOf(format: unknown, name: string): string | undefined {
  if (isNullish(format)) return undefined;
  checkArgument(FORMAT_TO_READ, format, name);
  checkFormat(format);
  return format;
}

const FROM_STRING: Members = {
  required: ['dateString'],
  optional: ['format', 'timezone', 'onError', 'onNull'],
  object: saying(40540, '$op only supports an object as an argument'),
  unknown: 40541,
  missing: 40542,
};
const DATE_STRING = aString('ConversionFailure', "$op requires that 'dateString' be a string, found: $type");

const isConversionFailure = (error: unknown): boolean =>
  error instanceof EngineError && error.codeName === 'ConversionFailure';

function dateFromString(spec: Document, scope: Scope, name: string): Evaluate {
  const compiled = Object.fromEntries(
    Object.entries(spec).map(([key, value]) => [key, scope.compile(value)]),
  );
  return (root) => {
    const text = compiled['dateString']?.(root);
    const format = formatOf(compiled['format']?.(root), name);
    const zone = compiled['timezone']?.(root);
    // An invalid zone is an error whatever the string.
    const where = isNullish(zone) ? undefined : zoneOf(zone);
    if (where !== undefined) offsetAt(where, 0);
    if (isNullish(text)) return compiled['onNull'] === undefined ? null : compiled['onNull'](root);
    try {
      checkArgument(DATE_STRING, text, name);
      if ((compiled['timezone'] && where === undefined) || (compiled['format'] && format === undefined))
        return null;
      return format === undefined ? parseDate(text, where) : parseFormatted(text, format, where);
    } catch (error) {
      if (compiled['onError'] === undefined || !isConversionFailure(error)) throw error;
      return compiled['onError'](root);
    }
  };
}

const TIME_PARTS = ['hour', 'minute', 'second', 'millisecond'];
const DATE_PARTS = ['year', 'month', 'day', ...TIME_PARTS];
const ISO_PARTS = ['isoWeekYear', 'isoWeek', 'isoDayOfWeek', ...TIME_PARTS];

const FROM_PARTS: Members = {
  optional: [...DATE_PARTS, ...ISO_PARTS, 'timezone'],
  nulls: [...DATE_PARTS, ...ISO_PARTS, 'timezone'],
  object: 40519,
  unknown: 40518,
};
const SHORT = 32_768;
/** 2^63, which is also the double nearest to the largest 64-bit integer. */
const LAST_LONG = 2 ** 63;

/** One part of a date. Throws 40515, 40523 or 31034 if it is invalid. */
function partOf(values: Document, key: string, otherwise: number): number {
  if (!(key in values)) return otherwise;
  const value = values[key];
  const part = toDouble(value);
  const refuse = (code: number, what: string): never => fail(code, `'${key}' must evaluate to ${what}`);
  if (!Number.isInteger(part) || Math.abs(part) > LAST_LONG)
    refuse(40515, `an integer, found ${bsonTypeOf(value)}`);
  if (/year$/i.test(key)) {
    if (part < 1 || part > 9999)
      refuse(key === 'year' ? 40523 : 31095, `an integer in the range 1 to 9999, found ${part}`);
  } else if (key !== 'second' && key !== 'millisecond' && (part < -SHORT || part >= SHORT)) {
    refuse(31034, `a value in the range [-32768, 32767]; value ${part} is not in range`);
  }
  return part;
}

const fromParts = named(FROM_PARTS, (values: Document) => {
  const at = (key: string, otherwise: number): number => partOf(values, key, otherwise);
  const local = new Date(0);
  if ('isoWeekYear' in values) {
    local.setUTCFullYear(at('isoWeekYear', 1970), 0, 4);
    local.setUTCDate(
      local.getUTCDate() - isoWeekday(local) + (at('isoWeek', 1) - 1) * 7 + at('isoDayOfWeek', 1),
    );
  } else local.setUTCFullYear(at('year', 1970), at('month', 1) - 1, at('day', 1));
  local.setUTCHours(at('hour', 0), at('minute', 0), at('second', 0), at('millisecond', 0));
  const overflow = 'Overflow casting from a lower-precision duration to a higher-precision duration';
  if (Number.isNaN(local.getTime())) fail('DurationOverflow', overflow);
  return new Date(fromLocal(local.getTime(), zoneOf(values['timezone'])));
});

const dateFromParts: Operator = (operand, scope, name) => {
  const has = (names: readonly string[]): boolean =>
    isDocument(operand) && names.some((key) => key in operand && !TIME_PARTS.includes(key));
  if (has(DATE_PARTS) && has(ISO_PARTS)) {
    const leads = isDocument(operand) && 'year' in operand;
    fail(leads ? 40489 : 40525, '$dateFromParts does not allow mixing natural dates with ISO dates');
  }
  const compiled = fromParts(operand, scope, name);
  if (isDocument(operand) && !('year' in operand) && !('isoWeekYear' in operand))
    fail(40516, "$dateFromParts requires either 'year' or 'isoWeekYear' to be present");
  return compiled;
};

const TO_PARTS: Members = {
  required: ['date'],
  optional: ['timezone', 'iso8601'],
  object: 40524,
  unknown: 40520,
  missing: 40522,
};
const ISO_FLAG = aBoolean(40521, 'iso8601 must evaluate to a bool, found $type');

const dateToParts = named(TO_PARTS, (values, name) => {
  const { date, timezone, iso8601 } = values;
  // Errors in the other arguments are reported even if there is no date.
  if (isAbsent(values, 'timezone')) return null;
  const zone = zoneOf(timezone);
  if (isAbsent(values, 'iso8601')) return null;
  if ('iso8601' in values) checkArgument(ISO_FLAG, iso8601, name);
  if (isNullish(date)) {
    offsetAt(zone, 0);
    return null;
  }
  const local = toLocal(instantOf(date), zone);
  const head = iso8601
    ? { isoWeekYear: isoWeek(local).year, isoWeek: isoWeek(local).week, isoDayOfWeek: isoWeekday(local) }
    : { year: local.getUTCFullYear(), month: local.getUTCMonth() + 1, day: local.getUTCDate() };
  return {
    ...head,
    hour: local.getUTCHours(),
    minute: local.getUTCMinutes(),
    second: local.getUTCSeconds(),
    millisecond: local.getUTCMilliseconds(),
  };
});

/** Operators on dates. */
export const DATES: Operators = {
  $year: part((local) => local.getUTCFullYear()),
  $month: part((local) => local.getUTCMonth() + 1),
  $dayOfMonth: part((local) => local.getUTCDate()),
  $hour: part((local) => local.getUTCHours()),
  $minute: part((local) => local.getUTCMinutes()),
  $second: part((local) => local.getUTCSeconds()),
  $millisecond: part((local) => local.getUTCMilliseconds()),
  $dayOfYear: part(dayOfYear),
  $dayOfWeek: part((local) => local.getUTCDay() + 1),
  $isoDayOfWeek: part(isoWeekday),
  $isoWeek: part((local) => isoWeek(local).week),
  $isoWeekYear: part((local) => makeLong(BigInt(isoWeek(local).year))),
  $week: part(sundayWeek),
  $dateToString: dateToString,
  $dateFromString: declared(FROM_STRING, dateFromString),
  $dateFromParts: dateFromParts,
  $dateToParts: dateToParts,
  ...DATE_STEPS,
};
