import { expect } from 'chai';
import type { Document } from 'mongodb';
import { failure, openEngine, type TestEngine } from './support/engine.js';

interface Numbered {
  readonly _id: number;
  readonly rev: number;
  readonly u: number;
}

/** `bulkWrite` with `atomic`: all statements in one commit, or none. */
describe('an atomic bulkWrite', () => {
  let engine: TestEngine;
  before(async () => {
    engine = await openEngine();
  });
  after(() => engine?.close());
  beforeEach(async () => {
    await engine.db.dropDatabase();
    await engine.db.collection('a').createIndex({ u: 1 }, { unique: true });
    await engine.db.collection<Numbered>('a').insertMany([
      { _id: 1, rev: 1, u: 1 },
      { _id: 2, rev: 1, u: 2 },
    ]);
  });

  const send = (...ops: Document[]): Promise<Document> =>
    engine.client.db('admin').command({
      bulkWrite: 1,
      atomic: true,
      errorsOnly: true,
      nsInfo: ['a', 'b'].map((name) => ({ ns: `${engine.db.databaseName}.${name}` })),
      ops,
    });
  const stored = async (): Promise<Document[]> => [
    ...(await engine.db.collection('a').find().sort({ _id: 1 }).toArray()),
    ...(await engine.db.collection('b').find().sort({ _id: 1 }).toArray()),
  ];
  const update = (_id: number, rev: number): Document => ({
    update: 0,
    filter: { _id, rev },
    updateMods: { $set: { rev: rev + 1 } },
    multi: false,
  });
  const insert = (_id: number): Document => ({ insert: 1, document: { _id } });

  it('runs all of its statements', async () => {
    const reply = await send(update(1, 1), insert(1), { delete: 0, filter: { _id: 2 }, multi: false });
    expect(reply).to.include({ nErrors: 0, nInserted: 1, nMatched: 1, nDeleted: 1 });
    expect(await stored()).to.deep.equal([{ _id: 1, rev: 2, u: 1 }, { _id: 1 }]);
  });

  const REFUSED: Readonly<Record<string, readonly [Document, number]>> = {
    'an update that finds nothing': [update(2, 7), 47],
    'a delete that finds nothing': [{ delete: 0, filter: { _id: 9 }, multi: false }, 47],
    'a duplicate unique value': [{ insert: 0, document: { _id: 3, u: 2 } }, 11000],
    'an update that fails': [
      { update: 0, filter: { _id: 2 }, updateMods: { $inc: { 'u.x': 1 } }, multi: false },
      28,
    ],
  };
  for (const [what, [statement, code]] of Object.entries(REFUSED))
    it(`runs none of them with ${what}, whatever its position`, async () => {
      const before = await stored();
      for (const ops of [
        [statement, update(1, 1), insert(1)],
        [update(1, 1), insert(1), statement],
      ])
        expect(await failure(send(...ops))).to.include({ code });
      expect(await stored()).to.deep.equal(before);
    });

  it('does not affect other commands sent at the same moment', async () => {
    const sent = Array.from({ length: 20 }, (_, at) =>
      send(insert(at), ...(at % 2 ? [update(1, 7)] : [])).then(
        () => true,
        () => false,
      ),
    );
    expect(await Promise.all(sent)).to.deep.equal(sent.map((_, at) => at % 2 === 0));
    expect(await engine.db.collection('b').distinct('_id')).to.have.length(10);
  });

  it('waits for a transaction that has locked what it changes', async () => {
    await engine.client.withSession(async (session) => {
      session.startTransaction();
      const held = engine.db.collection<Numbered>('a');
      await held.updateOne({ _id: 1 }, { $set: { rev: 2 } }, { session });
      const waiting = failure(send(update(1, 1)));
      await session.commitTransaction();
      expect(await waiting).to.include({ code: 47 });
    });
  });
});
