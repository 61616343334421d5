import { type Document, EJSON } from 'bson';
import { expect } from 'chai';
import fc from 'fast-check';
import { compileByteFilter } from '../../src/matching/byte-filter.js';
import { compileFilter } from '../../src/matching/index.js';
import { encodeDocument } from '../../src/storage/encode.js';
import { ByteDocument, documentReader } from '../../src/values/byte-document.js';
import { decodeDocument } from '../../src/values/index.js';
import { filter } from '../differential/filters.js';
import { anyValue } from '../values/arbitrary.js';

const members = fc.dictionary(fc.constantFrom('a', 'b', 'c', 's', 'x', 'zz', 'é'), anyValue, { maxKeys: 6 });
const COMPARISONS = ['$eq', '$ne', '$gt', '$gte', '$lt', '$lte'] as const;
const comparison: fc.Arbitrary<Document> = fc
  .tuple(fc.constantFrom('a', 'b', 'c', 'a.b', 'a.c.a'), fc.constantFrom(...COMPARISONS), anyValue)
  .map(([path, name, operand]) => ({ [path]: { [name]: operand ?? null } }));
const combined: fc.Arbitrary<Document> = fc.oneof(
  comparison,
  filter,
  fc.tuple(comparison, filter).map(([a, b]) => ({ $and: [a, { $nor: [b] }] })),
  fc.constant({ $expr: { $gt: ['$a', '$b'] } }),
  fc.constant({ $jsonSchema: { required: ['a'], properties: { b: { bsonType: 'string' } } } }),
);

/** The result of a test, or that it throws. */
function outcomeOf(ask: () => boolean): string {
  try {
    return String(ask());
  } catch (error) {
    return (error as Error).message;
  }
}

describe('embedded/matching: filters over bytes', () => {
  it('give the same result as on the decoded document', function () {
    this.timeout(180_000);
    fc.assert(
      fc.property(combined, fc.array(members, { minLength: 1, maxLength: 4 }), (filter, documents) => {
        const outcome = outcomeOf(() => compileFilter(filter) !== undefined);
        if (outcome !== 'true') {
          expect(outcomeOf(() => compileByteFilter(filter) !== undefined)).to.equal(outcome);
          return;
        }
        const test = compileFilter(filter);
        const { test: testBytes } = compileByteFilter(filter);
        for (const document of documents) {
          const bytes = encodeDocument(document);
          const context = `${EJSON.stringify(filter)} over ${EJSON.stringify(document)}`;
          expect(
            outcomeOf(() => testBytes(bytes)),
            context,
          ).to.equal(outcomeOf(() => test(decodeDocument(bytes))));
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('compare by collation as on the decoded document', () => {
    const collation = { locale: 'en', strength: 2 };
    for (const filter of [{ a: 'ABC' }, { a: { $gt: 'abb' } }, { 'o.a': { $in: ['ABC'] } }]) {
      const { test } = compileByteFilter(filter, { collation });
      for (const document of [{ a: 'abc' }, { a: 'abd', o: { a: 'abC' } }, {}]) {
        expect(test(encodeDocument(document))).to.equal(compileFilter(filter, { collation })(document));
      }
    }
  });

  it('reads several fields in the order of the document', () => {
    const read = documentReader(new Set(['c', 'a', 'none']));
    const bytes = encodeDocument({ a: [1, { x: 2 }], b: 'y', c: null, d: 1 });
    expect(Object.entries(read(bytes))).to.deep.equal([
      ['a', [1, { x: 2 }]],
      ['c', null],
    ]);
    expect(read(encodeDocument({ b: 1 }))).to.deep.equal({});
  });

  it('rejects bytes that are not a document', () => {
    const document = new ByteDocument(['b']);
    expect(() => document.read(Buffer.from([9, 0, 0, 0, 0x10, 0x61, 0x61]))).to.throw('bad BSON');
    expect(() => document.read(Buffer.from([9, 0, 0, 0, 0x44, 0x61, 0, 1, 0]))).to.throw('bad BSON');
  });
});
