import { BSONRegExp, Decimal128, type Document, Double, Long, MaxKey } from 'bson';
import { expect } from 'chai';
import { compileFilter } from '../../../../src/embedded/matching/index.js';

type Row = [filter: Document, document: Document, matches: boolean];

/** MongoDB's documented semantics, row by row. */
const TABLE: Readonly<Record<string, readonly Row[]>> = {
  'null and missing': [
    [{ a: null }, {}, true],
    [{ a: null }, { a: null }, true],
    [{ a: null }, { a: 0 }, false],
    [{ a: null }, { a: [] }, false],
    [{ a: null }, { a: [1, null] }, true],
    [{ 'a.b': null }, { a: 5 }, true],
    [{ 'a.b': null }, { a: [] }, false],
    [{ 'a.b': null }, { a: [1] }, false],
    [{ 'a.b': null }, { a: [{ b: 1 }, {}] }, true],
    [{ a: { $ne: null } }, {}, false],
    [{ a: { $gte: null } }, {}, true],
    [{ a: { $gt: null } }, { a: null }, false],
    [{ a: { $in: [null, 1] } }, {}, true],
    [{ a: { $nin: [null] } }, {}, false],
    [{ a: { $exists: false } }, { a: null }, false],
    [{ a: { $exists: true } }, { a: null }, true],
    [{ 'a.b': { $exists: false } }, { a: [] }, true],
  ],
  'numbers across types': [
    [{ a: 2 }, { a: Decimal128.fromString('2.0') }, true],
    [{ a: 2 }, { a: Long.fromNumber(2) }, true],
    [{ a: Long.fromString('9007199254740993') }, { a: 9007199254740992 }, false],
    [{ a: 0.1 }, { a: Decimal128.fromString('0.1') }, false],
    [{ a: { $gt: 1 } }, { a: '2' }, false],
    [{ a: { $lt: 1 } }, { a: Number.NaN }, false],
    [{ a: { $gte: Number.NaN } }, { a: Number.NaN }, true],
    [{ a: { $lt: new MaxKey() } }, { a: 'x' }, true],
    [{ a: { $gt: new Date(0) } }, { a: 5 }, false],
  ],
  arrays: [
    [{ a: 1 }, { a: [1, 2] }, true],
    [{ a: [1, 2] }, { a: [1, 2] }, true],
    [{ a: [1, 2] }, { a: [[1, 2]] }, true],
    [{ a: [2, 1] }, { a: [1, 2] }, false],
    [{ a: 1 }, { a: [[1]] }, false],
    [{ a: { $gt: 1, $lt: 2 } }, { a: [0, 3] }, true],
    [{ a: { $elemMatch: { $gt: 1, $lt: 2 } } }, { a: [0, 3] }, false],
    [{ a: { $ne: 1 } }, { a: [1, 2] }, false],
    [{ 'a.0': 1 }, { a: [1, 2] }, true],
    [{ 'a.1': 1 }, { a: [1, 2] }, false],
    [{ 'a.0.b': 1 }, { a: [{ b: 1 }] }, true],
    [{ 'a.b': 1 }, { a: [[{ b: 1 }]] }, false],
    [{ 'a.b': { $gt: 1 } }, { a: [{ b: 1 }, { b: 2 }] }, true],
    [{ a: { $size: 0 } }, { a: [] }, true],
    [{ a: { $size: 1 } }, { a: 'x' }, false],
    [{ a: { $all: [1, 2] } }, { a: [2, 1, 3] }, true],
    [{ a: { $all: [] } }, { a: [] }, false],
    [
      { a: { $all: [{ $elemMatch: { b: 1 } }, { $elemMatch: { b: 2 } }] } },
      { a: [{ b: 1 }, { b: 2 }] },
      true,
    ],
    [{ a: { $elemMatch: { b: 1, c: 1 } } }, { a: [{ b: 1 }, { c: 1 }] }, false],
    [{ a: { $type: 'array' } }, { a: [] }, true],
    [{ a: { $type: 'string' } }, { a: [1, 'x'] }, true],
  ],
  documents: [
    [{ a: { b: 1, c: 2 } }, { a: { b: 1, c: 2 } }, true],
    [{ a: { b: 1, c: 2 } }, { a: { c: 2, b: 1 } }, false],
    [{ a: {} }, { a: {} }, true],
    [{ constructor: { $exists: true } }, {}, false],
    [{ 'a.toString': null }, { a: {} }, true],
  ],
  'types and bits': [
    [{ a: { $type: 'int' } }, { a: 1 }, true],
    [{ a: { $type: 'double' } }, { a: new Double(1) }, true],
    [{ a: { $type: 'double' } }, { a: 1 }, false],
    [{ a: { $type: ['null', 'long'] } }, { a: Long.ONE }, true],
    [{ a: { $type: 'null' } }, {}, false],
    [{ a: { $mod: [4, 0] } }, { a: 8.9 }, true],
    [{ a: { $mod: [4, -1] } }, { a: -5 }, true],
    [{ a: { $bitsAllSet: [0, 2] } }, { a: 5 }, true],
    [{ a: { $bitsAnyClear: 5 } }, { a: 5 }, false],
    [{ a: { $bitsAllSet: 1 } }, { a: 1.5 }, false],
    [{ a: { $bitsAnySet: 1 } }, { a: -1 }, true],
  ],
  'regular expressions': [
    [{ a: /^x/i }, { a: 'Xy' }, true],
    [{ a: { $regex: '^épsilon', $options: 'i' } }, { a: 'Épsilon' }, true],
    [{ a: { $in: [/^x/, 'q'] } }, { a: 'xy' }, true],
    [{ a: { $not: /x/ } }, {}, true],
    [{ a: { $regex: 'a b # c', $options: 'x' } }, { a: 'ab' }, true],
    [{ a: { $regex: '(?i)AB' } }, { a: 'ab' }, true],
    [{ a: { $regex: 'a.b', $options: 's' } }, { a: 'a\nb' }, true],
    [{ a: new BSONRegExp('x', 'i') }, { a: ['q', 'X'] }, true],
    [{ a: /x/ }, { a: 5 }, false],
  ],
  logic: [
    [{ $or: [{ a: 1 }, { b: 1 }] }, { b: 1 }, true],
    [{ $nor: [{ a: 1 }, { b: 1 }] }, { c: 1 }, true],
    [{ $and: [{ a: { $gt: 0 } }, { a: { $lt: 2 } }] }, { a: 1 }, true],
    [{ a: { $not: { $gt: 1 } } }, {}, true],
    [{ $expr: { $gt: ['$a', '$b'] } }, { a: 2, b: 1 }, true],
    [{ $expr: { $eq: ['$a', null] } }, {}, false],
    [{}, { a: 1 }, true],
    [{ $comment: 'why', a: 1 }, { a: 1 }, true],
  ],
  $jsonSchema: [
    [
      { $jsonSchema: { required: ['a'], properties: { a: { bsonType: 'string', minLength: 2 } } } },
      { a: 'xy' },
      true,
    ],
    [{ $jsonSchema: { required: ['a'] } }, {}, false],
    [
      { $jsonSchema: { properties: { a: { type: 'number', minimum: 1, exclusiveMinimum: true } } } },
      { a: 1 },
      false,
    ],
    [{ $jsonSchema: { properties: { a: { enum: ['x', null] } } } }, { a: null }, true],
    [{ $jsonSchema: { properties: { a: {} }, additionalProperties: false } }, { a: 1, b: 1 }, false],
    [
      { $jsonSchema: { properties: { a: { items: { bsonType: 'int' }, uniqueItems: true } } } },
      { a: [1, 1] },
      false,
    ],
    [{ $jsonSchema: { oneOf: [{ required: ['a'] }, { required: ['b'] }] } }, { a: 1, b: 1 }, false],
    [{ $jsonSchema: { dependencies: { a: ['b'] } } }, { a: 1 }, false],
  ],
};

const REFUSED: readonly [Document, number][] = [
  [{ a: { $foo: 1 } }, 2],
  [{ $foo: 1 }, 2],
  [{ a: { $in: 1 } }, 2],
  [{ a: { $size: -1 } }, 2],
  [{ a: { $mod: [0, 1] } }, 2],
  [{ a: { $not: {} } }, 2],
  [{ $or: [] }, 2],
  [{ a: { $options: 'i' } }, 2],
  [{ a: { $regex: '(' } }, 51091],
  [{ a: { $type: 'thing' } }, 2],
  [{ $where: '1' }, 238],
  [{ $text: { $search: 'x' } }, 238],
  [{ a: { $near: [0, 0] } }, 238],
];

describe('embedded/matching: compileFilter', () => {
  for (const [title, rows] of Object.entries(TABLE)) {
    it(title, () => {
      for (const [filter, document, matches] of rows) {
        expect(compileFilter(filter)(document), JSON.stringify([filter, document])).to.equal(matches);
      }
    });
  }

  it('compares strings by the collation', () => {
    const collation = { locale: 'en', strength: 2 };
    const rows: Row[] = [
      [{ a: 'ABC' }, { a: 'abc' }, true],
      [{ a: { $in: ['ABC'] } }, { a: ['x', 'abc'] }, true],
      [{ a: { $ne: 'ABC' } }, { a: 'abc' }, false],
      [{ a: { $gt: 'B' } }, { a: 'c' }, true],
      [{ a: 'e' }, { a: 'é' }, false],
      [{ a: { b: 'X' } }, { a: { b: 'x' } }, true],
    ];
    for (const [filter, document, matches] of rows) {
      expect(compileFilter(filter, { collation })(document), JSON.stringify(filter)).to.equal(matches);
    }
  });

  it('reads the variables of let in $expr', () => {
    const test = compileFilter({ $expr: { $eq: ['$a', '$$x'] } }, { variables: { x: 3 } });
    expect([test({ a: 3 }), test({ a: 4 })]).to.deep.equal([true, false]);
  });

  it('refuses what MongoDB refuses, with its codes', () => {
    for (const [filter, code] of REFUSED) {
      expect(() => compileFilter(filter), JSON.stringify(filter))
        .to.throw()
        .with.property('code', code);
    }
  });
});
