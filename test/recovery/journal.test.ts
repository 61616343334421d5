import { Long } from 'bson';
import { expect } from 'chai';
import type { Db } from 'mongodb';
import { WriteConflict } from '../../src/store/apply-step.js';
import { Changes, type Entry } from '../../src/store/changes.js';
import { isDuplicateKey } from '../../src/store/duplicate.js';
import { indexJournal, JOURNAL, recoverAll, writeWithJournal } from '../../src/store/journal.js';
import { changeEvent } from '../../src/store/outbox.js';
import { type TestStore, testStore } from '../support/engine.js';

const SENT = ['insertOne', 'insertMany', 'replaceOne', 'deleteOne', 'deleteMany'];
class Killed extends Error {}

/** The database as a process sees it that is killed before (or after) its command number `last` is answered. */
function dyingDb(db: Db, last: number, afterwards: boolean): Db {
  let sent = 0;
  return new Proxy(db, {
    get: (target, key) =>
      key !== 'collection'
        ? Reflect.get(target, key)
        : (name: string) =>
            new Proxy(target.collection(name), {
              get(collection, method) {
                const value = Reflect.get(collection, method);
                if (!SENT.includes(String(method)))
                  return typeof value === 'function' ? value.bind(collection) : value;
                return async (...given: unknown[]) => {
                  if (++sent > last) throw new Killed();
                  const result = await value.apply(collection, given);
                  if (sent === last && afterwards) throw new Killed();
                  return result;
                };
              },
            }),
  });
}

describe('writeWithJournal', () => {
  let opened: TestStore;
  before(async () => {
    opened = await testStore();
    await indexJournal(opened.store.db);
    await opened.store.db.collection('live').createIndex({ code: 1 }, { unique: true });
  });
  after(() => opened.close());

  const all = (collection: string): Promise<Entry[]> =>
    opened.store.db.collection(collection).find({}, { promoteLongs: false }).sort({ _id: 1 }).toArray();
  /** A published entry and its draft, which one write changes, beside one that it removes and one that it makes. */
  const prepare = async (): Promise<{ changes: Changes; before: unknown }> => {
    const { db } = opened.store;
    for (const name of ['live', 'live.drafts', JOURNAL, 'mangrove.outbox'])
      await db.collection(name).deleteMany({});
    const entry = { big: Long.fromString('12'), code: 'a', title: 'old' };
    await db.collection<{ _id: string }>('live').insertMany([
      { _id: 'd1', ...entry },
      { _id: 'd2', ...entry, code: 'b' },
    ]);
    await db.collection<{ _id: string }>('live.drafts').insertOne({ _id: 'd1', ...entry });
    const [one, two] = await all('live');
    const [draft] = await all('live.drafts');
    const changes = new Changes();
    changes.replace('live.drafts', draft ?? {}, { ...draft, title: 'new' });
    changes.replace('live', one ?? {}, { ...one, title: 'new' });
    changes.remove('live', two ?? {});
    changes.insert('live', { _id: 'd3', code: 'c', title: 'new' });
    return { changes, before: await state() };
  };
  const state = async (): Promise<unknown> =>
    [await all('live'), await all('live.drafts')].map((rows) =>
      rows.map(({ _id, title, big }) => [_id, title, String(big), Long.isLong(big)]),
    );
  const events = () => [
    changeEvent({ event: 'entry.publish', uid: 'u', documentId: 'd1', locale: null, id: 1 }),
  ];
  /** As if the writer had been gone for long. */
  const age = () =>
    opened.store.db
      .collection(JOURNAL)
      .updateMany({ steps: { $exists: true } }, { $set: { at: new Date(0) } });

  const done = [
    [
      ['d1', 'new', '12', true],
      ['d3', 'new', 'undefined', false],
    ],
    [['d1', 'new', '12', true]],
  ];

  it('does all steps, tells of them and leaves no note', async () => {
    const { changes } = await prepare();
    await writeWithJournal(opened.store.db, { steps: changes.steps(), events: events() });
    expect(await state()).to.deep.equal(done);
    expect(await all(JOURNAL)).to.deep.equal([]);
    expect(await all('mangrove.outbox')).to.have.length(1);
  });

  for (const afterwards of [false, true])
    it(`killed ${afterwards ? 'after' : 'before'} any of its commands: the next start completes or undoes it`, async () => {
      const outcomes = new Set<string>();
      for (let last = 0; last < 30; last++) {
        const { changes, before } = await prepare();
        const dying = dyingDb(opened.store.db, last, afterwards);
        const killed = await writeWithJournal(dying, { steps: changes.steps(), events: events() }).then(
          () => false,
          (error: unknown) => {
            if (error instanceof Killed) return true;
            throw error;
          },
        );
        await age();
        await recoverAll(opened.store.db);
        const now = await state();
        const isDone = JSON.stringify(now) === JSON.stringify(done);
        if (!isDone) expect(now, `command ${last}`).to.deep.equal(before);
        expect(
          await opened.store.db.collection(JOURNAL).countDocuments({ steps: { $exists: true } }),
        ).to.equal(0);
        expect(await all('mangrove.outbox'), `events, command ${last}`).to.have.length(isDone ? 1 : 0);
        outcomes.add(`${isDone}`);
        if (!killed) {
          expect([...outcomes].sort()).to.deep.equal(['false', 'true']);
          return;
        }
      }
      throw new Error('the write never ended');
    });

  it('takes everything back where a unique value is taken, or an entry was changed meanwhile', async () => {
    const taken = await prepare();
    const [first] = await all('live');
    taken.changes.replace('live', first ?? {}, { ...first, code: 'b' });
    const error = await writeWithJournal(opened.store.db, { steps: taken.changes.steps(), events: [] }).catch(
      (e: unknown) => e,
    );
    expect(isDuplicateKey(error)).to.equal(true);
    expect(await state()).to.deep.equal(taken.before);

    const stale = await prepare();
    await opened.store.db
      .collection<{ _id: string }>('live.drafts')
      .updateOne({ _id: 'd1' }, { $set: { _rev: 'other' } });
    const lost = await writeWithJournal(opened.store.db, { steps: stale.changes.steps(), events: [] }).catch(
      (e: unknown) => e,
    );
    expect(lost).to.be.instanceOf(WriteConflict);
    expect(await state()).to.deep.equal(stale.before);
    expect(await all(JOURNAL)).to.deep.equal([]);
  });

  it('two writes of one document do not run into each other, and a dead one is finished by the next', async () => {
    const { changes } = await prepare();
    const steps = changes.steps();
    await writeWithJournal(dyingDb(opened.store.db, 3, false), { steps, events: events() }).catch(
      () => undefined,
    );
    const blocked = await writeWithJournal(opened.store.db, { steps, events: [] }).catch((e: unknown) => e);
    expect(blocked).to.be.instanceOf(WriteConflict);
    await age();
    const late = await writeWithJournal(opened.store.db, { steps, events: [] }).catch((e: unknown) => e);
    expect(late, 'what it was computed from has changed').to.be.instanceOf(WriteConflict);
    expect(await state()).to.deep.equal(done);
  });
});
