import { expect } from 'chai';
import type { Document } from 'mongodb';
import { failure, openEngine, type TestEngine } from './support/engine.js';

/** More documents than an index takes in one commit. */
const MANY = 12_000;

describe('embedded engine: indexes on many documents', () => {
  let engine: TestEngine;
  const rows = () => engine.db.collection<Document & { _id: number }>('rows');
  const names = async (): Promise<unknown[]> => (await rows().indexes()).map(({ name }) => name);
  const isSound = async (): Promise<boolean> => (await engine.db.command({ validate: 'rows' }))['valid'];
  before(async () => {
    engine = await openEngine();
  });
  after(() => engine.close());
  beforeEach(async () => {
    await rows().deleteMany({});
    await engine.db.dropCollection('rows');
    await rows().insertMany(
      Array.from({ length: MANY }, (_, i) => ({ _id: i, n: i * 3, group: i % 5, tags: [i % 3, 'x'] })),
    );
  });

  it('serve filters and sorts', async () => {
    await rows().createIndexes([
      { key: { n: 1 }, name: 'n', unique: true },
      { key: { tags: 1, n: -1 }, name: 'tags' },
      { key: { n: 1, group: 1 }, name: 'some', partialFilterExpression: { group: { $gt: 2 } } },
    ]);
    expect(await names()).to.have.members(['_id_', 'n', 'tags', 'some']);
    expect(await isSound()).to.equal(true);
    expect(await rows().countDocuments({ n: { $lt: 300 } })).to.equal(100);
    const found = await rows().find({ tags: 2 }).sort({ n: -1 }).limit(2).toArray();
    expect(found.map(({ _id }) => _id)).to.deep.equal([MANY - 1, MANY - 4]);
    const plan = await rows().find({ tags: 2 }).sort({ n: -1 }).explain();
    expect(JSON.stringify(plan)).to.include('IXSCAN');
    expect((await failure(rows().insertOne({ _id: -1, n: 3 }))).code).to.equal(11000);
  });

  it('include what is written while they are built', async () => {
    const building = rows().createIndexes([
      { key: { n: 1 }, name: 'n' },
      { key: { group: 1 }, name: 'group' },
    ]);
    for (let i = 0; i < 20; i++) {
      await rows().insertOne({ _id: MANY + i, n: -i, group: 9 });
      await rows().updateOne({ _id: i }, { $set: { n: 1_000_000 + i } });
      await rows().deleteOne({ _id: 100 + i });
    }
    await building;
    expect(await isSound()).to.equal(true);
    expect(await rows().countDocuments({ group: 9 })).to.equal(20);
    expect(await rows().countDocuments({ n: { $gte: 1_000_000 } })).to.equal(20);
  });

  it('do not block others while they are built', async () => {
    let done = false;
    const building = rows()
      .createIndexes([1, 2, 3, 4].map((n) => ({ key: { n: 1, [`g${n}`]: 1 }, name: `n${n}` })))
      .finally(() => {
        done = true;
      });
    let served = 0;
    while (!done) {
      await engine.db.command({ ping: 1 });
      if (!done) served += 1;
    }
    await building;
    expect(served).to.be.at.least(8);
  });

  it('are refused for duplicates, and leave nothing behind', async () => {
    const refused = await failure(rows().createIndex({ group: 1 }, { unique: true }));
    expect(refused.code).to.equal(11000);
    expect(await names()).to.deep.equal(['_id_']);
    await rows().deleteMany({ _id: { $gte: 5 } });
    await rows().createIndex({ group: 1 }, { unique: true });
    expect(await isSound()).to.equal(true);
  });

  it('are built once if two clients request them at the same time', async () => {
    await Promise.all([rows().createIndex({ n: 1 }), rows().createIndex({ n: 1 })]);
    expect(await names()).to.deep.equal(['_id_', 'n_1']);
    expect(await isSound()).to.equal(true);
  });

  it('are removed with a collection that is dropped meanwhile', async () => {
    const building = rows().createIndex({ n: 1 });
    await rows().drop();
    await building;
    await rows().insertOne({ _id: 1, n: 1 });
    expect(await names()).to.deep.equal(['_id_', 'n_1']);
    expect(await isSound()).to.equal(true);
  });
});
