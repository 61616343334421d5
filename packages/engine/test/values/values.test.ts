import {
  Binary,
  BSONRegExp,
  Code,
  Decimal128,
  type Document,
  Double,
  EJSON,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  serialize,
  Timestamp,
} from 'bson';
import { expect } from 'chai';
import fc from 'fast-check';
import { documentReader } from '../../src/values/byte-document.js';
import {
  bsonTypeOf,
  collationKey,
  compareBytewise,
  decodeDocument,
  equalValues,
  indexKeys,
  isMissingAt,
  stringComparer,
  valuesAt,
} from '../../src/values/index.js';
import { anyValue } from './arbitrary.js';

const ALL_TYPES: Document = {
  _id: new ObjectId(),
  int: 1,
  whole: new Double(1),
  double: 1.5,
  minusZero: -0,
  long: Long.fromString('-9223372036854775808'),
  decimal: Decimal128.fromString('1.10'),
  short: 'é',
  text: 'x'.repeat(40),
  none: null,
  yes: true,
  date: new Date(-1),
  late: new Date(253402300799999),
  binary: new Binary(Buffer.from('hi'), 5),
  regex: new BSONRegExp('a|b', 'imsx'),
  stamp: new Timestamp({ t: 4, i: 2 }),
  code: new Code('f()'),
  scoped: new Code('f()', { a: 1 }),
  least: new MinKey(),
  most: new MaxKey(),
  array: [1, [2], { a: [] }],
  nested: { a: { b: {} } },
  __proto: 1,
  'a name beyond the length that is kept for another time': 1,
};

describe('embedded/values: decodeDocument', () => {
  it('preserves every type: encoding again gives the same bytes', () => {
    const bytes = Buffer.from(serialize(ALL_TYPES));
    expect(Buffer.from(serialize(decodeDocument(bytes))).equals(bytes)).to.equal(true);
  });

  it('also for random documents', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string({ maxLength: 5 }).filter((name) => !name.includes('\0')),
          anyValue,
        ),
        (document) => {
          const bytes = Buffer.from(serialize(document, { ignoreUndefined: true }));
          expect(Buffer.from(serialize(decodeDocument(bytes))).equals(bytes)).to.equal(true);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('reads some fields and skips the others', () => {
    const bytes = Buffer.from(serialize(ALL_TYPES));
    for (const name of Object.keys(ALL_TYPES)) {
      const got = documentReader(new Set([name, 'absent']))(bytes);
      expect(Object.keys(got), name).to.deep.equal([name]);
      expect(EJSON.stringify(got)).to.equal(EJSON.stringify({ [name]: decodeDocument(bytes)[name] }));
    }
  });

  it('sets a field named __proto__ like any other', () => {
    const bytes = Buffer.from(serialize(JSON.parse('{"__proto__": {"x": 1}, "y": 2}')));
    const got = decodeDocument(bytes);
    expect(Object.keys(got)).to.deep.equal(['__proto__', 'y']);
    expect(Object.getPrototypeOf(got)).to.equal(Object.prototype);
  });

  it('rejects malformed bytes', () => {
    const bytes = Buffer.from(serialize({ a: 'text' }));
    bytes.writeInt32LE(9999, 7);
    expect(() => decodeDocument(bytes))
      .to.throw()
      .with.property('code', 22);
    const unknown = Buffer.from(serialize({ a: 1 }));
    unknown[4] = 0x33;
    expect(() => decodeDocument(unknown))
      .to.throw()
      .with.property('code', 22);
  });

  it('rejects documents that end too early, wherever that is', () => {
    for (const document of [ALL_TYPES, { array: [1] }, { array: [] }]) {
      const bytes = Buffer.from(serialize(document));
      for (let end = 5; end < bytes.length; end++)
        expect(() => decodeDocument(bytes.subarray(0, end)), `the first ${end} bytes`).to.throw();
    }
  });
});

describe('embedded/values: types', () => {
  const TYPES: readonly [unknown, string][] = [
    [1, 'int'],
    [2 ** 31, 'double'],
    [-0, 'double'],
    [new Double(1), 'double'],
    [Long.ONE, 'long'],
    [undefined, 'missing'],
    [/a/, 'regex'],
    [{ _bsontype: undefined }, 'object'],
    [Buffer.from(''), 'binData'],
    [new Code('f', { a: 1 }), 'javascriptWithScope'],
  ];
  it('names each', () => {
    for (const [value, type] of TYPES) expect(bsonTypeOf(value)).to.equal(type);
  });

  it('treats numbers as equal across types, and documents only with their fields in order', () => {
    expect(equalValues(1, Decimal128.fromString('1.0'))).to.equal(true);
    expect(equalValues({ a: 1, b: 1 }, { b: 1, a: 1 })).to.equal(false);
    expect(equalValues(null, undefined)).to.equal(false);
    expect(equalValues('1', 1)).to.equal(false);
  });
});

describe('embedded/values: index keys and paths', () => {
  const KEYS: readonly [document: Document, paths: string[], keys: unknown[][]][] = [
    [{ a: 1 }, ['a', 'b'], [[1, null]]],
    [
      { a: [1, 2], b: 3 },
      ['a', 'b'],
      [
        [1, 3],
        [2, 3],
      ],
    ],
    [{ a: [] }, ['a'], [[undefined]]],
    [{ a: [] }, ['a.x'], [[null]]],
    [
      { a: [{ x: 1, y: 2 }, { x: 3 }, 4] },
      ['a.x', 'a.y'],
      [
        [1, 2],
        [3, null],
        [null, null],
      ],
    ],
    [{ a: [{ x: [1, 2] }] }, ['a.x'], [[1], [2]]],
    [{ a: [[1, 2]] }, ['a'], [[[1, 2]]]],
    [{ a: [5, 6] }, ['a.1'], [[6]]],
    [{ a: { b: 1 } }, ['a'], [[{ b: 1 }]]],
    [{ a: 5 }, ['a.b'], [[null]]],
  ];
  it('returns the keys of each document', () => {
    for (const [document, paths, keys] of KEYS)
      expect(indexKeys(document, paths), JSON.stringify(document)).to.deep.equal(keys);
  });

  it('returns the values at one path that a sort chooses from', () => {
    for (const [document, [path, other], keys] of KEYS) {
      if (path === undefined || other !== undefined) continue;
      expect(valuesAt(document, path), JSON.stringify(document)).to.deep.equal(keys.map(([key]) => key));
    }
  });

  it('rejects two arrays in one key', () => {
    expect(() => indexKeys({ a: [1], b: [1] }, ['a', 'b']))
      .to.throw()
      .with.property('code', 171);
  });

  it('distinguishes missing from null', () => {
    const MISSING: readonly [Document, string, boolean][] = [
      [{}, 'a', true],
      [{ a: null }, 'a', false],
      [{ a: [] }, 'a.b', true],
      [{ a: [{ b: null }] }, 'a.b', false],
      [{ a: [1] }, 'a.0', false],
    ];
    for (const [document, path, missing] of MISSING) expect(isMissingAt(document, path)).to.equal(missing);
  });
});

describe('embedded/values: collation', () => {
  const LETTERS = fc.string({
    unit: fc.constantFrom('a', 'A', 'b', 'é', 'É', 'e', 'ß', 's', 'S', 'z', '1', '2', '0', ' '),
    maxLength: 4,
  });

  it('sorts strings by code points without a collation', () => {
    expect(['😀', '\uffff', 'b', 'B', ''].sort(compareBytewise)).to.deep.equal([
      '',
      'B',
      'b',
      '\uffff',
      '😀',
    ]);
  });

  it('sorts by locale and strength', () => {
    const sorted = (options: object): string[] =>
      ['10', '9', 'b', 'A', 'a', 'B'].sort(stringComparer({ locale: 'en', ...options }));
    expect(sorted({})).to.deep.equal(['10', '9', 'a', 'A', 'b', 'B']);
    expect(sorted({ numericOrdering: true }).slice(0, 2)).to.deep.equal(['9', '10']);
    expect(sorted({ caseFirst: 'upper' }).slice(2, 4)).to.deep.equal(['A', 'a']);
  });

  for (const strength of [1, 2, 3]) {
    for (const numericOrdering of [false, true]) {
      it(`maps exactly the equal strings to one key: strength ${strength}, numeric ordering ${numericOrdering}`, () => {
        const collation = { locale: 'en', strength, numericOrdering };
        const compare = stringComparer(collation);
        fc.assert(
          fc.property(LETTERS, LETTERS, (a, b) => {
            expect(collationKey(a, collation) === collationKey(b, collation), `${a}|${b}`).to.equal(
              compare(a, b) === 0,
            );
          }),
          { numRuns: 4000 },
        );
      });
    }
  }

  it('rejects an invalid one', () => {
    for (const collation of [{ locale: 'en', strength: 9 }, { locale: '!!' }]) {
      expect(() => stringComparer(collation))
        .to.throw()
        .with.property('code', 2);
    }
  });
});
