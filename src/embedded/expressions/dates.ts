import type { Document } from 'bson';
import { fail } from '../errors.js';
import { makeLong, toDouble } from '../values/numbers.js';
import { bsonTypeOf, isDocument, isNumeric } from '../values/types.js';
import { DATE_STEPS } from './date-steps.js';
import {
  dayOfYear,
  formatDate,
  isoWeek,
  isoWeekday,
  parseDate,
  parseFormatted,
  sundayWeek,
} from './date-text.js';
import { instantOf, zoneOf } from './instant.js';
import { isNullish, named, namedOperand, type Operator, type Operators } from './operator.js';
import { fromLocal, toLocal } from './timezone.js';

/** An operator that reads a part of a date, given bare or as `{date, timezone}`. */
function part(read: (local: Date) => unknown): Operator {
  return (operand, scope, name) => {
    const isNamed = isDocument(operand) && 'date' in operand;
    const { date, timezone } = isNamed
      ? namedOperand(name, operand, { required: ['date'], optional: ['timezone'] })
      : { date: Array.isArray(operand) && operand.length === 1 ? operand[0] : operand, timezone: undefined };
    const source = scope.compile(date);
    const zone = timezone === undefined ? undefined : scope.compile(timezone);
    return (root) => {
      const value = source(root);
      const where = zone?.(root);
      if (isNullish(value) || (zone !== undefined && isNullish(where))) return null;
      return read(toLocal(instantOf(value), zoneOf(where)));
    };
  };
}

const DEFAULT_FORMAT = '%Y-%m-%dT%H:%M:%S.%LZ';

const dateToString = named({ required: ['date'], optional: ['format', 'timezone', 'onNull'] }, (values) => {
  const { date, timezone, onNull } = values;
  if (isNullish(date)) return 'onNull' in values ? onNull : null;
  if (('format' in values && isNullish(values['format'])) || ('timezone' in values && isNullish(timezone)))
    return null;
  const zone = zoneOf(timezone);
  const format = values['format'] ?? (zone === 'UTC' ? DEFAULT_FORMAT : '%Y-%m-%dT%H:%M:%S.%L%z');
  if (typeof format !== 'string')
    return fail(18533, `$dateToString requires that 'format' be a string, found: ${bsonTypeOf(format)}`);
  return formatDate(instantOf(date), format, zone);
});

const dateFromString: Operator = (operand, scope, name) => {
  const spec = namedOperand(name, operand, {
    required: ['dateString'],
    optional: ['format', 'timezone', 'onError', 'onNull'],
  });
  const compiled = Object.fromEntries(
    Object.entries(spec).map(([key, value]) => [key, scope.compile(value)]),
  );
  return (root) => {
    const text = compiled['dateString']?.(root);
    if (isNullish(text)) return compiled['onNull'] === undefined ? null : compiled['onNull'](root);
    const zone = compiled['timezone']?.(root);
    const format = compiled['format']?.(root);
    if ((compiled['timezone'] && isNullish(zone)) || (compiled['format'] && isNullish(format))) return null;
    try {
      if (typeof text !== 'string') {
        return fail(
          'ConversionFailure',
          `$dateFromString requires that 'dateString' be a string, found: ${bsonTypeOf(text)}`,
        );
      }
      return format === undefined
        ? parseDate(text, zoneOf(zone))
        : parseFormatted(text, String(format), zoneOf(zone));
    } catch (error) {
      if (compiled['onError'] === undefined) throw error;
      return compiled['onError'](root);
    }
  };
};

const DATE_PARTS = ['year', 'month', 'day', 'hour', 'minute', 'second', 'millisecond'];
const ISO_PARTS = ['isoWeekYear', 'isoWeek', 'isoDayOfWeek', 'hour', 'minute', 'second', 'millisecond'];

const dateFromParts: Operator = (operand, scope, name) =>
  named({ required: [], optional: [...DATE_PARTS, ...ISO_PARTS, 'timezone'] }, (values: Document) => {
    for (const key of Object.keys(values)) {
      if (isNullish(values[key])) return null;
      if (key === 'timezone') continue;
      if (!isNumeric(values[key]) || !Number.isInteger(toDouble(values[key]))) {
        fail(40515, `'${key}' must evaluate to an integer, found ${bsonTypeOf(values[key])}`);
      }
    }
    const at = (key: string, otherwise: number): number =>
      key in values ? toDouble(values[key]) : otherwise;
    const local = new Date(0);
    if ('isoWeekYear' in values) {
      local.setUTCFullYear(at('isoWeekYear', 1970), 0, 4);
      local.setUTCDate(
        local.getUTCDate() - isoWeekday(local) + (at('isoWeek', 1) - 1) * 7 + at('isoDayOfWeek', 1),
      );
    } else {
      if (!('year' in values))
        fail(40516, "$dateFromParts requires either 'year' or 'isoWeekYear' to be present");
      local.setUTCFullYear(at('year', 1970), at('month', 1) - 1, at('day', 1));
    }
    local.setUTCHours(at('hour', 0), at('minute', 0), at('second', 0), at('millisecond', 0));
    return new Date(fromLocal(local.getTime(), zoneOf(values['timezone'])));
  })(operand, scope, name);

const dateToParts = named({ required: ['date'], optional: ['timezone', 'iso8601'] }, (values) => {
  const { date, timezone, iso8601 } = values;
  if (
    isNullish(date) ||
    ('timezone' in values && isNullish(timezone)) ||
    ('iso8601' in values && isNullish(iso8601))
  )
    return null;
  const local = toLocal(instantOf(date), zoneOf(timezone));
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
  $dateFromString: dateFromString,
  $dateFromParts: dateFromParts,
  $dateToParts: dateToParts,
  ...DATE_STEPS,
};
