import { expect } from 'chai';
import { type Collection, type Document, Long } from 'mongodb';
import { failure, openEngine, type TestEngine } from './support/engine.js';

describe('embedded engine: cursors', () => {
  let engine: TestEngine;
  let c: Collection<Document>;
  before(async () => {
    engine = await openEngine();
    c = engine.db.collection('rows');
    await c.insertMany(Array.from({ length: 1000 }, (_, n) => ({ _id: n as never, n })));
  });
  after(() => engine.close());

  for (const batchSize of [1, 2, 7, 101, 999, 1000, 5000]) {
    it(`returns every row once with batches of ${batchSize}`, async () => {
      const rows = await c
        .find()
        .sort({ _id: 1 })
        .batchSize(batchSize)
        .limit(batchSize === 1 ? 30 : 0)
        .map((row) => row['n'])
        .toArray();
      expect(rows).to.deep.equal(Array.from({ length: batchSize === 1 ? 30 : 1000 }, (_, n) => n));
    });
  }

  it('continues in batches of at most 16 MB', async () => {
    const big = engine.db.collection('big');
    for (let n = 0; n < 5; n++) await big.insertOne({ n, text: 'x'.repeat(7 * 1024 * 1024) });
    expect(
      (
        await big
          .find()
          .map((row) => row['n'])
          .toArray()
      ).sort(),
    ).to.deep.equal([0, 1, 2, 3, 4]);
  });

  it('keeps the rows of reads apart that run side by side', async () => {
    const mixed = engine.db.collection<{ _id: number; group: number; text: string }>('mixed');
    const stored = Array.from({ length: 1000 }, (_, n) => ({
      _id: n,
      group: n % 4,
      text: `${n} `.repeat(5 + ((n * 37) % 90)),
    }));
    await mixed.insertMany(stored);
    const byText = [...stored].sort((a, b) => (a.text < b.text ? -1 : 1));
    const ofGroup = (group: number) => stored.filter((one) => one.group === group);
    const texts = byText.slice(0, 200).map(({ text }) => ({ text }));
    const read = async (group: number): Promise<void> => {
      const [whole, some, sorted, piped] = await Promise.all([
        mixed.find({ group }).toArray(),
        mixed.find({ group }).sort({ _id: -1 }).batchSize(10).project({ text: 1 }).toArray(),
        mixed.find().sort({ text: 1 }).limit(200).project({ _id: 0, text: 1 }).toArray(),
        mixed.aggregate([{ $match: { group, text: /1/ } }, { $project: { text: 1 } }]).toArray(),
      ]);
      const shown = ofGroup(group).map(({ _id, text }) => ({ _id, text }));
      expect(whole).to.deep.equal(ofGroup(group));
      expect(some).to.deep.equal([...shown].reverse());
      expect(sorted).to.deep.equal(texts);
      expect(piped).to.deep.equal(shown.filter(({ text }) => text.includes('1')));
    };
    // From the third round on, columns are read.
    for (let round = 0; round < 3; round++) await Promise.all([0, 1, 2, 3].map(read));
  });

  it('rejects a row above 16 MB produced by a pipeline', async () => {
    const large = engine.db.collection('large');
    await large.insertOne({ text: 'x'.repeat(9 * 1024 * 1024) });
    const twice = large.aggregate([{ $set: { again: '$text' } }]).toArray();
    expect((await failure(twice)).code).to.equal(10334);
    expect(
      await large.aggregate([{ $set: { again: '$text' } }, { $project: { _id: 1 } }]).toArray(),
    ).to.have.length(1);
  });

  it('ends on killCursors, and a closed cursor is 43', async () => {
    const reply = await engine.db.command({ find: 'rows', batchSize: 2 });
    const { id } = reply['cursor'] as { id: Long };
    expect(id.toString()).not.to.equal('0');
    await engine.db.command({ killCursors: 'rows', cursors: [Long.fromString(id.toString())] });
    const more = { getMore: Long.fromString(id.toString()), collection: 'rows' };
    expect((await failure(engine.db.command(more))).code).to.equal(43);
  });

  it('opens no cursor if one batch holds everything', async () => {
    const reply = await engine.db.command({ find: 'rows', filter: { n: { $lt: 3 } }, batchSize: 3 });
    expect(reply['cursor'].firstBatch.length).to.equal(3);
  });

  it('reports why a cursor cannot continue', async () => {
    const { db } = engine;
    const ends: Record<string, () => Promise<unknown>> = {
      "index 'by' dropped": () => db.collection('going').dropIndex('by'),
      'collection dropped': () => db.collection('going').drop(),
      'collection renamed': () => db.collection('going').rename('gone', { dropTarget: true }),
    };
    for (const [message, end] of Object.entries(ends)) {
      const going = db.collection('going');
      await going.insertMany([{ n: 1 }, { n: 2 }, { n: 3 }]);
      await going.createIndex({ n: 1 }, { name: 'by' });
      const cursor = going.find().hint('by').batchSize(2);
      await cursor.next();
      await end();
      const error = await failure(cursor.toArray());
      expect([error.code, error.message]).to.deep.equal([175, message]);
    }
  });

  it('accepts a time limit for getMore only if the cursor waits for new data', async () => {
    const { cursor } = await engine.db.command({ find: 'rows', batchSize: 1 });
    const more = { getMore: Long.fromBigInt(BigInt(cursor.id)), collection: 'rows', maxTimeMS: 1000 };
    expect((await failure(engine.db.command(more))).code).to.equal(2);
  });

  it('shows one snapshot, whatever is written meanwhile', async () => {
    const moving = engine.db.collection('moving');
    await moving.createIndex({ n: 1 });
    await moving.insertMany(Array.from({ length: 300 }, (_, n) => ({ n })));
    const seen: number[] = [];
    for await (const row of moving.find().sort({ n: 1 }).batchSize(50)) {
      seen.push(row['n']);
      if (seen.length === 60) {
        await moving.updateMany({ n: { $lt: 100 } }, { $inc: { n: 1000 } });
        await moving.deleteMany({ n: { $gte: 200, $lt: 250 } });
      }
    }
    expect(seen).to.deep.equal(Array.from({ length: 300 }, (_, n) => n));
  });

  it('stops an operation at maxTimeMS with 50', async () => {
    const slow = engine.db.collection('slow');
    await slow.insertMany(Array.from({ length: 20_000 }, (_, n) => ({ n, text: 'x'.repeat(100) })));
    const error = await failure(slow.find({ text: /z$/ }).maxTimeMS(1).toArray());
    expect(error.code).to.equal(50);
  });

  it('reads views, including views of views', async () => {
    const { db } = engine;
    await db.createCollection('low', { viewOn: 'rows', pipeline: [{ $match: { n: { $lt: 10 } } }] });
    await db.createCollection('even', {
      viewOn: 'low',
      pipeline: [{ $match: { $expr: { $eq: [{ $mod: ['$n', 2] }, 0] } } }],
    });
    expect(
      await db
        .collection('even')
        .find({}, { sort: { n: -1 }, limit: 2 })
        .map((row) => row['n'])
        .toArray(),
    ).to.deep.equal([8, 6]);
    expect(await db.collection('even').countDocuments()).to.equal(5);
    expect(await db.collection('even').distinct('n')).to.deep.equal([0, 2, 4, 6, 8]);
    await failure(db.collection('even').insertOne({ n: 1 }));
  });
});
