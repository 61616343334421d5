import { Decimal128, type Document, Double, Long } from 'bson';
import { expect } from 'chai';
import fc from 'fast-check';
import { compileByteFilter } from '../../src/matching/byte-filter.js';
import { compileFilter } from '../../src/matching/index.js';
import { encodeDocument } from '../../src/storage/encode.js';
import { ByteDocument } from '../../src/values/byte-document.js';
import { compareValues, decodeDocument } from '../../src/values/index.js';
import { orderAt } from '../../src/values/order-at.js';
import { anyValue } from './arbitrary.js';

const TEXTS = [
  '0',
  '-0',
  '1',
  '1.0',
  '0.1',
  '12.37',
  '-12.37',
  '9007199254740993',
  '1E+400',
  'NaN',
  '-Infinity',
];
const LONGS = ['0', '1', '12', '-3', '9007199254740992', '9007199254740993', '-9223372036854775808'];
/** Numbers of all types, many of them equal or nearly so. */
const number = fc.oneof(
  fc.constantFrom(...TEXTS).map((text): unknown => Decimal128.fromString(text)),
  fc.constantFrom(...LONGS).map((text): unknown => Long.fromString(text)),
  fc.constantFrom<unknown>(
    0,
    1,
    12,
    0.1,
    12.37,
    -12.37,
    2 ** 53,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    new Double(1),
  ),
  fc.double().map((value): unknown => value),
);
const value = fc.oneof(number, anyValue);
const RUNS = { numRuns: 5000 };

describe('embedded/values: comparing values by their bytes', () => {
  it('gives the order of the decoded values, where bytes determine it', () => {
    let compared = 0;
    const document = new ByteDocument(['a', 'b']);
    fc.assert(
      fc.property(value, value, (a, b) => {
        const bytes = encodeDocument({ a, b });
        const { a: left, b: right } = decodeDocument(bytes);
        document.read(bytes);
        const [one, other] = [0, 1].map((slot) => ({
          type: document.typeOf(slot),
          at: document.placeOf(slot),
        }));
        if (one === undefined || other === undefined) throw new Error('no slot');
        const order = orderAt(bytes, one, other);
        if (order === undefined) return;
        compared += 1;
        expect(Math.sign(order)).to.equal(Math.sign(compareValues(left, right)));
      }),
      RUNS,
    );
    expect(compared).to.be.greaterThan(RUNS.numRuns / 4);
  });

  it('agrees with filters on bytes about numbers', () => {
    const names = fc.constantFrom('$eq', '$gt', '$gte', '$lt', '$lte', '$ne');
    const condition = fc.oneof(
      fc.tuple(names, number).map(([name, limit]): Document => ({ [name]: limit })),
      fc.array(number, { maxLength: 4 }).map(($in): Document => ({ $in })),
    );
    fc.assert(
      fc.property(value, condition, (a, filter) => {
        const bytes = encodeDocument({ a });
        const expected = compileFilter({ a: filter }, {})(decodeDocument(bytes));
        expect(compileByteFilter({ a: filter }).test(bytes)).to.equal(expected);
      }),
      RUNS,
    );
  });
});
