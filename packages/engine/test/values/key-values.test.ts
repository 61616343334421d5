import { expect } from 'chai';
import fc from 'fast-check';
import { Decimal128, Double, Long, MaxKey, ObjectId } from 'mongodb';
import { keyNotes, readKey } from '../../src/indexes/key-values.js';
import { type Direction, encodeKey } from '../../src/values/index.js';
import { anyCharacter } from '../support/any-character.js';

const scalar = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    -0,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ),
  fc.integer(),
  fc.double({ noNaN: true }),
  fc.integer().map((value) => new Double(value)),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => Long.fromBigInt(value)),
  fc.integer().map((value) => Long.fromNumber(value)),
  fc.integer().map((value) => Decimal128.fromString(`${value}.0`)),
  fc.string({ unit: anyCharacter }),
  fc.constantFrom('', '\0', '\u0001', 'a\0b', 'é\u0001'),
  fc.date({ noInvalidDate: true }),
  fc.uint8Array({ minLength: 12, maxLength: 12 }).map((bytes) => new ObjectId(bytes)),
  fc.constant({ x: new Double(1), y: [1, null] }),
  fc.constant(new MaxKey()),
);
const direction = fc.constantFrom<Direction>(1, -1);
const PATHS = ['a', 'b', 'c'];

describe('embedded engine: values of index keys', () => {
  it('an entry contains the values that it was built from, with their types', () => {
    const property = fc.property(
      fc.tuple(fc.option(scalar, { nil: undefined }), scalar, scalar),
      fc.tuple(direction, direction, direction),
      fc.integer({ min: 0, max: 3 }),
      (values, directions, fields) => {
        const document = Object.fromEntries(values.map((value, i) => [PATHS[i], value]));
        const indexed = values.map((value) => value ?? null);
        const head = Buffer.from([0, 0, 0, 9]);
        const bytes = Buffer.concat([head, encodeKey(indexed, directions), Buffer.alloc(6, 0xee)]);
        const notes = keyNotes(indexed, PATHS, document);
        const found = readKey({ bytes, at: head.length, notes }, directions, fields);
        expect(found?.values).to.deep.equal(values.slice(0, fields));
        if (found?.end !== undefined)
          expect(found.end).to.equal(4 + encodeKey(indexed.slice(0, fields), directions).length);
      },
    );
    fc.assert(property, { numRuns: 2000 });
  });

  it('except where they cannot be known', () => {
    const read = (values: readonly unknown[], paths: readonly string[], document: object) => {
      const notes = keyNotes(values, paths, document);
      return readKey({ bytes: encodeKey(values, [1]), at: 0, notes }, [1], 1);
    };
    expect(read([null], ['a.b'], { a: 5 }), 'how much of a path is missing').to.equal(undefined);
    expect(read([undefined], ['a'], { a: [] }), 'an empty array').to.equal(undefined);
    expect(read(['x'.repeat(10)], ['a'], { a: 'x'.repeat(10) })?.values).to.deep.equal(['x'.repeat(10)]);
  });
});
