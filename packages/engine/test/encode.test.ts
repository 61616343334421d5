import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  Decimal128,
  type Document,
  Double,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  serialize,
  Timestamp,
  UUID,
} from 'bson';
import { expect } from 'chai';
import fc from 'fast-check';
import { encodeDocument } from '../src/storage/encode.js';
import { Encoded } from '../src/values/encoded.js';
import { decodeDocument } from '../src/values/index.js';
import { sizeOf } from '../src/values/size.js';
import { anyCharacter } from './support/any-character.js';

const leaf = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 60 }),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.date({ noInvalidDate: true }),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((n) => Long.fromBigInt(n)),
  fc.integer().map((n) => new Double(n)),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => new Binary(bytes)),
  fc.constantFrom(
    new ObjectId('0123456789abcdef01234567'),
    Decimal128.fromString('1.50'),
    new UUID('01234567-89ab-4def-8123-456789abcdef'),
    new Timestamp({ t: 5, i: 6 }),
    new BSONRegExp('^a', 'i'),
    new BSONSymbol('s'),
    new Code('f()'),
    new Code('f()', { x: 1 }),
    new MinKey(),
    new MaxKey(),
  ),
);
const name = fc
  .string({ minLength: 1, maxLength: 12 })
  .filter((text) => !text.includes('\0') && text !== '__proto__' && !text.startsWith('$'));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(name, tie('value'), { maxKeys: 5 }),
  ),
}));
const document = fc.dictionary(name, value, { maxKeys: 8 }) as fc.Arbitrary<Document>;

describe('embedded engine: encoding', () => {
  it('writes what the bson package writes, and reads it back to the same bytes', () => {
    fc.assert(
      fc.property(document, (given) => {
        const bytes = encodeDocument(given);
        expect(bytes.equals(serialize(given))).to.equal(true);
        expect(encodeDocument(decodeDocument(bytes)).equals(bytes)).to.equal(true);
      }),
      { numRuns: 500 },
    );
  });

  it('never estimates more than the size of a document', () => {
    fc.assert(
      fc.property(document, (given) => {
        expect(sizeOf(given)).to.be.at.most(encodeDocument(given).length);
      }),
      { numRuns: 500 },
    );
    const plain = { text: 'abc', n: 1, d: 1.5, on: true, none: null, at: new Date(), in: [{ a: [1, 2] }] };
    expect(sizeOf(plain)).to.equal(encodeDocument(plain).length);
  });

  it('stops a document soon after its size limit, and writes the next one', () => {
    const text = 'x'.repeat(100);
    let seen = 0;
    const items = Array.from({ length: 1000 }, () => ({
      get text() {
        seen += 1;
        return text;
      },
    }));
    expect(() => encodeDocument({ items }, 1000)).to.throw(/is invalid. Size must be between/);
    expect(seen).to.be.lessThan(20);
    expect(encodeDocument({ text }).equals(serialize({ text }))).to.equal(true);
  });

  it('copies the bytes of a document that is encoded already', () => {
    const inner = { a: 1, b: 'x' };
    const encoded = new Encoded(encodeDocument(inner));
    expect(
      encodeDocument({ list: [encoded, encoded], encoded }).equals(
        serialize({ list: [inner, inner], encoded: inner }),
      ),
    ).to.equal(true);
  });

  it('omits undefined fields, and grows beyond any buffer', () => {
    expect(decodeDocument(encodeDocument({ a: undefined, b: [undefined], c: 1 }))).to.deep.equal({
      b: [null],
      c: 1,
    });
    expect(encodeDocument({ text: 'é'.repeat(20_000_000) }).length).to.equal(40_000_000 + 16);
  });

  it('rejects infinite nesting', () => {
    let deep: Document = {};
    for (let i = 0; i < 300; i++) deep = { deep };
    expect(() => encodeDocument(deep)).to.throw(/maximum nested object depth/);
  });
});
