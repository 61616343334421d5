import { type Document, Double, EJSON, Long, ObjectId } from 'bson';
import { expect } from 'chai';
import {
  compileUpdate,
  makeUpsert,
  type Update,
  type UpdateOptions,
} from '../../../../src/embedded/update/index.js';

type Row = [title: string, document: Document, update: Update, after: Document, options?: UpdateOptions];

const TABLE: readonly Row[] = [
  ['$set makes documents on its way', { a: 1 }, { $set: { 'b.c': 2 } }, { a: 1, b: { c: 2 } }],
  ['$set of an array place pads with null', { a: [1] }, { $set: { 'a.3': 4 } }, { a: [1, null, null, 4] }],
  ['new members come in the order of their names', {}, { $set: { z: 1 }, $inc: { b: 1 } }, { b: 1, z: 1 }],
  ['$unset of an element leaves null', { a: [1, 2] }, { $unset: { 'a.0': '' } }, { a: [null, 2] }],
  ['$unset through a scalar does nothing', { a: 1 }, { $unset: { 'a.b': '' } }, { a: 1 }],
  ['$inc of a missing member', {}, { $inc: { a: 2 } }, { a: 2 }],
  ['$inc overflows int to long', { a: 2147483647 }, { $inc: { a: 1 } }, { a: Long.fromNumber(2147483648) }],
  ['$inc keeps double', { a: new Double(1) }, { $inc: { a: 1 } }, { a: new Double(2) }],
  ['$mul of a missing member is 0', {}, { $mul: { a: 2 } }, { a: 0 }],
  [
    '$min and $max compare across types',
    { a: 5, b: 5 },
    { $min: { a: null }, $max: { b: 'x' } },
    { a: null, b: 'x' },
  ],
  ['$rename moves', { a: 1, b: 2 }, { $rename: { a: 'c.d' } }, { b: 2, c: { d: 1 } }],
  [
    '$push with all modifiers',
    { a: [3, 1] },
    { $push: { a: { $each: [2], $sort: 1, $slice: -2 } } },
    { a: [2, 3] },
  ],
  ['$push at a place', { a: [1, 2] }, { $push: { a: { $each: [9], $position: -1 } } }, { a: [1, 9, 2] }],
  ['$push of a document', {}, { $push: { a: { x: 1 } } }, { a: [{ x: 1 }] }],
  [
    '$addToSet holds equal numbers once',
    { a: [1] },
    { $addToSet: { a: { $each: [new Double(1), 2, 2] } } },
    { a: [1, 2] },
  ],
  [
    '$pull by a condition on documents',
    { a: [{ x: 1 }, { x: 2 }] },
    { $pull: { a: { x: { $gt: 1 } } } },
    { a: [{ x: 1 }] },
  ],
  ['$pull by operators', { a: [1, 5, 9] }, { $pull: { a: { $gte: 5 } } }, { a: [1] }],
  ['$pullAll', { a: [1, 2, 1] }, { $pullAll: { a: [1] } }, { a: [2] }],
  ['$pop', { a: [1, 2, 3] }, { $pop: { a: -1 } }, { a: [2, 3] }],
  ['$bit', { a: 13 }, { $bit: { a: { and: 10 } } }, { a: 8 }],
  ['$[] changes all', { a: [{ q: 1 }, { q: 2 }] }, { $inc: { 'a.$[].q': 1 } }, { a: [{ q: 2 }, { q: 3 }] }],
  [
    '$[name] changes some',
    { a: [1, 5] },
    { $set: { 'a.$[e]': 0 } },
    { a: [1, 0] },
    { arrayFilters: [{ e: { $gt: 2 } }] },
  ],
  [
    '$ is where the query matched',
    { a: [{ x: 1 }, { x: 2 }] },
    { $set: { 'a.$.y': 1 } },
    { a: [{ x: 1 }, { x: 2, y: 1 }] },
    { filter: { 'a.x': 2 } },
  ],
  [
    '$ by $elemMatch',
    { a: [1, 5, 9] },
    { $set: { 'a.$': 0 } },
    { a: [1, 0, 9] },
    { filter: { a: { $elemMatch: { $gt: 2 } } } },
  ],
  ['$setOnInsert waits', { a: 1 }, { $setOnInsert: { b: 1 } }, { a: 1 }],
  ['a replacement keeps the _id', { _id: 1, a: 1 }, { b: 2 }, { _id: 1, b: 2 }],
  ['a pipeline', { _id: 1, a: 1 }, [{ $set: { b: { $add: ['$a', 1] } } }, { $unset: 'a' }], { _id: 1, b: 2 }],
  ['a pipeline cannot lose the _id', { _id: 1, a: 1 }, [{ $replaceWith: { b: 1 } }], { _id: 1, b: 1 }],
];

const REFUSED: readonly [document: Document, update: Update, code: number, options?: UpdateOptions][] = [
  [{ _id: 1 }, { $set: { _id: 2 } }, 66],
  [{ _id: 1 }, { _id: 2, a: 1 }, 66],
  [{}, { $set: { a: 1 }, $inc: { a: 1 } }, 40],
  [{}, { $set: { a: 1, 'a.b': 1 } }, 40],
  [{}, { $set: { 'a.$[].x': 1, 'a.y': 1 } }, 40],
  [{}, { $foo: { a: 1 } }, 9],
  [{}, { $set: 1 }, 9],
  [{}, { $set: { 'a..b': 1 } }, 56],
  [{}, { $set: { 'a.$b': 1 } }, 52],
  [{}, { a: 1, $set: { b: 1 } }, 52],
  [{ a: 1 }, { $set: { 'a.b': 1 } }, 28],
  [{ a: null }, { $set: { 'a.b': 1 } }, 28],
  [{ a: [1] }, { $set: { 'a.x': 1 } }, 28],
  [{ a: 1 }, { $pop: { 'a.b': 1 } }, 28],
  [{ a: 'x' }, { $inc: { a: 1 } }, 14],
  [{}, { $inc: { a: 'x' } }, 14],
  [{ a: 1 }, { $push: { a: 1 } }, 2],
  [{ a: 1 }, { $pull: { a: 1 } }, 2],
  [{ a: 1 }, { $pop: { a: 1 } }, 14],
  [{ a: [1] }, { $set: { 'a.$': 1 } }, 2],
  [{ a: [1] }, { $set: { 'a.$[e]': 1 } }, 2],
  [{ a: [1] }, { $set: { b: 1 } }, 9, { arrayFilters: [{ e: 1 }] }],
  [{ a: 1 }, { $set: { 'a.$[]': 1 } }, 2],
  [{ a: 1 }, [{ $match: { a: 1 } }], 72],
  [{ a: [{ b: 1 }] }, { $rename: { 'a.0.b': 'c' } }, 2],
  [{ a: Long.MAX_VALUE }, { $inc: { a: 1 } }, 2],
];

const text = (document: Document): string => EJSON.stringify(document, { relaxed: false });

describe('embedded/update: compileUpdate', () => {
  for (const [title, document, update, after, options] of TABLE) {
    it(title, () => {
      const before = text(document);
      expect(text(compileUpdate(update, options)(document))).to.equal(text(after));
      expect(text(document), 'the old document stays').to.equal(before);
    });
  }

  it('gives the same object where nothing changes', () => {
    const document = { _id: 1, a: [1], b: { c: 1 } };
    const idle: Update[] = [
      { $set: { 'b.c': 1 } },
      { $addToSet: { a: 1 } },
      { $pull: { a: 7 } },
      { $unset: { z: '' } },
      { $max: { 'b.c': 0 } },
      { a: [1], b: { c: 1 } },
      [{ $set: { a: [1] } }],
    ];
    for (const update of idle)
      expect(compileUpdate(update)(document), JSON.stringify(update)).to.equal(document);
    expect(compileUpdate({ $set: { 'b.c': new Double(1) } })(document), 'another type').not.to.equal(
      document,
    );
  });

  it('refuses what MongoDB refuses, with its codes', () => {
    for (const [document, update, code, options] of REFUSED) {
      const title = JSON.stringify([document, update]);
      expect(() => compileUpdate(update, options)(document), title)
        .to.throw()
        .with.property('code', code);
    }
  });
});

describe('embedded/update: makeUpsert', () => {
  const UPSERTS: readonly [filter: Document, update: Update, made: Document][] = [
    [
      { _id: 1, k: 2 },
      { $set: { a: 1 }, $setOnInsert: { b: 2 } },
      { _id: 1, k: 2, a: 1, b: 2 },
    ],
    [{ _id: 1, 'x.y': { $eq: 2 }, z: { $gt: 1 } }, { $inc: { n: 1 } }, { _id: 1, x: { y: 2 }, n: 1 }],
    [{ $and: [{ _id: 1 }, { k: 1 }], $or: [{ j: 1 }] }, { $set: { a: 1 } }, { _id: 1, k: 1, j: 1, a: 1 }],
    [{ _id: 1, k: { $in: [5] } }, { $push: { a: 1 } }, { _id: 1, k: 5, a: [1] }],
    [{ _id: 'r', q: 1 }, { z: 1 }, { _id: 'r', z: 1 }],
    [{ _id: 1, k: 1 }, [{ $set: { m: { $add: ['$k', 1] } } }], { _id: 1, k: 1, m: 2 }],
    [{ k: 1 }, { $setOnInsert: { _id: 9 } }, { _id: 9, k: 1 }],
  ];
  for (const [filter, update, made] of UPSERTS) {
    it(`${JSON.stringify(filter)} with ${JSON.stringify(update)}`, () => {
      expect(makeUpsert(filter, update)).to.deep.equal(made);
    });
  }

  it('makes an _id up and puts it first', () => {
    const made = makeUpsert({ k: 1 }, { $set: { a: 1 } });
    expect(made['_id']).to.be.instanceOf(ObjectId);
    expect(Object.keys(made)).to.deep.equal(['_id', 'k', 'a']);
  });

  it('refuses a filter that names a field twice', () => {
    const make = () => makeUpsert({ $and: [{ a: 1 }, { a: 2 }] }, { $set: { b: 1 } });
    expect(make).to.throw().with.property('code', 54);
  });
});
