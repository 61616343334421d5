import { Long } from 'bson';
import { expect } from 'chai';
import type { Db } from 'mongodb';
import { isDuplicateKey } from '../../src/store/connection/duplicate.js';
import { WriteConflict } from '../../src/store/entries/apply-step.js';
import type { Write } from '../../src/store/entries/changes.js';
import { Changes, type Entry } from '../../src/store/entries/changes.js';
import { changeEvent } from '../../src/store/outbox/outbox.js';
import { indexJournal, openJournal } from '../../src/store/writes/journal.js';
import { JOURNAL } from '../../src/store/writes/journal-head.js';
import { type TestStore, testStore } from '../support/engine.js';
import { meddled, WRITES } from './meddled.js';

class Killed extends Error {}

/** Milliseconds: long enough for a live writer of these tests, short enough to wait for. */
const LEASE = 60;
const writeWithJournal = (db: Db, write: Write): Promise<void> => openJournal(db, LEASE).write(write);
const recoverAll = (db: Db): Promise<void> => openJournal(db, LEASE).recoverAll();

/** The database as a process sees it that is killed before (or after) its command number `last` is answered. */
function dyingDb(db: Db, last: number, afterwards: boolean): Db {
  let sent = 0;
  return meddled(db, async ({ method, given, send }) => {
    if (!WRITES.has(method)) return send(given);
    if (++sent > last) throw new Killed();
    const result = await send(given);
    if (sent === last && afterwards) throw new Killed();
    return result;
  });
}

describe('writeWithJournal', () => {
  let opened: TestStore;
  before(async () => {
    opened = await testStore();
    await indexJournal(opened.store.db);
    await opened.store.db.collection('live').createIndex({ code: 1 }, { unique: true });
  });
  after(() => opened?.close());

  const all = (collection: string): Promise<Entry[]> =>
    opened.store.db.collection(collection).find({}, { promoteLongs: false }).sort({ _id: 1 }).toArray();
  /** A published entry and its draft, which one write changes, beside one that it removes and one that it makes. */
  const prepare = async (pad = 0): Promise<{ changes: Changes; before: unknown }> => {
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
    changes.insert('live', { _id: 'd3', code: 'c', title: 'new', ...(pad > 0 && { pad: 'x'.repeat(pad) }) });
    return { changes, before: await state() };
  };
  const state = async (): Promise<unknown> =>
    [await all('live'), await all('live.drafts')].map((rows) =>
      rows.map(({ _id, title, big }) => [_id, title, String(big), Long.isLong(big)]),
    );
  const events = () => [
    changeEvent({ event: 'entry.publish', uid: 'u', documentId: 'd1', locale: null, id: 1 }),
  ];
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

  // What is large is noted apart from the head.
  for (const [afterwards, pad] of [
    [false, 0],
    [true, 0],
    [false, 1_200_000],
    [true, 1_200_000],
  ] as const)
    it(`killed ${afterwards ? 'after' : 'before'} any of its commands${pad > 0 ? ', with a large entry' : ''}: the next start completes or undoes it`, async () => {
      const outcomes = new Set<string>();
      for (let last = 0; last < 30; last++) {
        const { changes, before } = await prepare(pad);
        const dying = dyingDb(opened.store.db, last, afterwards);
        const killed = await writeWithJournal(dying, { steps: changes.steps(), events: events() }).then(
          () => false,
          (error: unknown) => {
            if (error instanceof Killed) return true;
            throw error;
          },
        );
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
    const journal = openJournal(opened.store.db, LEASE);
    const attempt = () => journal.write({ steps, events: [] }).catch((e: unknown) => e);
    expect(await attempt()).to.be.instanceOf(WriteConflict);
    await new Promise((resolve) => setTimeout(resolve, 2 * LEASE));
    const late = await attempt();
    expect(late, 'what it was computed from has changed').to.be.instanceOf(WriteConflict);
    expect(await state()).to.deep.equal(done);
  });

  /** The database as a process sees it that stands still before its command number `at`, until it is let go. */
  function stallingDb(db: Db, at: number): { db: Db; stalled: Promise<void>; letGo(): void } {
    let sent = 0;
    let tell: () => void = () => undefined;
    let letGo: () => void = () => undefined;
    const stalled = new Promise<void>((resolve) => {
      tell = resolve;
    });
    const free = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const proxied = meddled(db, async ({ method, given, send }) => {
      // A process that stands still does not renew either.
      if (method === 'updateOne' && JSON.stringify(given[1] ?? null).includes('beat')) await free;
      else if (WRITES.has(method) && ++sent === at) {
        tell();
        await free;
      }
      return send(given);
    });
    return { db: proxied, stalled, letGo: () => letGo() };
  }

  for (const refused of [false, true])
    it(`a writer that stands still while another ${refused ? 'undoes' : 'completes'} its write agrees with it`, async () => {
      for (let at = 2; at <= 7; at++) {
        const { changes, before } = await prepare();
        const slow = stallingDb(opened.store.db, at);
        const write = openJournal(slow.db, LEASE).write({ steps: changes.steps(), events: events() });
        const outcome = write.then(
          () => 'done',
          (error: unknown) =>
            error instanceof WriteConflict || isDuplicateKey(error) ? 'undone' : String(error),
        );
        if ((await Promise.race([slow.stalled, outcome])) !== undefined) break;
        if (refused)
          await opened.store.db
            .collection<{ _id: string }>('live.drafts')
            .updateOne({ _id: 'd1', title: 'old' }, { $set: { _rev: 'of another program' } });
        await recoverAll(opened.store.db);
        slow.letGo();
        const now = await outcome;
        expect(['done', 'undone'], `command ${at}`).to.include(now);
        if (!refused) expect(now, `command ${at}`).to.equal('done');
        expect(await state(), `command ${at}, ${now}`).to.deep.equal(now === 'done' ? done : before);
        expect(await all('mangrove.outbox')).to.have.length(now === 'done' ? 1 : 0);
      }
    });

  it('a writer that takes long but shows life is left alone', async () => {
    const { changes } = await prepare();
    const { db } = opened.store;
    const slow = meddled(db, async ({ method, given, send }) => {
      if (method === 'replaceOne' || method === 'deleteOne')
        await new Promise((resolve) => setTimeout(resolve, 3 * LEASE));
      return send(given);
    });
    const writing = openJournal(slow, LEASE).write({ steps: changes.steps(), events: events() });
    await recoverAll(db);
    await writing;
    expect(await state()).to.deep.equal(done);
    expect(await all('mangrove.outbox')).to.have.length(1);
    expect(await all(JOURNAL)).to.deep.equal([]);
  });
});
