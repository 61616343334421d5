import { expect } from 'chai';
import { type Document, Long, MongoClient } from 'mongodb';
import { failure, openEngine, type TestEngine } from './support/engine.js';
import { until } from './support/until.js';

describe('embedded engine: turns', () => {
  let engine: TestEngine;
  let other: MongoClient;
  before(async () => {
    engine = await openEngine();
    other = await MongoClient.connect(engine.uri);
    await engine.db
      .collection<{ _id: number; a: number }>('numbers')
      .insertMany(Array.from({ length: 2000 }, (_, i) => ({ _id: i, a: i % 7 })));
  });
  after(async () => {
    await other.close();
    await engine.close();
  });

  /** Stages that would run for hours, by where they spend their time. */
  const EVERY = { $range: [0, 3000] };
  const nested = (depth: number): Document | number =>
    depth === 0 ? 1 : { $size: { $map: { input: EVERY, in: nested(depth - 1) } } };
  const join = (pipeline: Document[]): Document => ({
    $lookup: { from: 'numbers', let: { i: '$_id' }, pipeline, as: 'all' },
  });
  const test = { $match: { $expr: { $ne: ['$_id', '$$i'] } } };
  const endless: Readonly<Record<string, Document[]>> = {
    'an expression': [{ $project: { a: nested(5) } }],
    'a reduction': [{ $project: { a: { $reduce: { input: EVERY, initialValue: 0, in: nested(4) } } } }],
    'a filter': [{ $project: { a: { $filter: { input: EVERY, cond: { $gt: [nested(4), 0] } } } } }],
    'nested lookups': [join([test, join([test, join([test])])])],
    'joins to a group': [
      join([test, join([{ $group: { _id: '$a', n: { $sum: { $multiply: ['$_id', '$$i'] } } } }])]),
    ],
    'unions and sorts': [
      ...Array.from({ length: 12 }, () => [{ $set: { l: EVERY } }, { $unwind: '$l' }]).flat(),
      { $sort: { l: 1 } },
    ],
    'a graph lookup': [
      {
        $graphLookup: {
          from: 'numbers',
          startWith: '$a',
          connectFromField: 'a',
          connectToField: 'a',
          restrictSearchWithMatch: { a: { $gte: 0 } },
          as: 'all',
        },
      },
      join([test, join([test])]),
    ],
  };

  const numbers = () => engine.db.collection<Document>('numbers');
  const others = async (): Promise<Document[]> => {
    const { inprog } = await other.db('admin').command({ currentOp: 1 });
    return (inprog as Document[]).filter(({ ns }) => String(ns).endsWith('.numbers'));
  };

  for (const [name, stages] of Object.entries(endless)) {
    it(`maxTimeMS ends ${name}`, async () => {
      const error = await failure(numbers().aggregate(stages, { maxTimeMS: 60 }).toArray());
      expect(error.code).to.equal(50);
    });
  }

  it('others are served while a pipeline runs', async () => {
    let ended = false;
    const running = failure(numbers().aggregate(endless['nested lookups']).toArray()).then((error) => {
      ended = true;
      return error;
    });
    await until(
      async () => (await others()).length > 0,
      () => 'operations of others',
      { every: 5 },
    );
    for (let i = 0; i < 5; i++) {
      await other.db('admin').command({ ping: 1 });
      expect(await other.db(engine.db.databaseName).collection('numbers').findOne({ a: 3 })).to.include({
        a: 3,
      });
    }
    expect(ended).to.equal(false);
    const [run] = await others();
    await other.db('admin').command({ killOp: 1, op: run?.['opid'] });
    expect((await running).code).to.equal(11601);
  });

  it('an operation ends when its client disconnects', async () => {
    const client = await MongoClient.connect(engine.uri);
    const running = failure(
      client.db(engine.db.databaseName).collection('numbers').aggregate(endless['nested lookups']).toArray(),
    );
    await until(
      async () => (await others()).length > 0,
      () => 'operations of others',
      { every: 5 },
    );
    await client.close(true);
    await running;
    await until(
      async () => (await others()).length === 0,
      () => 'operations of others',
      { every: 5 },
    );
  });

  it('killOp ends an operation', async () => {
    const running = failure(numbers().aggregate(endless['nested lookups']).toArray());
    await until(
      async () => (await others()).length > 0,
      () => 'operations of others',
      { every: 5 },
    );
    const [run] = await others();
    await other.db('admin').command({ killOp: 1, op: run?.['opid'] });
    expect((await running).code).to.equal(11601);
  });

  it('killCursors ends a getMore in progress', async () => {
    const first = await engine.db.command({
      aggregate: 'numbers',
      pipeline: endless['nested lookups'],
      cursor: { batchSize: 0 },
    });
    const id = first['cursor'].id as Long;
    const running = failure(engine.db.command({ getMore: Long.fromValue(id), collection: 'numbers' }));
    await until(
      async () => (await others()).length > 0,
      () => 'operations of others',
      { every: 5 },
    );
    await other.db(engine.db.databaseName).command({ killCursors: 'numbers', cursors: [id] });
    expect((await running).code).to.equal(237);
  });

  it('$range rejects values that are not 32-bit integers, and an array larger than the limit of expressions', async () => {
    const size = (range: unknown[]) =>
      numbers()
        .aggregate([{ $project: { n: { $size: { $range: range } } } }])
        .toArray();
    expect((await failure(size([0, Long.fromString('3000000000')]))).code).to.equal(34446);
    expect((await failure(size([0, 2_000_000_000]))).code).to.equal(146);
  });
});
