import { Decimal128, Long } from 'bson';
import { expect } from 'chai';
import { SCALARS } from '../../src/schema/scalars/index.js';
import type { ScalarType } from '../../src/schema/types.js';

/** An error message if the value does not fit. */
const number = 'Expected a valid number';
const date = 'Invalid format, expected yyyy-MM-dd';
const time = 'Invalid time format, expected HH:mm:ss.SSS';
const instant = 'Invalid format, expected a timestamp or an ISO date';

const fits: readonly (readonly [ScalarType, unknown, unknown])[] = [
  ['string', 'x', 'x'],
  ['string', 5, '5'],
  ['integer', '05', 5],
  ['integer', ' 5 ', 5],
  ['integer', '-1', -1],
  ['float', '4.5', 4.5],
  ['float', '1e3', 1000],
  ['biginteger', '9223372036854775807', Long.MAX_VALUE],
  ['biginteger', '-9223372036854775808', Long.MIN_VALUE],
  ['biginteger', 42, Long.fromNumber(42)],
  ['decimal', '12.50', Decimal128.fromString('12.50')],
  ['decimal', '1e-7', Decimal128.fromString('1e-7')],
  ['boolean', 'true', true],
  ['boolean', 't', true],
  ['boolean', '1', true],
  ['boolean', 'TRUE', true],
  ['boolean', 'null', true],
  ['boolean', 'f', false],
  ['boolean', '0', false],
  ['boolean', '', false],
  ['date', '2000-01-31', '2000-01-31'],
  ['date', '2000-01-01T23:00:00.000Z', '2000-01-01'],
  ['time', '08:30:00', '08:30:00.000'],
  ['time', '08:30:00.5', '08:30:00.500'],
  ['datetime', '2024-01-15T10:30:00Z', new Date('2024-01-15T10:30:00Z')],
  ['datetime', '2024-01-15T12:30:00+02:00', new Date('2024-01-15T10:30:00Z')],
  ['datetime', '2024-01-15T12:30:00.1234-0230', new Date('2024-01-15T15:00:00.123Z')],
  ['datetime', '2024-01-15 10:30', new Date('2024-01-15T10:30:00Z')],
  ['datetime', '2024', new Date('2024-01-01T00:00:00Z')],
  ['datetime', '2024-02', new Date('2024-02-01T00:00:00Z')],
  ['datetime', '20240229', new Date('2024-02-29T00:00:00Z')],
  ['datetime', '2024-060T10', new Date('2024-02-29T10:00:00Z')],
  ['datetime', '2024-W01', new Date('2024-01-01T00:00:00Z')],
  ['datetime', '2021-W01-3', new Date('2021-01-06T00:00:00Z')],
  ['datetime', '+002024-01-15T', new Date('2024-01-15T00:00:00Z')],
  ['datetime', '1705314600000', new Date(1705314600000)],
  ['timestamp', '0', new Date(0)],
  ['timestamp', new Date(5), new Date(5)],
  ['json', '{"a":[1]}', { a: [1] }],
  ['json', '12', 12],
];

const invalidSettings: readonly (readonly [ScalarType, unknown, string])[] = [
  ['integer', 'abc', number],
  ['integer', '', number],
  ['integer', 'Infinity', number],
  ['integer', true, number],
  ['float', ' ', number],
  ['decimal', 'x', number],
  ['biginteger', '9223372036854775808', 'Expected a 64-bit integer'],
  ['biginteger', '1.5', 'Expected a 64-bit integer'],
  ['biginteger', '1e3', 'Expected a 64-bit integer'],
  ['date', 'abc', date],
  ['date', '2000-13-45', date],
  ['date', '2001-02-29', 'Invalid date'],
  ['date', 5, date],
  ['time', '08:30', time],
  ['time', '24:00:00', time],
  ['time', '9:00:00', time],
  ['time', 'abc', time],
  ['time', 5, 'Expected a string, got a number'],
  ['datetime', 'abc', instant],
  ['datetime', ' 2024-01-15', instant],
  ['datetime', '2023-366', instant],
  ['datetime', '', instant],
  ['datetime', '2024-01-15T25:00:00Z', instant],
  ['datetime', '2024-01-15T10:30:00+99', instant],
  ['json', '{a}', 'Expected JSON text'],
];

describe('query/cast', () => {
  for (const [type, value, stored] of fits)
    it(`${type} ${String(value)}`, () =>
      expect(SCALARS[type].fromQuery(value)).deep.equal({ value: stored }));
  for (const [type, value, message] of invalidSettings)
    it(`${type} ${String(value)}: ${message}`, () =>
      expect(SCALARS[type].fromQuery(value)).to.include({ message }));
});
