import { Decimal128, Long } from 'bson';
import { expect } from 'chai';
import fc from 'fast-check';
import { compareParts, type DecimalValue } from '../../src/values/decimal.js';
import { nearDouble } from '../../src/values/near-double.js';
import { compareNumbers, readNumber, toDecimalValue } from '../../src/values/numbers.js';

const decimal = fc
  .tuple(fc.bigInt({ min: -(10n ** 34n) + 1n, max: 10n ** 34n - 1n }), fc.integer({ min: -6176, max: 6111 }))
  .map(([coefficient, exponent]) => Decimal128.fromString(`${coefficient}E${exponent}`));
const small = fc
  .tuple(fc.bigInt({ min: -2000n, max: 2000n }), fc.integer({ min: -3, max: 1 }))
  .map(([coefficient, exponent]) => Decimal128.fromString(`${coefficient}E${exponent}`));
const number = fc.oneof(
  small,
  decimal,
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -20, max: 20 }),
  fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }).map((value) => Long.fromBigInt(value)),
);

function exact(value: unknown): Exclude<DecimalValue, string> {
  const parsed = readNumber(value);
  const parts = parsed === undefined ? 'nan' : toDecimalValue(parsed);
  if (typeof parts === 'string') throw new Error('no finite number');
  return parts;
}

describe('embedded/values: doubles near decimals', () => {
  it('sort numbers as their exact values do', () => {
    fc.assert(
      fc.property(fc.oneof(small, decimal), number, (a, b) => {
        const order = Math.sign(compareParts(exact(a), exact(b)));
        expect(Math.sign(compareNumbers(a, b))).to.equal(order);
        expect(Math.sign(compareNumbers(b, a))).to.equal(-order || 0);
      }),
      { numRuns: 5000 },
    );
  });

  it('exist for finite numbers only, and are the nearest double to the decimal', () => {
    for (const text of ['NaN', 'Infinity', '-Infinity', '1E+400', '1E-400'])
      expect(nearDouble(Decimal128.fromString(text).bytes)).to.be.NaN;
    for (const text of ['0', '-0', '12.50', '-0.001', '9007199254740993', '1E+30'])
      expect(nearDouble(Decimal128.fromString(text).bytes)).to.be.closeTo(
        Number(text),
        Math.abs(Number(text)) * 1e-14,
      );
  });
});
