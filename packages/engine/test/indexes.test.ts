import { expect } from 'chai';
import type { Collection, Document, MongoServerError } from 'mongodb';
import { failure, openEngine, type TestEngine } from './support/engine.js';

describe('embedded engine: indexes', () => {
  let engine: TestEngine;
  let c: Collection<Document>;
  let round = 0;
  before(async () => {
    engine = await openEngine();
  });
  after(() => engine.close());
  beforeEach(() => {
    round += 1;
    c = engine.db.collection(`c${round}`);
  });

  interface Case {
    readonly name: string;
    readonly key: Document;
    readonly options?: Document;
    readonly there: readonly Document[];
    readonly refused: readonly Document[];
    readonly taken: readonly Document[];
  }

  const CASES: readonly Case[] = [
    {
      name: 'unique',
      key: { k: 1 },
      there: [{ k: 'a' }],
      refused: [{ k: 'a' }],
      taken: [{ k: 'A' }, { k: ['b'] }],
    },
    {
      name: 'unique over null and missing',
      key: { k: 1 },
      there: [{}],
      refused: [{ k: null }, {}],
      taken: [{ k: [] }],
    },
    {
      name: 'unique over numbers of several types',
      key: { k: 1 },
      there: [{ k: 5 }],
      refused: [{ k: 5.0 }],
      taken: [{ k: 5.5 }, { k: '5' }],
    },
    {
      name: 'compound',
      key: { a: 1, b: -1 },
      there: [{ a: 1, b: 1 }],
      refused: [{ a: 1, b: 1 }],
      taken: [
        { a: 1, b: 2 },
        { a: 2, b: 1 },
      ],
    },
    {
      name: 'partial',
      key: { k: 1 },
      options: { partialFilterExpression: { live: true } },
      there: [
        { k: 1, live: true },
        { k: 1, live: false },
      ],
      refused: [{ k: 1, live: true }],
      taken: [{ k: 1 }, { k: 1, live: false }],
    },
    {
      name: 'sparse',
      key: { k: 1 },
      options: { sparse: true },
      there: [{ k: 1 }, {}],
      refused: [{ k: 1 }],
      taken: [{}, { k: null }],
    },
    {
      name: 'multikey',
      key: { k: 1 },
      there: [{ k: ['a', 'b'] }],
      refused: [{ k: ['b', 'c'] }, { k: 'a' }],
      taken: [{ k: ['c', 'c'] }],
    },
    {
      name: 'in arrays of documents',
      key: { 'a.x': 1 },
      there: [{ a: [{ x: 1 }, { x: 2 }] }],
      refused: [{ a: { x: 2 } }],
      taken: [{ a: [{ x: 3 }] }],
    },
    {
      name: 'dates',
      key: { k: 1 },
      there: [{ k: new Date(5) }],
      refused: [{ k: new Date(5) }],
      taken: [{ k: new Date(6) }, { k: 5 }],
    },
    {
      name: 'long strings',
      key: { k: 1 },
      there: [{ k: 'x'.repeat(5000) }],
      refused: [{ k: 'x'.repeat(5000) }],
      taken: [{ k: `${'x'.repeat(4999)}y` }],
    },
  ];
  for (const { name, key, options, there, refused, taken } of CASES) {
    it(`unique: ${name}`, async () => {
      await c.createIndex(key as never, { unique: true, ...options });
      await c.insertMany(there.map((row) => ({ ...row })));
      for (const row of refused)
        expect((await failure(c.insertOne({ ...row }))).code, JSON.stringify(row)).to.equal(11000);
      for (const row of taken) await c.insertOne({ ...row });
      expect(await c.countDocuments()).to.equal(there.length + taken.length);
    });
  }

  it('reports key and value of a duplicate, in every command', async () => {
    await c.createIndex({ a: 1, b: 1 }, { unique: true, name: 'ab' });
    await c.insertMany([
      { a: 1, b: 'x' },
      { a: 2, b: 'y' },
    ]);
    const attempts: (() => Promise<unknown>)[] = [
      () => c.insertOne({ a: 1, b: 'x' }),
      () => c.updateOne({ a: 2 }, { $set: { a: 1, b: 'x' } }),
      () => c.replaceOne({ a: 2 }, { a: 1, b: 'x' }),
      () => c.updateOne({ a: 1, b: 'x', z: 1 }, { $set: { q: 1 } }, { upsert: true }),
      () => c.findOneAndUpdate({ a: 2 }, { $set: { a: 1, b: 'x' } }),
      () => c.findOneAndReplace({ a: 2 }, { a: 1, b: 'x' }),
    ];
    for (const attempt of attempts) {
      const error = (await failure(attempt())) as unknown as MongoServerError;
      expect(error.code).to.equal(11000);
      expect(error.errorResponse).to.deep.include({
        keyPattern: { a: 1, b: 1 },
        keyValue: { a: 1, b: 'x' },
      });
      expect(error.message).to.match(
        /E11000 duplicate key error collection: .* index: ab dup key: \{ a: 1, b: "x" \}/,
      );
    }
    expect(await c.countDocuments()).to.equal(2);
  });

  it('is not created over duplicates, and leaves nothing behind', async () => {
    await c.insertMany([{ k: 1 }, { k: 1 }]);
    await failure(c.createIndex({ k: 1 }, { unique: true }));
    expect((await c.indexes()).map((index) => index.name)).to.deep.equal(['_id_']);
  });

  it('releases a value with the document that had it', async () => {
    await c.createIndex({ k: 1 }, { unique: true });
    await c.insertOne({ _id: 1 as never, k: 'a' });
    await c.updateOne({ _id: 1 as never }, { $set: { k: 'b' } });
    await c.insertOne({ k: 'a' });
    await c.deleteOne({ k: 'b' });
    await c.insertOne({ k: 'b' });
    expect(await c.countDocuments()).to.equal(2);
  });

  it('rejects two arrays in one key', async () => {
    await c.createIndex({ a: 1, b: 1 });
    await failure(c.insertOne({ a: [1], b: [2] }));
    expect(await c.countDocuments()).to.equal(0);
  });

  const CONFLICTS: readonly [string, Document, Document, number][] = [
    ['same key, different options', { c: 1 }, { name: 'cc', unique: true }, 86],
    ['same key, different name', { c: 1 }, { name: 'other' }, 85],
    ['same name, different key', { d: 1 }, { name: 'cc' }, 86],
  ];
  for (const [name, key, options, code] of CONFLICTS) {
    it(`conflict: ${name} is ${code}`, async () => {
      await c.createIndex({ c: 1 }, { name: 'cc' });
      expect((await failure(c.createIndex(key as never, options))).code).to.equal(code);
    });
  }

  it('accepts one of several concurrent inserts of the same unique value', async () => {
    await c.createIndex({ k: 1 }, { unique: true });
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => c.insertOne({ k: 1 })));
    expect(results.filter((result) => result.status === 'fulfilled').length).to.equal(1);
    expect(await c.countDocuments()).to.equal(1);
    expect(await engine.db.command({ validate: c.collectionName })).to.include({
      valid: true,
      nrecords: 1,
    });
  });
});
