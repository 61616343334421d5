import { expect } from 'chai';
import { Decimal128, Double, Long } from 'mongodb';
import { copyDatabase } from '../../../src/store/copy-database.js';
import { failure, openEngine, type TestEngine } from '../embedded/support.js';

describe('store: copying a database', () => {
  let engine: TestEngine;
  before(async () => {
    engine = await openEngine();
  });
  after(() => engine.close());

  it('takes every document with its types, every index and every view, and replaces only when told', async () => {
    const { db, client, uri } = engine;
    const row = {
      n: Long.fromNumber(5),
      d: new Double(3),
      m: Decimal128.fromString('1.50'),
      t: new Date(5),
      i: 7,
    };
    await db.collection('a').insertMany(Array.from({ length: 2500 }, (_, k) => ({ ...row, k })));
    await db.collection('a').createIndexes([
      { key: { k: 1 }, unique: true },
      { key: { n: 1, k: -1 }, partialFilterExpression: { k: { $exists: true } } },
    ]);
    await db.createCollection('v', { viewOn: 'a', pipeline: [{ $match: { k: { $lt: 3 } } }] });
    const name = `${db.databaseName}_copy`;
    const seen: unknown[] = [];
    const copied = await copyDatabase(db, { uri, name }, (one) => seen.push(one));
    expect(copied).to.deep.equal([{ name: 'a', documents: 2500, indexes: 2 }]);
    expect(seen).to.deep.equal(copied);
    const target = client.db(name);
    const bytes = { raw: true } as const;
    expect(await target.collection('a').findOne({ k: 9 }, bytes)).to.deep.equal(
      await db.collection('a').findOne({ k: 9 }, bytes),
    );
    expect(await target.collection('a').indexes()).to.deep.equal(await db.collection('a').indexes());
    expect(await target.collection('v').countDocuments()).to.equal(3);
    expect((await failure(copyDatabase(db, { uri, name }, () => {}))).message).to.match(
      /holds documents already/,
    );
    await target.collection('v').drop();
    await copyDatabase(db, { uri, name, overwrite: true }, () => {});
    expect(await target.collection('a').countDocuments()).to.equal(2500);
    await target.dropDatabase();
  });
});
