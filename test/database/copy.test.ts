import { expect } from 'chai';
import { type Db, Decimal128, Double, Long } from 'mongodb';
import { failure } from '../../packages/engine/test/support/engine.js';
import { CopyError, copyDatabase, planCopy } from '../../src/store/transfer/copy-database.js';
import { type TestStore, testStore } from '../support/engine.js';
import { has } from '../support/engines/lacks.js';

describe('copying a database', () => {
  let test: TestStore;
  let source: Db;
  let target: Db;
  const row = {
    n: Long.fromNumber(5),
    d: new Double(3),
    m: Decimal128.fromString('1.50'),
    t: new Date(5),
    i: 7,
  };
  before(async () => {
    test = await testStore();
    source = test.store.db;
    target = source.client.db(`${source.databaseName}_copy`);
    const a = source.collection('a');
    await a.insertMany(Array.from({ length: 2500 }, (_, k) => ({ ...row, k })));
    await a.createIndexes([
      { key: { k: 1 }, unique: true },
      { key: { n: 1, k: -1 }, partialFilterExpression: { k: { $exists: true } } },
    ]);
    await source.collection('b').insertOne({ text: 'x' });
    if (has('views'))
      await source.createCollection('v', { viewOn: 'a', pipeline: [{ $match: { k: { $lt: 3 } } }] });
  });
  after(async () => {
    await target.dropDatabase();
    await test.close();
  });

  it('reports what it would copy, and writes nothing', async () => {
    const planned = await planCopy(source, target);
    expect(planned.filter(({ name }) => name !== 'v')).to.have.deep.members([
      { name: 'a', documents: 2500, indexes: 2, occupied: false },
      { name: 'b', documents: 1, indexes: 0, occupied: false },
    ]);
    expect(await target.listCollections().toArray()).to.deep.equal([]);
  });

  it('copies every document with its types, every index and every view', async () => {
    const done: unknown[] = [];
    const copied = await copyDatabase(source, target, {
      onProgress: (name, documents, last) => last && done.push([name, documents]),
    });
    expect(copied).to.have.deep.members([
      { name: 'a', documents: 2500, indexes: 2 },
      { name: 'b', documents: 1, indexes: 0 },
    ]);
    expect(done).to.have.deep.members([
      ['a', 2500],
      ['b', 1],
    ]);
    const bytes = { raw: true } as const;
    expect(await target.collection('a').findOne({ k: 9 }, bytes)).to.deep.equal(
      await source.collection('a').findOne({ k: 9 }, bytes),
    );
    const indexes = (db: Db) => db.collection('a').indexes();
    expect(await indexes(target)).to.have.deep.members(await indexes(source));
    if (has('views')) expect(await target.collection('v').countDocuments()).to.equal(3);
  });

  it('replaces existing data only on request, and refuses before it has written anything', async () => {
    await target.collection('b').deleteMany({});
    const error = await failure(copyDatabase(source, target));
    expect(error).to.be.instanceOf(CopyError);
    expect(error.message).to.match(/already contains documents in a; --overwrite/);
    expect(await target.collection('b').countDocuments()).to.equal(0);
    await target.collection('a').insertOne({ k: -1 });
    await copyDatabase(source, target, { overwrite: true });
    expect(await target.collection('a').countDocuments()).to.equal(2500);
    expect(await target.collection('b').countDocuments()).to.equal(1);
  });

  it('refuses to copy a database onto itself', async () => {
    const error = await failure(copyDatabase(source, source, { overwrite: true }));
    expect(error.message).to.equal('The database cannot be copied onto itself');
    expect(await source.collection('a').countDocuments()).to.equal(2500);
    expect(await source.listCollections({ name: 'mangrove.copying' }).toArray()).to.deep.equal([]);
  });
});
