import { type Document, Double, EJSON, ObjectId } from 'bson';
import { expect } from 'chai';
import { compileUpdate, makeUpsert, type Update } from '../../src/update/index.js';
import { TABLE } from '../tables/updates.js';

const text = (document: Document): string => EJSON.stringify(document, { relaxed: false });

describe('embedded/update: compileUpdate', () => {
  for (const [title, document, update, after, options] of TABLE) {
    it(title, () => {
      const before = text(document);
      expect(text(compileUpdate(update, options)(document))).to.equal(text(after));
      expect(text(document), 'the old document is unchanged').to.equal(before);
    });
  }

  it('returns the same object if nothing changes', () => {
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

  it('generates an _id and puts it first', () => {
    const made = makeUpsert({ k: 1 }, { $set: { a: 1 } });
    expect(made['_id']).to.be.instanceOf(ObjectId);
    expect(Object.keys(made)).to.deep.equal(['_id', 'k', 'a']);
  });

  it('rejects a filter that names a field twice', () => {
    const make = () => makeUpsert({ $and: [{ a: 1 }, { a: 2 }] }, { $set: { b: 1 } });
    expect(make).to.throw().with.property('code', 54);
  });
});
