import { BSONSymbol, Decimal128, Double, Long, ObjectId } from 'bson';
import fc from 'fast-check';
import { anyCharacter } from '../support/any-character.js';

const number = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.double(),
  fc.constantFrom(0.1, 1.5, 2.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, -(2 ** 53)),
  fc.integer({ min: -3, max: 3 }).map((value) => new Double(value)),
  fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }).map((value) => Long.fromBigInt(value)),
  fc.bigInt({ min: (1n << 53n) - 3n, max: (1n << 53n) + 3n }).map((value) => Long.fromBigInt(value)),
  fc
    .constantFrom('0.1', '1.50', '-2', '1E+3', '9007199254740993', '9007199254740992.5', 'NaN', '-Infinity')
    .map((text) => Decimal128.fromString(text)),
);

const scalar = fc.oneof(
  { weight: 4, arbitrary: number },
  {
    weight: 3,
    arbitrary: fc.constantFrom('', 'a', 'b', 'ab', 'A', 'é', '\u0000', 'a\u0001', '😀', '\ufffd'),
  },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 4 }) },
  { weight: 3, arbitrary: fc.constantFrom(null, true, false, undefined) },
  { weight: 1, arbitrary: fc.constantFrom('a', 'ab', 'A').map((text) => new BSONSymbol(text)) },
  { weight: 1, arbitrary: fc.integer({ min: -2, max: 2 }).map((value) => new Date(value)) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('000000000000000000000001', '0000000000000000000000ff')
      .map((hex) => new ObjectId(hex)),
  },
);

/** Any BSON value, with small sets of strings, names and numbers so that equal ones occur often. */
export const anyValue: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { weight: 6, arbitrary: scalar },
    {
      weight: 1,
      arbitrary: fc.array(
        tie('value').map((value) => value ?? null),
        { maxLength: 3 },
      ),
    },
    {
      weight: 1,
      arbitrary: fc.dictionary(
        fc.constantFrom('a', 'b', 'c'),
        tie('value').map((value) => value ?? null),
        { maxKeys: 3 },
      ),
    },
  ),
})).value;
