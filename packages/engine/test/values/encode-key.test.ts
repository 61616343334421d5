import {
  Binary,
  BSONSymbol,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'bson';
import { expect } from 'chai';
import fc from 'fast-check';
import { compareValues, valueComparer } from '../../src/values/compare.js';
import { type Direction, encodeKey } from '../../src/values/encode-key.js';
import { hasher, hashKey } from '../../src/values/hash-key.js';
import { limitRange, prefixRange } from '../../src/values/key-bounds.js';
import { anyValue } from './arbitrary.js';

/** Values in MongoDB's order, each strictly below the next. */
const ASCENDING: unknown[] = [
  new MinKey(),
  undefined,
  null,
  Number.NaN,
  Number.NEGATIVE_INFINITY,
  Decimal128.fromString('-1E400'),
  -1e300,
  Long.fromString('-9007199254740995'),
  Long.fromString('-9007199254740993'),
  -9007199254740992,
  -1.5,
  -1,
  -5e-324,
  0,
  5e-324,
  Decimal128.fromString('0.1'),
  0.1,
  1,
  1.5,
  2,
  9007199254740992,
  Long.fromString('9007199254740993'),
  Decimal128.fromString('9007199254740993.5'),
  Long.fromString('9007199254740995'),
  Long.MAX_VALUE,
  2 ** 63,
  1e300,
  Decimal128.fromString('1E400'),
  Number.POSITIVE_INFINITY,
  '',
  '\u0000',
  '\u0001',
  'A',
  'a',
  'a\u0000',
  'ab',
  'b',
  'é',
  '\uffff',
  '😀',
  {},
  { a: 1 },
  { a: 1, b: 1 },
  { a: 2 },
  { b: 1 },
  { a: 'x' },
  [],
  [null],
  [1],
  [1, 2],
  [2],
  new Binary(Buffer.from([1])),
  new Binary(Buffer.from([1]), 5),
  new Binary(Buffer.from([0, 0])),
  new ObjectId('000000000000000000000001'),
  new ObjectId('ff0000000000000000000001'),
  false,
  true,
  new Date(-1),
  new Date(0),
  new Date(1),
  new Timestamp({ t: 1, i: 2 }),
  new Timestamp({ t: 2, i: 1 }),
  /a/,
  /a/i,
  /b/,
  new MaxKey(),
];

describe('embedded/values: encodeKey', () => {
  it('orders a table of all types as compareValues does', () => {
    ASCENDING.forEach((a, i) => {
      ASCENDING.forEach((b, j) => {
        const title = `${i} against ${j}`;
        expect(Math.sign(compareValues(a, b)), title).to.equal(Math.sign(i - j));
        expect(Buffer.compare(encodeKey([a], [1]), encodeKey([b], [1])), title).to.equal(Math.sign(i - j));
        expect(Buffer.compare(encodeKey([a], [-1]), encodeKey([b], [-1])), title).to.equal(Math.sign(j - i));
      });
    });
  });

  it('maps equal numbers of all types to one key', () => {
    const five = [5, new Double(5), new Int32(5), Long.fromNumber(5), Decimal128.fromString('5.00')];
    for (const value of five) {
      expect(encodeKey([value], [1])).to.deep.equal(encodeKey([5], [1]));
      expect(hashKey(value)).to.equal(5);
    }
    const big = [Long.fromString('9007199254740993'), Decimal128.fromString('9007199254740993.0')];
    expect(encodeKey([big[0]], [1])).to.deep.equal(encodeKey([big[1]], [1]));
    expect(hashKey(big[0])).to.equal(hashKey(big[1]));
    expect(encodeKey([-0], [1])).to.deep.equal(encodeKey([0], [1]));
  });

  it('orders random values, compound and in both directions, as compareValues does', () => {
    const direction = fc.constantFrom<Direction>(1, -1);
    fc.assert(
      fc.property(
        fc.tuple(anyValue, anyValue),
        fc.tuple(anyValue, anyValue),
        fc.tuple(direction, direction),
        (a, b, directions) => {
          const wanted =
            compareValues(a[0], b[0]) * directions[0] || compareValues(a[1], b[1]) * directions[1];
          const got = Buffer.compare(encodeKey(a, directions), encodeKey(b, directions));
          expect(got).to.equal(Math.sign(wanted));
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('hashes two values alike exactly if they are equal', () => {
    fc.assert(
      fc.property(anyValue, anyValue, (a, b) => {
        expect(hashKey(a) === hashKey(b) || (Number.isNaN(hashKey(a)) && Number.isNaN(hashKey(b)))).to.equal(
          compareValues(a, b) === 0,
        );
      }),
      { numRuns: 3000 },
    );
  });

  it('hashes two values alike exactly if a collation considers them equal', () => {
    const texts = ['', 'a', 'A', 'é', 'e', 'a\u0001', '\u0000', 'क', 'कि', '😀', new BSONSymbol('a')];
    const values = texts.flatMap((text) => [text, [text], { x: text }, { x: [{ y: text }] }]);
    for (const strength of [1, 2, 3]) {
      const collation = { locale: 'en', strength };
      const [hash, compare] = [hasher(collation), valueComparer(collation)];
      for (const a of values)
        for (const b of values)
          expect(hash(a) === hash(b), `${strength} ${JSON.stringify([a, b])}`).to.equal(compare(a, b) === 0);
    }
  });

  it('bounds a prefix and a range of the next field', () => {
    const within = (range: { start: Buffer; end: Buffer }, key: Buffer): boolean =>
      Buffer.compare(key, range.start) >= 0 && Buffer.compare(key, range.end) < 0;
    fc.assert(
      fc.property(
        anyValue,
        anyValue,
        anyValue,
        fc.constantFrom<Direction>(1, -1),
        (head, value, limit, direction) => {
          const directions: Direction[] = [1, direction, 1];
          const key = encodeKey([head, value, 'tail'], directions);
          expect(within(prefixRange([head], directions), key)).to.equal(true);
          if (limit === undefined || Number.isNaN(limit)) return;
          const sameType = within(
            prefixRange([head, limit], directions),
            encodeKey([head, limit, 1], directions),
          );
          expect(sameType).to.equal(true);
          const order = compareValues(value, limit);
          const bracket = within(limitRange([head], directions, { gte: limit }), key) || order < 0;
          if (order >= 0 && bracket && !within(limitRange([head], directions, { gte: limit }), key)) {
            expect.fail('a key within the limits was left out');
          }
          if (order < 0) expect(within(limitRange([head], directions, { gte: limit }), key)).to.equal(false);
          if (order > 0) expect(within(limitRange([head], directions, { lte: limit }), key)).to.equal(false);
          if (order <= 0) expect(within(limitRange([head], directions, { gt: limit }), key)).to.equal(false);
          if (order >= 0) expect(within(limitRange([head], directions, { lt: limit }), key)).to.equal(false);
        },
      ),
      { numRuns: 3000 },
    );
  });

  const RANGES: [string, object, unknown[]][] = [
    ['gt', { gt: 2 }, [3, 4.5]],
    ['gte', { gte: 2 }, [2, 3, 4.5]],
    ['lt', { lt: 3 }, [1, 2]],
    ['between', { gt: 1, lte: 3 }, [2, 3]],
    ['strings', { gte: 'a' }, ['a', 'b']],
  ];
  for (const [title, limits, wanted] of RANGES) {
    for (const direction of [1, -1] as const) {
      it(`covers exactly the values of the limit's type: ${title} ${direction}`, () => {
        const values = [null, 1, 2, 3, 4.5, 'a', 'b', new Date(0)];
        const { start, end } = limitRange(['x'], [1, direction], limits);
        const got = values.filter((value) => {
          const key = encodeKey(['x', value], [1, direction]);
          return Buffer.compare(key, start) >= 0 && Buffer.compare(key, end) < 0;
        });
        expect(got).to.deep.equal(wanted);
      });
    }
  }
});
