import { expect } from 'chai';
import { readDefault, UNFIT } from '../../src/schema/scalars/index.js';
import type { ScalarType } from '../../src/schema/types.js';

const CASES: readonly (readonly [ScalarType, value: unknown, read: unknown])[] = [
  ['time', '8:30', '08:30:00.000'],
  ['time', '08:30:15', '08:30:15.000'],
  ['time', '23:59:59.5', '23:59:59.500'],
  ['time', '24:00', UNFIT],
  ['time', '08:60', UNFIT],
  ['time', '08', UNFIT],
  ['time', 8, UNFIT],
  ['date', '2024-02-29', '2024-02-29'],
  ['date', '2024-02-30', UNFIT],
  ['date', '29.02.2024', UNFIT],
  ['datetime', '2024-01-31T08:30:00.000Z', '2024-01-31T08:30:00.000Z'],
  ['datetime', 1700000000000, 1700000000000],
  ['datetime', '01/31/2024', UNFIT],
  ['datetime', 'soon', UNFIT],
  ['biginteger', '-9223372036854775808', '-9223372036854775808'],
  ['biginteger', '9223372036854775808', UNFIT],
  ['biginteger', '1.5', UNFIT],
  ['integer', '7', 7],
  ['integer', 7.5, UNFIT],
  ['float', '', UNFIT],
  ['boolean', 'true', UNFIT],
  ['string', null, undefined],
];

describe('schema: defaults', () => {
  for (const [type, value, read] of CASES)
    it(`${type} ${JSON.stringify(value)} ${read === UNFIT ? 'is refused' : `is ${JSON.stringify(read)}`}`, () => {
      expect(readDefault(type, value, [])).to.equal(read);
    });
});
