import { setTimeout as sleep } from 'node:timers/promises';
import { Long, ObjectId } from 'bson';
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
/** So long that no beat is sent between the commands and no write counts as slow, whatever the machine does. */
const LONG_LEASE = 600_000;
/** Resolves when the journal entry of the write is gone. */
const writeWithJournal = async (db: Db, write: Write): Promise<void> => {
  const journal = openJournal(db, LEASE);
  await journal.write(write);
  await journal.settled();
};
const recoverAll = (db: Db): Promise<void> => openJournal(db, LEASE).recoverAll();

const isBeat = (given: readonly unknown[]): boolean =>
  JSON.stringify(given[1] ?? null) === '{"$inc":{"beat":1}}';

/** The database as seen by a process that is killed before (or after) its command number `last` is answered; beats do not count. */
function dyingDb(db: Db, last: number, afterwards: boolean): { db: Db; isDead(): boolean } {
  let sent = 0;
  let isDead = false;
  const die = (): never => {
    isDead = true;
    throw new Killed();
  };
  const dying = meddled(db, async ({ method, given, send }) => {
    if (isDead) die();
    if (!WRITES.has(method) || isBeat(given)) return send(given);
    if (++sent > last) die();
    const isLast = sent === last;
    const result = await send(given);
    return isLast && afterwards ? die() : result;
  });
  return { db: dying, isDead: () => isDead };
}

/** The database of a server that first finds nothing when `_id` is to be deleted, as FerretDB while others update it. */
const missing = (db: Db, _id: string): Db => {
  let misses = 1;
  return meddled(db, async ({ method, given, send }) => {
    const isMissed = method === 'deleteOne' && JSON.stringify(given).includes(`"_id":"${_id}"`);
    return isMissed && misses-- > 0 ? { acknowledged: true, deletedCount: 0 } : send(given);
  });
};

/** Whether a write was acknowledged. */
const isAcknowledged = (writing: Promise<void>): Promise<boolean> =>
  writing.then(
    () => true,
    (error: unknown) => {
      if (error instanceof Killed) return false;
      throw error;
    },
  );

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
  /** A published entry and its draft, changed by one write, with an entry that it removes and one that it creates. */
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

  it('executes all steps, publishes the changes and removes the journal entry', async () => {
    const { changes } = await prepare();
    await writeWithJournal(opened.store.db, { steps: changes.steps(), events: events() });
    expect(await state()).to.deep.equal(done);
    expect(await all(JOURNAL)).to.deep.equal([]);
    expect(await all('mangrove.outbox')).to.have.length(1);
  });

  // Large entries are recorded apart from the head.
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
        const journal = openJournal(dying.db, LEASE);
        const acknowledged = await isAcknowledged(
          journal.write({ steps: changes.steps(), events: events() }),
        );
        await journal.settled();
        await recoverAll(opened.store.db);
        const now = await state();
        const isDone = JSON.stringify(now) === JSON.stringify(done);
        if (!isDone) expect(now, `command ${last}`).to.deep.equal(before);
        if (acknowledged) expect(isDone, `acknowledged, command ${last}`).to.equal(true);
        expect(
          await opened.store.db.collection(JOURNAL).countDocuments({ steps: { $exists: true } }),
        ).to.equal(0);
        expect(await all('mangrove.outbox'), `events, command ${last}`).to.have.length(isDone ? 1 : 0);
        outcomes.add(`${isDone}`);
        if (!dying.isDead()) {
          expect([...outcomes].sort()).to.deep.equal(['false', 'true']);
          return;
        }
      }
      throw new Error('the write never ended');
    });

  /** A write of several steps, after another has deleted the entry that it deletes. */
  const prepareDeleted = async (): Promise<{ write: Write; before: unknown }> => {
    const { changes } = await prepare();
    await opened.store.db.collection<{ _id: string }>('live').deleteOne({ _id: 'd2' });
    return { write: { steps: changes.steps(), events: events() }, before: await state() };
  };

  it('of two deletions of one entry, the second is refused', async () => {
    const { db } = opened.store;
    await prepare();
    const [, entry] = await all('live');
    const changes = new Changes();
    changes.remove('live', entry ?? {});
    const write = { steps: changes.steps(), events: events() };
    await writeWithJournal(db, write);
    expect(await writeWithJournal(db, write).catch((e: unknown) => e)).to.be.instanceOf(WriteConflict);
    expect(await all('mangrove.outbox')).to.have.length(1);
    expect(await all(JOURNAL)).to.deep.equal([]);
  });

  it('of two deletions of one entry in the same turn, one is refused', async () => {
    await prepare();
    const deletions = (await all('live')).flatMap((entry) => [entry, entry]);
    const journal = openJournal(opened.store.db, LONG_LEASE);
    const ended = await Promise.allSettled(
      deletions.map((entry) => {
        const changes = new Changes();
        changes.remove('live', entry);
        return journal.write({ steps: changes.steps(), events: events() });
      }),
    );
    await journal.settled();
    expect(ended.filter(({ status }) => status === 'fulfilled')).to.have.length(2);
    expect(await all('live')).to.deep.equal([]);
  });

  it('what another has deleted since stays away, whenever the refused write is killed', async () => {
    for (let last = 0; last < 30; last++) {
      const { write, before } = await prepareDeleted();
      const dying = dyingDb(opened.store.db, last, false);
      const error = await openJournal(dying.db, LEASE)
        .write(write)
        .catch((e: unknown) => e);
      // Killed before it was refused, nothing tells that it did not make the deletion itself: it is completed.
      await recoverAll(opened.store.db);
      const isRefused = (await all('mangrove.outbox')).length === 0;
      expect(await state(), `command ${last}`).to.deep.equal(isRefused ? before : done);
      if (dying.isDead()) continue;
      expect(error).to.be.instanceOf(WriteConflict);
      expect(isRefused).to.equal(true);
      return;
    }
    throw new Error('the write never ended');
  });

  /** An entry and its draft, of the same revision, and the writes that remove one of them and may change the other. */
  const prepareRemovals = async () => {
    await prepare();
    const _rev = new ObjectId();
    const [live, draft] = await Promise.all(
      ['live', 'live.drafts'].map(async (name) => {
        await opened.store.db.collection<{ _id: string }>(name).updateOne({ _id: 'd1' }, { $set: { _rev } });
        return { name, entry: (await all(name))[0] ?? {} };
      }),
    );
    const removal = (status: 'draft' | 'published', title: string | null): Write => {
      const changes = new Changes();
      const [gone, other] = status === 'draft' ? [draft, live] : [live, draft];
      changes.remove(gone?.name ?? '', gone?.entry ?? {});
      if (title !== null) changes.replace(other?.name ?? '', other?.entry ?? {}, { ...other?.entry, title });
      const versions = [{ status, before: String(_rev), after: null }];
      return { steps: changes.steps(), events: events().map((event) => ({ ...event, versions })) };
    };
    return removal;
  };

  for (const titles of [
    ['first', 'second'],
    [null, null],
  ] as const)
    it(`what another write has deleted stays away and is told once, whenever the refused one is killed: ${titles[0] ? 'with' : 'without'} other steps`, async () => {
      for (let last = 0; last < 30; last++) {
        const removal = await prepareRemovals();
        await writeWithJournal(opened.store.db, removal('published', titles[0]));
        const before = await state();
        const dying = dyingDb(opened.store.db, last, false);
        await openJournal(dying.db, LEASE)
          .write(removal('published', titles[1]))
          .catch((e: unknown) => e);
        await recoverAll(opened.store.db);
        expect(await state(), `command ${last}`).to.deep.equal(before);
        expect(await all('mangrove.outbox'), `events, command ${last}`).to.have.length(1);
        if (!dying.isDead()) return;
      }
      throw new Error('the write never ended');
    });

  it('a deletion is completed after that of the other version, which had the same revision', async () => {
    const removal = await prepareRemovals();
    await writeWithJournal(opened.store.db, removal('published', null));
    const dying = dyingDb(opened.store.db, 2, true);
    await isAcknowledged(openJournal(dying.db, LEASE).write(removal('draft', null)));
    await recoverAll(opened.store.db);
    expect(await all('live.drafts')).to.deep.equal([]);
    expect(await all('mangrove.outbox')).to.have.length(2);
  });

  const LARGE = 1_200_000;
  const images = (): Promise<number> =>
    opened.store.db.collection(JOURNAL).countDocuments({ write: { $exists: true } });

  it('a start between the images and the head of a large write loses neither, however late its clock', async () => {
    const { changes, before } = await prepare(LARGE);
    const { now } = Date;
    let steps = 0;
    const dying = meddled(opened.store.db, async ({ collection, method, given, send }) => {
      if (collection === JOURNAL && method === 'insertMany') {
        Date.now = now;
        const documents = [given[0]].flat();
        await send([documents.slice(0, -1)]);
        await recoverAll(opened.store.db);
        return send([documents.slice(-1)]);
      }
      if (collection !== JOURNAL && WRITES.has(method) && ++steps > 1) throw new Killed();
      return send(given);
    });
    const journal = openJournal(dying, LEASE);
    Date.now = () => now() - 2 * 3_600_000;
    const error = await journal
      .write({ steps: changes.steps(), events: events() })
      .catch((e: unknown) => e)
      .finally(() => {
        Date.now = now;
      });
    expect(error).to.be.instanceOf(WriteConflict);
    await recoverAll(opened.store.db);
    expect(await state()).to.deep.equal(before);
    expect(await all('mangrove.outbox')).to.deep.equal([]);
    expect(await images()).to.equal(0);
    await writeWithJournal(opened.store.db, { steps: changes.steps(), events: events() });
    expect(await state()).to.deep.equal(done);
  });

  it('a start keeps the images of a write in progress', async () => {
    const { changes } = await prepare(LARGE);
    const slow = stallingDb(opened.store.db, 2, true);
    const journal = openJournal(slow.db, LEASE);
    const writing = journal.write({ steps: changes.steps(), events: events() });
    await slow.stalled;
    const stored = await images();
    expect(stored).to.be.greaterThan(0);
    const recovering = openJournal(opened.store.db, 2000).recoverAll();
    await sleep(100);
    expect(await images()).to.equal(stored);
    slow.letGo();
    await Promise.all([writing, recovering]);
    await journal.settled();
    expect(await all(JOURNAL)).to.deep.equal([]);
  });

  it('a head without its images does not count as applied', async () => {
    const { changes } = await prepare(LARGE);
    const dying = dyingDb(opened.store.db, 2, true);
    await isAcknowledged(openJournal(dying.db, LEASE).write({ steps: changes.steps(), events: events() }));
    await opened.store.db.collection(JOURNAL).deleteMany({ write: { $exists: true } });
    await recoverAll(opened.store.db);
    expect(await all('mangrove.outbox')).to.deep.equal([]);
  });

  it('an outcome is kept for an hour by the clock of the server, which then forgets it while it runs', async () => {
    await prepare();
    const journal = openJournal(opened.store.db, LEASE);
    const outcomes = opened.store.db.collection<{ _id: string }>(JOURNAL);
    const old = ObjectId.createFromTime(0).toHexString();
    const outcome = { _id: `${old}/outcome`, locks: [`${old}/outcome`], outcome: 'undone' };
    const inserted = [{ collection: 'live', id: 'd1', _rev: null }];
    for (const check of [journal.recoverAll, journal.recoverOverdue]) {
      await outcomes.insertOne({ ...outcome, inserted } as { _id: string });
      await check();
      expect((await all(JOURNAL)).map(({ _id }) => _id)).to.deep.equal([outcome._id]);
      await outcomes.updateOne({ _id: outcome._id }, { $set: { found: new Date(Date.now() - 3_700_000) } });
      await check();
      expect(await all(JOURNAL)).to.deep.equal([]);
    }
    expect((await all('live')).map(({ _id }) => _id)).to.deep.equal(['d2']);
  });

  const PLACES = [1, 2, 3, 4, 5];
  /** Writes that start in the same turn, each to a published entry and its draft. */
  const prepareMany = async (): Promise<readonly Write[]> => {
    const { db } = opened.store;
    await prepare();
    const entries = (name: string) =>
      PLACES.map((n) => ({ _id: `m${n}`, title: 'old', ...(name === 'live' && { code: `m${n}` }) }));
    for (const name of ['live', 'live.drafts'])
      await db.collection<{ _id: string }>(name).insertMany(entries(name));
    return PLACES.map((n) => {
      const changes = new Changes();
      for (const name of ['live', 'live.drafts']) {
        const entry = entries(name)[n - 1] ?? {};
        changes.replace(name, entry, { ...entry, title: 'new' });
      }
      const event = changeEvent({
        event: 'entry.publish',
        uid: 'u',
        documentId: `m${n}`,
        locale: null,
        id: n,
      });
      return { steps: changes.steps(), events: [event] };
    });
  };
  const titlesOf = async (n: number): Promise<unknown[]> => {
    const rows = [...(await all('live')), ...(await all('live.drafts'))];
    return rows.filter(({ _id }) => _id === `m${n}`).map(({ title }) => title);
  };

  it('writes that start in the same turn share their commands', async () => {
    const writes = await prepareMany();
    const sent: string[] = [];
    const counted = meddled(opened.store.db, ({ collection, method, given, send }) => {
      if (WRITES.has(method)) sent.push(`${method} ${collection}`);
      return send(given);
    });
    const journal = openJournal(counted, LONG_LEASE);
    await Promise.all(writes.map(journal.write));
    await journal.settled();
    expect(sent).to.deep.equal([
      `insertMany ${JOURNAL}`,
      'bulkWrite live',
      'bulkWrite live.drafts',
      'bulkWrite mangrove.outbox',
      `deleteMany ${JOURNAL}`,
    ]);
    for (const n of PLACES) expect(await titlesOf(n)).to.deep.equal(['new', 'new']);
    expect(await all('mangrove.outbox')).to.have.length(PLACES.length);
    expect(await all(JOURNAL)).to.deep.equal([]);
  });

  it('if one of them is refused, it is undone, and the others are committed', async () => {
    const writes = await prepareMany();
    await opened.store.db
      .collection<{ _id: string }>('live.drafts')
      .updateOne({ _id: 'm2' }, { $set: { _rev: 'other' } });
    const journal = openJournal(opened.store.db);
    const ended = await Promise.allSettled(writes.map(journal.write));
    await journal.settled();
    expect(ended.map(({ status }) => status === 'fulfilled')).to.deep.equal(PLACES.map((n) => n !== 2));
    for (const n of PLACES)
      expect(await titlesOf(n)).to.deep.equal(n === 2 ? ['old', 'old'] : ['new', 'new']);
    expect(await all('mangrove.outbox')).to.have.length(PLACES.length - 1);
    expect(await all(JOURNAL)).to.deep.equal([]);
  });

  it('if two in the same turn change one document, one is refused and its journal entry removed', async () => {
    const [write, , other] = await prepareMany();
    const again = write && {
      steps: write.steps.map((step) => ({ ...step, after: { ...step.after, _rev: new ObjectId() } })),
      events: [],
    };
    const journal = openJournal(opened.store.db);
    const writes = [write, again, other].flatMap((each) => each ?? []);
    const ended = await Promise.allSettled(writes.map(journal.write));
    await journal.settled();
    expect(ended.map(({ status }) => status).sort()).to.deep.equal(['fulfilled', 'fulfilled', 'rejected']);
    expect([await titlesOf(1), await titlesOf(3)]).to.deep.equal([
      ['new', 'new'],
      ['new', 'new'],
    ]);
    expect(await all(JOURNAL)).to.deep.equal([]);
  });

  for (const afterwards of [false, true])
    it(`killed ${afterwards ? 'after' : 'before'} any command of several writes: each is completed or undone, and acknowledged ones are complete`, async () => {
      let acknowledged = 0;
      for (let last = 0; last < 30; last++) {
        const writes = await prepareMany();
        const dying = dyingDb(opened.store.db, last, afterwards);
        const journal = openJournal(dying.db, LONG_LEASE);
        const isAnswered = await Promise.all(writes.map((write) => isAcknowledged(journal.write(write))));
        await journal.settled();
        await recoverAll(opened.store.db);
        let done = 0;
        for (const [at, n] of PLACES.entries()) {
          const [live, draft] = await titlesOf(n);
          expect(live, `command ${last}, write ${n}`).to.equal(draft);
          if (isAnswered[at]) expect(live, `acknowledged, command ${last}, write ${n}`).to.equal('new');
          if (live === 'new') done += 1;
          if (isAnswered[at] && dying.isDead()) acknowledged += 1;
        }
        expect(await all('mangrove.outbox'), `events, command ${last}`).to.have.length(done);
        if (!dying.isDead()) {
          expect(acknowledged, 'killed after it was acknowledged').to.be.greaterThan(0);
          return;
        }
      }
      throw new Error('the writes never ended');
    });

  it('published changes remain committed, whatever another program does before the next start', async () => {
    const { changes } = await prepare();
    // Killed before its journal entry is removed, the seventh of its commands.
    const dying = dyingDb(opened.store.db, 6, false);
    const journal = openJournal(dying.db, LONG_LEASE);
    await journal.write({ steps: changes.steps(), events: events() });
    await journal.settled();
    expect(await all('mangrove.outbox')).to.have.length(1);
    expect(await all(JOURNAL)).to.have.length(1);
    await opened.store.db.collection<{ _id: string }>('live').deleteOne({ _id: 'd1' });
    await recoverAll(opened.store.db);
    expect(await state()).to.deep.equal([[['d3', 'new', 'undefined', false]], [['d1', 'new', '12', true]]]);
  });

  it('undoes everything if a unique value is taken, or an entry was changed meanwhile', async () => {
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

  it('undoes what it inserted on a server that finds nothing to delete while others update it, whoever undoes it', async () => {
    for (let last = 1; last < 20; last++) {
      const { changes, before } = await prepare();
      await opened.store.db
        .collection<{ _id: string }>('live.drafts')
        .updateOne({ _id: 'd1' }, { $set: { _rev: 'other' } });
      const dying = dyingDb(opened.store.db, last, true);
      const journal = openJournal(missing(dying.db, 'd3'), LEASE);
      const write = journal.write({ steps: changes.steps(), events: [] });
      await write.catch(() => undefined);
      await recoverAll(missing(opened.store.db, 'd3'));
      expect(await state(), `command ${last}`).to.deep.equal(before);
      if (!dying.isDead()) return;
    }
    throw new Error('the write never ended');
  });

  it('two writes of one document do not collide, and the write of a dead process is completed by the next one', async () => {
    const { changes } = await prepare();
    const steps = changes.steps();
    await writeWithJournal(dyingDb(opened.store.db, 3, false).db, { steps, events: events() }).catch(
      () => undefined,
    );
    const journal = openJournal(opened.store.db, LEASE);
    const attempt = () => journal.write({ steps, events: [] }).catch((e: unknown) => e);
    // A last heartbeat may still be on its way.
    do {
      expect(await attempt(), 'the first write is not completed').to.be.instanceOf(WriteConflict);
      await sleep(2 * LEASE);
    } while (await journal.isLocked('live', 'd1'));
    expect(await state()).to.deep.equal(done);
  });

  /** The database as seen by a process that pauses before its command number `at` until it is released. */
  function stallingDb(db: Db, at: number, renews = false): { db: Db; stalled: Promise<void>; letGo(): void } {
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
      if (isBeat(given)) {
        if (!renews) await free;
      } else if (WRITES.has(method) && ++sent === at) {
        tell();
        await free;
      }
      return send(given);
    });
    return { db: proxied, stalled, letGo: () => letGo() };
  }

  for (const refused of [false, true])
    it(`a writer that pauses while another ${refused ? 'undoes' : 'completes'} its write agrees with it`, async () => {
      for (let at = 2; at <= 7; at++) {
        const { changes, before } = await prepare();
        const slow = stallingDb(opened.store.db, at);
        const journal = openJournal(slow.db, LEASE);
        const write = journal.write({ steps: changes.steps(), events: events() });
        const outcome = write.then(
          () => 'done',
          (error: unknown) =>
            error instanceof WriteConflict || isDuplicateKey(error) ? 'undone' : String(error),
        );
        const ended = outcome.then((word) => journal.settled().then(() => word));
        if ((await Promise.race([slow.stalled, ended])) !== undefined) break;
        if (refused)
          await opened.store.db
            .collection<{ _id: string }>('live.drafts')
            .updateOne({ _id: 'd1', title: 'old' }, { $set: { _rev: 'of another program' } });
        await recoverAll(opened.store.db);
        slow.letGo();
        const now = await ended;
        expect(['done', 'undone'], `command ${at}`).to.include(now);
        if (!refused) expect(now, `command ${at}`).to.equal('done');
        expect(await state(), `command ${at}, ${now}`).to.deep.equal(now === 'done' ? done : before);
        expect(await all('mangrove.outbox')).to.have.length(now === 'done' ? 1 : 0);
      }
    });

  it('a slow writer that renews its lease is left alone', async () => {
    const { changes } = await prepare();
    const { db } = opened.store;
    const slow = stallingDb(db, 3, true);
    const writing = openJournal(slow.db, LEASE).write({ steps: changes.steps(), events: events() });
    await slow.stalled;
    // Longer than a beat takes on a slow machine.
    const patience = 2000;
    const recovering = openJournal(db, patience).recoverAll();
    await sleep(1.5 * patience);
    slow.letGo();
    await Promise.all([writing, recovering]);
    expect(await state()).to.deep.equal(done);
    expect(await all('mangrove.outbox')).to.have.length(1);
    expect(await all(JOURNAL)).to.deep.equal([]);
  });
});
