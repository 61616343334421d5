import { expect } from 'chai';
import { type Collection, type Document, Long } from 'mongodb';
import { failure, openEngine, type TestEngine } from './support/engine.js';

describe('embedded engine: transactions', () => {
  let engine: TestEngine;
  let c: Collection<Document>;
  let round = 0;
  before(async () => {
    engine = await openEngine();
  });
  after(() => engine.close());
  beforeEach(async () => {
    round += 1;
    c = engine.db.collection(`t${round}`);
    await c.createIndex({ k: 1 }, { unique: true });
    await c.insertMany([
      { _id: 1 as never, k: 'a', n: 0 },
      { _id: 2 as never, k: 'b', n: 0 },
    ]);
  });

  it('closes its cursors when it ends', async () => {
    await engine.client.withSession(async (session) => {
      session.startTransaction();
      const cursor = c.find({}, { session, batchSize: 1 });
      await cursor.next();
      const { id } = cursor;
      await session.commitTransaction();
      const more = { getMore: id, collection: c.collectionName };
      // Closed, or of a transaction that this is not a part of.
      expect((await failure(engine.db.command(more))).code).to.be.oneOf([43, 50738]);
    });
  });

  it('shows nothing to others before the commit, and everything after it', async () => {
    await engine.client.withSession(async (session) => {
      session.startTransaction();
      await c.insertOne({ _id: 3 as never, k: 'c' }, { session });
      await c.updateOne({ k: 'a' }, { $inc: { n: 1 } }, { session });
      await c.deleteOne({ k: 'b' }, { session });
      expect(
        await c
          .find({}, { session })
          .sort({ k: 1 })
          .map((row) => row['k'])
          .toArray(),
      ).to.deep.equal(['a', 'c']);
      expect(await c.countDocuments({ k: { $in: ['b', 'c'] } }, { session })).to.equal(1);
      expect(
        await c
          .find()
          .sort({ k: 1 })
          .map((row) => row['k'])
          .toArray(),
      ).to.deep.equal(['a', 'b']);
      expect(await c.countDocuments({ n: 1 })).to.equal(0);
      await session.commitTransaction();
    });
    expect(
      await c
        .find()
        .sort({ k: 1 })
        .map((row) => [row['k'], row['n']])
        .toArray(),
    ).to.deep.equal(
      [
        ['a', 1],
        ['c', null],
      ].map(([k, n]) => [k, n ?? undefined]),
    );
  });

  it('leaves nothing after an abort', async () => {
    await engine.client.withSession(async (session) => {
      session.startTransaction();
      await c.insertOne({ k: 'c' }, { session });
      await c.updateMany({}, { $set: { n: 9 } }, { session });
      await engine.db.collection(`new${round}`).insertOne({ x: 1 }, { session });
      await session.abortTransaction();
    });
    expect(await c.countDocuments({ n: 9 })).to.equal(0);
    expect(await c.countDocuments()).to.equal(2);
    expect(await engine.db.listCollections({ name: `new${round}` }).toArray()).to.deep.equal([]);
  });

  it('reads one snapshot from its first command on', async () => {
    await engine.client.withSession(async (session) => {
      session.startTransaction({ readConcern: { level: 'snapshot' } });
      expect((await c.findOne({ k: 'a' }, { session }))?.['n']).to.equal(0);
      await c.updateOne({ k: 'a' }, { $set: { n: 5 } });
      await c.insertOne({ k: 'z' });
      expect((await c.findOne({ k: 'a' }, { session }))?.['n']).to.equal(0);
      expect(await c.countDocuments({}, { session })).to.equal(2);
      await session.commitTransaction();
    });
  });

  it('returns WriteConflict with its label if another has written first', async () => {
    const [one, two] = [engine.client.startSession(), engine.client.startSession()];
    one.startTransaction();
    two.startTransaction();
    await c.updateOne({ k: 'a' }, { $inc: { n: 1 } }, { session: one });
    const error = await failure(c.updateOne({ k: 'a' }, { $inc: { n: 1 } }, { session: two }));
    expect(error.code).to.equal(112);
    expect(
      (error as unknown as { hasErrorLabel(label: string): boolean }).hasErrorLabel(
        'TransientTransactionError',
      ),
    ).to.equal(true);
    await one.commitTransaction();
    await one.endSession();
    await two.endSession();
    expect((await c.findOne({ k: 'a' }))?.['n']).to.equal(1);
  });

  it('returns WriteConflict for a document that was changed since its snapshot', async () => {
    await engine.client.withSession(async (session) => {
      session.startTransaction();
      await c.findOne({ k: 'b' }, { session });
      await c.updateOne({ k: 'a' }, { $inc: { n: 1 } });
      expect((await failure(c.updateOne({ k: 'a' }, { $inc: { n: 1 } }, { session }))).code).to.equal(112);
    });
  });

  it('blocks a write outside it no longer than its maxTimeMS', async () => {
    const session = engine.client.startSession();
    session.startTransaction();
    await c.updateOne({ k: 'a' }, { $inc: { n: 1 } }, { session });
    const command = { update: c.collectionName, updates: [{ q: { k: 'a' }, u: { $inc: { n: 1 } } }] };
    expect((await failure(engine.db.command({ ...command, maxTimeMS: 60 }))).code).to.equal(50);
    await session.abortTransaction();
    await session.endSession();
    expect((await c.findOne({ k: 'a' }))?.['n']).to.equal(0);
  });

  it('makes a write outside it wait for its end', async () => {
    const session = engine.client.startSession();
    session.startTransaction();
    await c.updateOne({ k: 'a' }, { $set: { n: 1 } }, { session });
    let done = false;
    const outside = c.updateOne({ k: 'a' }, { $inc: { n: 10 } }).then(() => {
      done = true;
    });
    await new Promise((wake) => setTimeout(wake, 100));
    expect(done).to.equal(false);
    await session.commitTransaction();
    await outside;
    await session.endSession();
    expect((await c.findOne({ k: 'a' }))?.['n']).to.equal(11);
  });

  it('reserves unique keys', async () => {
    const session = engine.client.startSession();
    session.startTransaction();
    await c.insertOne({ k: 'new' }, { session });
    const outside = failure(c.insertOne({ k: 'new' }));
    await session.commitTransaction();
    expect((await outside).code).to.equal(11000);
    await session.endSession();
  });

  it('is aborted by a duplicate key', async () => {
    await engine.client.withSession(async (session) => {
      session.startTransaction();
      await c.insertOne({ k: 'new' }, { session });
      expect((await failure(c.insertOne({ k: 'a' }, { session }))).code).to.equal(11000);
      expect((await failure(session.commitTransaction())).code).to.equal(251);
    });
    expect(await c.countDocuments({ k: 'new' })).to.equal(0);
  });

  it('stops an unordered command at its first error', async () => {
    await engine.client.withSession(async (session) => {
      session.startTransaction();
      const documents = [{ k: 'new' }, { k: 'a' }, { k: 'a' }, { k: 'later' }];
      const error = await failure(c.insertMany(documents, { session, ordered: false }));
      expect(error).to.nested.include({ 'result.insertedCount': 1, 'writeErrors.length': 1 });
    });
  });

  it('repeats withTransaction until a counter is correct (20 at once)', async () => {
    const add = () =>
      engine.client.withSession((session) =>
        session.withTransaction(async () => {
          const row = await c.findOne({ k: 'a' }, { session });
          await c.updateOne({ k: 'a' }, { $set: { n: row?.['n'] + 1 } }, { session });
        }),
      );
    await Promise.all(Array.from({ length: 20 }, add));
    expect((await c.findOne({ k: 'a' }))?.['n']).to.equal(20);
  });

  it('gives the same reply to a repeated commit', async () => {
    const session = engine.client.startSession();
    session.startTransaction();
    await c.insertOne({ k: 'c' }, { session });
    await session.commitTransaction();
    await session.commitTransaction();
    expect(await c.countDocuments({ k: 'c' })).to.equal(1);
    await session.endSession();
  });

  it('rejects commands that are not allowed in transactions', async () => {
    await engine.client.withSession(async (session) => {
      session.startTransaction();
      await c.findOne({}, { session });
      expect((await failure(c.drop({ session }))).code).to.equal(263);
    });
  });

  it("rejects the server's own databases", async () => {
    for (const name of ['admin', 'config', 'local']) {
      await engine.client.withSession(async (session) => {
        session.startTransaction();
        const own = engine.client.db(name).collection('c');
        expect((await failure(own.findOne({}, { session }))).code).to.equal(263);
      });
    }
  });

  it('stops a batch at its first error, ordered or not', async () => {
    await engine.client.withSession(async (session) => {
      session.startTransaction();
      const insert = {
        insert: c.collectionName,
        documents: [{ k: 'y' }, { _id: 1 }, { _id: 1 }, { k: 'z' }],
      };
      const answer = await engine.db.command({ ...insert, ordered: false }, { session });
      expect(answer).to.include({ ok: 1, n: 1 });
      expect(answer['writeErrors']).to.have.lengthOf(1);
      expect((await failure(session.commitTransaction())).code).to.equal(251);
    });
  });
});

describe('embedded engine: retried writes', () => {
  let engine: TestEngine;
  before(async () => {
    engine = await openEngine();
  });
  after(() => engine.close());

  it('executes a numbered write once, whatever it is', async () => {
    const session = engine.client.startSession();
    const lsid = session.id;
    const { db } = engine;
    const twice = async (command: Document) => [await db.command(command), await db.command(command)];
    const [first, second] = await twice({
      insert: 'r',
      documents: [{ _id: 1, n: 0 }],
      lsid,
      txnNumber: Long.fromNumber(1),
    });
    expect(second).to.deep.equal(first);
    await twice({
      update: 'r',
      updates: [{ q: { _id: 1 }, u: { $inc: { n: 1 } } }],
      lsid,
      txnNumber: Long.fromNumber(2),
    });
    const [old, same] = await twice({
      findAndModify: 'r',
      query: { _id: 1 },
      update: { $inc: { n: 1 } },
      new: true,
      lsid,
      txnNumber: Long.fromNumber(3),
    });
    expect(old?.['value']).to.deep.equal({ _id: 1, n: 2 });
    expect(same?.['value']).to.deep.equal({ _id: 1, n: 2 });
    const [gone, still] = await twice({
      delete: 'r',
      deletes: [{ q: { _id: 1 }, limit: 1 }],
      lsid,
      txnNumber: Long.fromNumber(4),
    });
    expect([gone?.['n'], still?.['n']]).to.deep.equal([1, 1]);
    const late = { insert: 'r', documents: [{ _id: 2 }], lsid, txnNumber: Long.fromNumber(1) };
    expect((await failure(db.command(late))).code).to.equal(225);
    await session.endSession();
  });
});
