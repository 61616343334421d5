import { expect } from 'chai';
import { type Document, Long } from 'mongodb';
import { failure, openEngine, type TestEngine } from './support/engine.js';

/** A command and MongoDB's error code. */
const CASES: readonly [string, Document, number][] = [
  ['an unknown command', { frobnicate: 1 }, 59],
  ['an unknown stage', { aggregate: 'c', pipeline: [{ $frob: {} }], cursor: {} }, 40324],
  [
    'a stage with two fields',
    { aggregate: 'c', pipeline: [{ $match: {}, $sort: { a: 1 } }], cursor: {} },
    40323,
  ],
  ['aggregate without cursor', { aggregate: 'c', pipeline: [] }, 9],
  ['$out in the middle', { aggregate: 'c', pipeline: [{ $out: 'x' }, { $match: {} }], cursor: {} }, 40601],
  [
    '$documents in the middle',
    { aggregate: 1, pipeline: [{ $match: {} }, { $documents: [] }], cursor: {} },
    40602,
  ],
  ['an unknown operator', { find: 'c', filter: { a: { $frob: 1 } } }, 2],
  ['an unknown top-level operator', { find: 'c', filter: { $frob: 1 } }, 2],
  ['a filter that is not a document', { find: 'c', filter: 5 }, 14],
  ['a negative skip', { find: 'c', skip: -1 }, 51024],
  ['an unknown update operator', { update: 'c', updates: [{ q: {}, u: { $frob: { a: 1 } } }] }, 9],
  ['a multi-update with a replacement', { update: 'c', updates: [{ q: {}, u: { a: 1 }, multi: true }] }, 9],
  ['no updates', { update: 'c', updates: [] }, 16],
  ['changing _id', { update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { _id: 2 } } }] }, 66],
  [
    'two operators on one path',
    { update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { a: 1 }, $inc: { a: 1 } } }] },
    40,
  ],
  ['$inc of a string', { update: 'c', updates: [{ q: { _id: 1 }, u: { $inc: { s: 1 } } }] }, 14],
  ['an array as _id', { insert: 'c', documents: [{ _id: [1] }] }, 53],
  ['findAndModify without a change', { findAndModify: 'c', query: {} }, 9],
  ['explaining findAndModify without a change', { explain: { findAndModify: 'c', query: {} } }, 9],
  ['listIndexes of a missing collection', { listIndexes: 'nowhere' }, 26],
  ['dropIndexes of an unknown index', { dropIndexes: 'c', index: 'nope' }, 27],
  ['dropping the index on _id', { dropIndexes: 'c', index: '_id_' }, 72],
  ['an index without a key', { createIndexes: 'c', indexes: [{ name: 'x' }] }, 9],
  ['an index of an unknown kind', { createIndexes: 'c', indexes: [{ key: { a: 'frob' }, name: 'x' }] }, 67],
  [
    'an index with an unknown option',
    { createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'x', frob: 1 }] },
    197,
  ],
  ['create with an unknown option', { create: 'd', frob: 1 }, 40415],
  ['create with other options than the existing collection', { create: 'c', capped: true, size: 100 }, 48],
  ['a dollar sign in a name', { insert: 'a$b', documents: [{}] }, 73],
  ['an empty name', { insert: '', documents: [{}] }, 73],
  ['collMod of a missing collection', { collMod: 'nowhere' }, 26],
  ['getMore of an unknown cursor', { getMore: Long.fromNumber(5), collection: 'c' }, 43],
  ['getMore of a cursor with another collection', { getMore: 5, collection: 'c' }, 14],
  ['getMore without a name', { getMore: Long.fromNumber(5), collection: '' }, 73],
  ['a hint of a missing index', { find: 'c', hint: 'nope' }, 2],
  ['$expr with an unknown expression', { find: 'c', filter: { $expr: { $frob: 1 } } }, 168],
  ['inclusion together with exclusion', { find: 'c', projection: { a: 1, b: 0 } }, 31254],
  ['a positional projection that excludes', { find: 'c', projection: { 'a.$': 0 } }, 31395],
  ['a positional projection with a string', { find: 'c', projection: { 'a.$': 'x' } }, 31308],
  [
    'a positional projection of a field that is also included',
    { find: 'c', projection: { a: 1, 'a.$': 1 } },
    31250,
  ],
  [
    'a positional projection next to $elemMatch',
    { find: 'c', projection: { a: { $elemMatch: { b: 1 } }, 'c.$': 1 } },
    31256,
  ],
  ['two operators on a projected field', { find: 'c', projection: { a: { $slice: 1, $size: 1 } } }, 16410],
  ['a sort by a path that ends with a dot', { find: 'c', sort: { 'a.': 1 } }, 40353],
  ['a sort by a name with a dollar sign', { find: 'c', sort: { $a: 1 } }, 16410],
  ['$rename to the field itself', { update: 'c', updates: [{ q: {}, u: { $rename: { a: 'a.b' } } }] }, 2],
  ['$each with a number', { update: 'c', updates: [{ q: {}, u: { $addToSet: { b: { $each: 1 } } } }] }, 14],
  ['an update with an unknown stage', { update: 'c', updates: [{ q: {}, u: [{ $frob: {} }] }] }, 40324],
  ['dropDatabase with 2', { dropDatabase: 2 }, 5255100],
  ['a capped collection with a negative size', { create: 'd', capped: true, size: -1 }, 51024],
  ['a new size for a collection that is not capped', { collMod: 'c', cappedSize: 4096 }, 72],
  ['killCursors with a number', { killCursors: 'c', cursors: [5] }, 14],
  ['a part of a DBRef as a condition', { find: 'c', filter: { a: { $id: 5 } } }, 2],
  ['an insert of a number', { insert: 'c', documents: [{ _id: 8 }, 5, { _id: 9 }] }, 14],
];

describe('embedded engine: errors', () => {
  let engine: TestEngine;
  before(async () => {
    engine = await openEngine();
    await engine.db.collection('c').insertOne({ _id: 1 as never, a: 1, s: 'x' });
  });
  after(() => engine.close());

  for (const [name, command, code] of CASES) {
    it(`${name} is ${code}`, async () => {
      const reply = await engine.db.command(command).catch((error) => error);
      const found = reply.code ?? reply.writeErrors?.[0]?.code;
      expect(found, JSON.stringify(reply.writeErrors ?? reply.message ?? reply)).to.equal(code);
    });
  }

  it('rejects a document above 16 MB and stores nothing of it', async () => {
    const c = engine.db.collection('large');
    await c.insertOne({ _id: 1 as never, text: 'x'.repeat(9 * 1024 * 1024) });
    const grow = c.updateOne({ _id: 1 as never }, [{ $set: { more: '$text', evenMore: '$text' } }]);
    expect((await failure(grow)).code).to.equal(17419);
    expect(Object.keys((await c.findOne()) ?? {})).to.deep.equal(['_id', 'text']);
  });

  it('continues an unordered insert after an error, and stops an ordered one', async () => {
    const c = engine.db.collection('order');
    await c.insertOne({ _id: 1 as never });
    const documents = [{ _id: 2 }, { _id: 1 }, { _id: 3 }] as never[];
    await failure(c.insertMany(documents));
    expect(await c.countDocuments()).to.equal(2);
    await failure(c.insertMany([{ _id: 1 }, { _id: 4 }, { _id: 5 }] as never[], { ordered: false }));
    expect(await c.countDocuments()).to.equal(4);
  });
});
