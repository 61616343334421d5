import { expect } from 'chai';
import type { ChangeStream, Collection, Document } from 'mongodb';
import { openEngine, type TestEngine } from './support/engine.js';

describe('embedded engine: change streams', () => {
  let engine: TestEngine;
  let c: Collection<Document>;
  let round = 0;
  const open: ChangeStream[] = [];
  before(async () => {
    engine = await openEngine();
  });
  after(() => engine.close());
  beforeEach(() => {
    round += 1;
    c = engine.db.collection(`s${round}`);
  });
  afterEach(async () => {
    for (const stream of open.splice(0)) await stream.close();
  });

  /** Opens a stream and waits until the server has it. */
  async function started<T extends ChangeStream>(stream: T): Promise<T> {
    open.push(stream);
    await stream.tryNext();
    return stream;
  }

  const take = async (stream: ChangeStream, count: number): Promise<Document[]> => {
    const events: Document[] = [];
    while (events.length < count) events.push((await stream.next()) as Document);
    return events;
  };

  it('reports inserts, updates, replacements and deletes in order', async () => {
    const stream = await started(c.watch([], { maxAwaitTimeMS: 200 }));
    await c.insertOne({ _id: 1 as never, a: 1, b: { c: 1, d: 1 }, gone: true });
    await c.updateOne({ _id: 1 as never }, { $set: { a: 2, 'b.c': 2 }, $unset: { gone: '' } });
    await c.replaceOne({ _id: 1 as never }, { z: 1 });
    await c.deleteOne({ _id: 1 as never });
    const events = await take(stream, 4);
    expect(events.map((event) => event['operationType'])).to.deep.equal([
      'insert',
      'update',
      'replace',
      'delete',
    ]);
    expect(events[0]?.['fullDocument']).to.deep.equal({ _id: 1, a: 1, b: { c: 1, d: 1 }, gone: true });
    expect(events[1]?.['updateDescription']).to.deep.include({
      updatedFields: { a: 2, 'b.c': 2 },
      removedFields: ['gone'],
    });
    expect(events[2]?.['fullDocument']).to.deep.equal({ _id: 1, z: 1 });
    for (const event of events) expect(event['documentKey']).to.deep.equal({ _id: 1 });
  });

  it('filters and projects with its pipeline', async () => {
    const stages = [
      { $match: { operationType: 'insert', 'fullDocument.n': { $gt: 1 } } },
      { $project: { n: '$fullDocument.n' } },
    ];
    const stream = await started(c.watch(stages, { maxAwaitTimeMS: 200 }));
    await c.insertMany([{ n: 1 }, { n: 2 }, { n: 3 }]);
    expect((await take(stream, 2)).map((event) => event['n'])).to.deep.equal([2, 3]);
  });

  it('resumes after a token', async () => {
    const stream = await started(c.watch([], { maxAwaitTimeMS: 200 }));
    await c.insertMany([{ n: 1 }, { n: 2 }, { n: 3 }]);
    const [first] = await take(stream, 1);
    const again = c.watch([], { resumeAfter: first?.['_id'], maxAwaitTimeMS: 200 });
    open.push(again);
    expect((await take(again, 2)).map((event) => event['fullDocument'].n)).to.deep.equal([2, 3]);
  });

  it('returns a resume point with each batch, whatever was read ahead', async () => {
    const stream = await started(c.watch([], { maxAwaitTimeMS: 200 }));
    await c.insertMany([{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }, { n: 5 }]);
    let after = (await take(stream, 1))[0]?.['_id'];
    for (const n of [2, 3, 4, 5]) {
      const reply = await engine.db.command({
        aggregate: c.collectionName,
        pipeline: [{ $changeStream: { resumeAfter: after } }],
        cursor: { batchSize: 1 },
      });
      const { firstBatch, postBatchResumeToken } = reply['cursor'];
      expect(firstBatch.map((event: Document) => event['fullDocument'].n)).to.deep.equal([n]);
      after = postBatchResumeToken;
    }
  });

  it('watches a whole database, and nothing in another', async () => {
    const stream = await started(engine.db.watch([], { maxAwaitTimeMS: 200 }));
    await engine.client.db(`${engine.db.databaseName}_x`).collection('other').insertOne({ n: 0 });
    await c.insertOne({ n: 1 });
    await engine.db.collection(`${c.collectionName}_b`).insertOne({ n: 2 });
    const events = await take(stream, 2);
    expect(events.map((event) => event['fullDocument'].n)).to.deep.equal([1, 2]);
    await engine.client.db(`${engine.db.databaseName}_x`).dropDatabase();
  });

  it('reports a transaction at its commit, and nothing if it is aborted', async () => {
    await engine.db.createCollection(c.collectionName);
    const stream = await started(c.watch([], { maxAwaitTimeMS: 200 }));
    await engine.client.withSession(async (session) => {
      session.startTransaction();
      await c.insertOne({ n: 'undone' }, { session });
      await session.abortTransaction();
      session.startTransaction();
      await c.insertOne({ n: 'inside' }, { session });
      await c.insertOne({ n: 'outside' });
      await session.commitTransaction();
    });
    const events = await take(stream, 2);
    expect(events.map((event) => event['fullDocument'].n)).to.deep.equal(['outside', 'inside']);
  });

  it('looks up the current document', async () => {
    await c.insertOne({ _id: 1 as never, a: 1, b: 1 });
    const stream = await started(c.watch([], { fullDocument: 'updateLookup', maxAwaitTimeMS: 200 }));
    await c.updateOne({ _id: 1 as never }, { $set: { a: 2 } });
    expect((await take(stream, 1))[0]?.['fullDocument']).to.deep.equal({ _id: 1, a: 2, b: 1 });
  });

  it('neither loses nor repeats a change under concurrent writes', async () => {
    const stream = await started(c.watch([], { maxAwaitTimeMS: 200 }));
    await Promise.all(Array.from({ length: 200 }, (_, n) => c.insertOne({ n })));
    const seen = (await take(stream, 200)).map((event) => event['fullDocument'].n).sort((a, b) => a - b);
    expect(seen).to.deep.equal(Array.from({ length: 200 }, (_, n) => n));
  });
});
