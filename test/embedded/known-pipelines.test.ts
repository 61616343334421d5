import { expect } from 'chai';
import { BSON, type Collection, type Document } from 'mongodb';
import { decodePipeline } from '../../src/embedded/wire/known-pipelines.js';
import { failure, openEngine, type TestEngine } from './support.js';

describe('embedded engine: pipelines that come again', () => {
  let engine: TestEngine;
  let c: Collection<Document>;
  before(async () => {
    engine = await openEngine();
  });
  beforeEach(async () => {
    c = engine.db.collection('again');
    await c.drop();
    await c.insertMany(
      Array.from({ length: 20 }, (_, n) => ({ _id: n as never, n, word: n % 2 ? 'A' : 'a' })),
    );
  });
  after(() => engine.close());

  const PAGE = [
    { $match: { n: { $gte: 3, $lt: 100 } } },
    { $sort: { n: -1 } },
    { $limit: 3 },
    { $project: { _id: 0, n: 1 } },
  ];
  const page = async (): Promise<unknown[]> => (await c.aggregate(PAGE).toArray()).map(({ n }) => n);

  it('show what was written meanwhile', async () => {
    expect(await page()).to.deep.equal([19, 18, 17]);
    await c.insertOne({ n: 50 });
    expect(await page()).to.deep.equal([50, 19, 18]);
    await c.updateOne({ n: 50 }, { $set: { n: [4, 60] } });
    expect(await page()).to.deep.equal([[4, 60], 19, 18]);
    await c.deleteOne({ n: 60 });
    expect(await page()).to.deep.equal([19, 18, 17]);
  });

  it('follow the indexes as they come and go', async () => {
    expect(await page()).to.deep.equal([19, 18, 17]);
    await c.createIndex({ n: 1 });
    expect(await page()).to.deep.equal([19, 18, 17]);
    await c.insertOne({ n: [5, 40] });
    expect(await page()).to.deep.equal([[5, 40], 19, 18]);
    await c.dropIndex('n_1');
    expect(await page()).to.deep.equal([[5, 40], 19, 18]);
    await c.drop();
    expect(await page()).to.deep.equal([]);
  });

  it('have the variables, the collation and the hint of their command', async () => {
    const greater = [{ $match: { $expr: { $gt: ['$n', '$$least'] } } }, { $count: 'n' }];
    for (const least of [3, 10, 3])
      expect(await c.aggregate(greater, { let: { least } }).toArray()).to.deep.equal([{ n: 19 - least }]);
    const words = [{ $match: { word: 'a' } }, { $count: 'n' }];
    for (const [strength, n] of [
      [3, 10],
      [2, 20],
      [3, 10],
    ] as const)
      expect(await c.aggregate(words, { collation: { locale: 'en', strength } }).toArray()).to.deep.equal([
        { n },
      ]);
    expect(await page()).to.deep.equal([19, 18, 17]);
    expect((await failure(c.aggregate(PAGE, { hint: 'none' }).toArray())).code).to.equal(2);
    expect(await page()).to.deep.equal([19, 18, 17]);
  });

  it('have the time at which they run', async () => {
    const now = async (): Promise<number> => {
      const [row] = await c.aggregate([{ $limit: 1 }, { $project: { now: '$$NOW' } }]).toArray();
      return Number(row?.['now']);
    };
    const first = await now();
    await new Promise((wake) => setTimeout(wake, 5));
    expect(await now()).to.be.greaterThan(first);
  });

  it('are rejected with the same error each time', async () => {
    const wrong: readonly Document[][] = [
      [{ $match: { n: { $no: 1 } } }],
      [{ $sort: { n: 1 } }, { $nothing: 1 }],
      [{ $limit: 1, $skip: 1 }],
      [{ $project: { a: 1, b: 0 } }],
      [{ $group: { _id: null, n: { $first: { $unknown: 1 } } } }],
    ];
    for (const pipeline of wrong) {
      const errors = [];
      for (let i = 0; i < 3; i++) errors.push((await failure(c.aggregate(pipeline).toArray())).message);
      expect(new Set(errors)).to.have.length(1);
    }
  });

  it('are one list if their bytes are equal, of which only the last ones are kept', () => {
    const decode = (stages: readonly Document[]): unknown => {
      const bytes = Buffer.from(BSON.serialize({ p: stages }));
      // Behind the length, the type and the name, and before the end of the document.
      return decodePipeline(bytes, 7, bytes.length - 1);
    };
    const first = decode(PAGE);
    expect(first).to.have.length(4);
    expect(decode(PAGE)).to.equal(first);
    expect(decode([...PAGE].reverse())).not.to.equal(first);
    for (let n = 0; n < 2000; n++) decode([{ $match: { n, text: 'x'.repeat(1000) } }]);
    expect(decode(PAGE)).not.to.equal(first);
    expect(decode(PAGE)).to.deep.equal(first);
  });
});
