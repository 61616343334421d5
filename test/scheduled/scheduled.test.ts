/** What is scheduled is carried out once, at its time, over all processes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type Db, ObjectId } from 'mongodb';
import { until } from '../../packages/engine/test/support/until.js';
import type { Documents } from '../../src/documents/types.js';
import { ApiError, errors } from '../../src/errors.js';
import type { AppEvent } from '../../src/events/events.js';
import { startScheduled } from '../../src/scheduled/run.js';
import { openStore } from '../../src/store/client.js';
import { SCHEDULED, type StoredSchedule } from '../../src/store/entries/schedules.js';
import { OUTBOX } from '../../src/store/outbox/outbox.js';
import { JOURNAL } from '../../src/store/writes/journal-head.js';
import { type TestStore, testStore } from '../support/engine.js';
import { ARTICLE, HOME, library, PAGE, TAG } from './library.js';
import { documentsOn, openDocuments } from './open.js';
import { withSlowLists } from './with-slow-lists.js';
import { withTime } from './with-time.js';

type Row = Record<string, unknown>;
type Running = ReturnType<typeof startScheduled>;

describe('scheduled actions', function () {
  this.timeout(180_000);
  let opened: TestStore;
  let documents: Documents;
  const running: Running[] = [];
  const events: AppEvent[] = [];
  /** Milliseconds by which the database's clock is ahead, so that no test waits for a time or is late for one. */
  let ahead = 0;
  const soon = (ms = 60_000): Date => new Date(Date.now() + ahead + ms);
  const pass = (ms = 120_000): void => {
    ahead += ms;
  };

  before(async () => {
    opened = await testStore();
    documents = await documentsOn(opened.store);
  });
  afterEach(async () => {
    for (const one of running.splice(0)) await one.stop(5000);
    events.length = 0;
    ahead = 0;
    await opened.store.db.collection(SCHEDULED).deleteMany({});
  });
  after(() => opened?.close());

  const start = (given: { documents?: Documents; db?: Db } = {}): Running => {
    const store = { db: withTime(given.db ?? opened.store.db, () => new Date(Date.now() + ahead)) };
    const parts = {
      store,
      documents: given.documents ?? documents,
      record: (event: AppEvent) => void events.push(event),
    };
    const one = startScheduled(parts, { every: 20, lease: 400 });
    running.push(one);
    return one;
  };
  const draft = async (uid = ARTICLE, data: Row = { title: 'one' }, locale?: string): Promise<string> =>
    String((await documents(uid).create({ data, ...(locale && { locale }) })).documentId);
  const published = (documentId: string, uid = ARTICLE, locale?: string) =>
    documents(uid).findOne({ documentId, status: 'published', ...(locale && { locale }) });
  const scheduled = (): Promise<StoredSchedule[]> =>
    opened.store.db.collection<StoredSchedule>(SCHEDULED).find().toArray();
  const changes = (documentId: string, event = 'entry.publish') =>
    opened.store.db.collection(OUTBOX).find({ documentId, event }).toArray();
  const idle = (): Promise<void> =>
    until(
      async () =>
        (await scheduled()).every(({ error }) => error !== null) &&
        // Without transactions the schedule is removed before the entries are stored.
        (await opened.store.db.collection(JOURNAL).countDocuments()) === 0,
      () => JSON.stringify(events),
    );
  const publishAt = (documentId: string, at: Date, uid = ARTICLE, more: object = {}) =>
    documents(uid).publish?.({ documentId, publishAt: at, ...more });

  it('publishes and unpublishes once, when it is due, and not before', async () => {
    const documentId = await draft();
    start();
    const at = soon();
    const answers = await publishAt(documentId, at);
    expect(answers?.entries).to.deep.equal([]);
    expect(answers?.scheduled?.map((one) => [one.action, one.at, one.state, one.locale])).to.deep.equal([
      ['publish', at, 'waiting', null],
    ]);
    await sleep(100);
    expect(await published(documentId)).to.equal(null);
    pass();
    await idle();
    expect((await published(documentId))?.['title']).to.equal('one');
    const [change, ...more] = await changes(documentId);
    expect(more).to.deep.equal([]);
    expect(change?.['by']).to.deep.equal({ kind: 'script' });
    await documents(ARTICLE).unpublish?.({ documentId, unpublishAt: soon().toISOString() });
    pass();
    await idle();
    expect(await published(documentId)).to.equal(null);
    expect(await documents(ARTICLE).findOne({ documentId })).to.include({ title: 'one' });
  });

  it('carries out once what several processes find due at the same moment', async () => {
    const at = soon();
    const ids = await Promise.all(
      Array.from({ length: 40 }, (_, number) => draft(ARTICLE, { title: `${number}` })),
    );
    await Promise.all(ids.map((id) => publishAt(id, at)));
    const others = await Promise.all([1, 2].map(() => openDocuments(opened.uri, opened.name)));
    start();
    for (const other of others) start({ documents: other.documents, db: other.store.db });
    pass();
    await idle();
    for (const id of ids) expect(await changes(id), id).to.have.length(1);
    for (const one of running.splice(0)) await one.stop(5000);
    for (const { store } of others) await store.close();
  });

  it('carries out once what processes take at the same time without waiting for each other', async () => {
    const documentId = await draft();
    await publishAt(documentId, soon(60_000));
    const [stored] = await scheduled();
    const due = () => ({ id: stored?._id ?? '', revision: String(stored?._rev), isDone: false });
    const other = await openStore({ uri: opened.uri, name: opened.name });
    const twin = await documentsOn(other);
    const outcomes = await Promise.allSettled(
      [documents, twin, documents, twin].map((one) =>
        one
          .carryingOut(due(), { by: { kind: 'script' }, requestId: null })(ARTICLE)
          .publish?.({ documentId }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
    expect(await changes(documentId)).to.have.length(1);
    await other.close();
  });

  it('does late what was due while no process ran, in the order of its times', async () => {
    const documentId = await draft();
    const both = await draft();
    const at = soon();
    await documents(ARTICLE).unpublish?.({ documentId: both, unpublishAt: at });
    for (const id of [documentId, both]) await publishAt(id, at);
    pass();
    start();
    await idle();
    expect(await published(documentId)).to.not.equal(null);
    expect(await published(both)).to.equal(null);
    expect(await changes(both, 'entry.unpublish')).to.have.length(1);
  });

  it('can be changed and cancelled until then', async () => {
    const [moved, cancelled, replaced] = [await draft(), await draft(), await draft()];
    for (const id of [moved, cancelled, replaced]) await publishAt(id, soon());
    await publishAt(moved, soon(3_600_000));
    const gone = await documents(ARTICLE).cancelScheduled?.({ documentId: cancelled, action: 'publish' });
    expect(gone).to.have.length(1);
    const listed = (await documents(ARTICLE).findScheduled?.()) ?? [];
    expect(listed.map((one) => one.documentId)).to.deep.equal([replaced, moved]);
    expect(await documents(ARTICLE).findScheduled?.({ documentId: cancelled })).to.deep.equal([]);
    start();
    pass();
    await until(
      async () => (await published(replaced)) !== null,
      () => JSON.stringify(events),
    );
    await sleep(200);
    expect([await published(moved), await published(cancelled)]).to.deep.equal([null, null]);
    expect(await scheduled()).to.have.length(1);
  });

  it('is either done or changed if it is changed when it is due', async () => {
    start();
    for (let round = 0; round < 10; round++) {
      const documentId = await draft();
      await publishAt(documentId, soon());
      pass();
      await sleep(5 * round);
      const cancelled = await documents(ARTICLE).cancelScheduled?.({ documentId, action: 'publish' });
      await idle();
      await sleep(50);
      expect(await changes(documentId)).to.have.length(cancelled?.length === 0 ? 1 : 0);
    }
  });

  it('publishes 500 documents that are due at the same moment', async () => {
    const at = new Date();
    const data = Array.from({ length: 500 }, (_, number) => ({ data: { title: `${number}` } }));
    const ids = await documents.together(ARTICLE, data);
    await opened.store.db.collection<Row>(SCHEDULED).insertMany(
      ids.map((documentId) => ({
        ...{ _id: documentId as never, _rev: new ObjectId() },
        ...{ uid: ARTICLE, documentId, locale: null, action: 'publish', at },
        ...{ by: { kind: 'token', name: 'site' }, createdAt: at, error: null },
      })),
    );
    start();
    await idle();
    const filter = { documentId: { $in: ids } };
    expect(await opened.store.db.collection('articles').countDocuments(filter)).to.equal(500);
    const by = { 'by.name': 'site', event: 'entry.publish', ...filter };
    expect(await opened.store.db.collection(OUTBOX).countDocuments(by)).to.equal(500);
  });

  it('unpublishes after it has published, also if that had to be tried again', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 10; n++) ids.push(await draft());
    const [first = ''] = ids;
    const at = soon();
    await documents(ARTICLE).unpublish?.({ documentId: first, unpublishAt: at });
    await publishAt(first, new Date(at.getTime() - 1000));
    for (const documentId of ids.slice(1)) await publishAt(documentId, new Date(at.getTime() - 500));
    let isFirst = true;
    const carryingOut: Documents['carryingOut'] = (...given) => {
      const of = (uid: string) => {
        const service = documents.carryingOut(...given)(uid);
        const publish: typeof service.publish = async (params) => {
          if (params.documentId !== first) await sleep(100);
          else if (isFirst) {
            isFirst = false;
            throw errors.streamsExhausted(0);
          }
          return service.publish?.(params) as never;
        };
        return { ...service, publish };
      };
      return of as ReturnType<Documents['carryingOut']>;
    };
    start({ documents: Object.assign((uid: string) => documents(uid), { carryingOut }) as Documents });
    pass();
    await idle();
    expect(await published(first)).to.equal(null);
    const done = events.filter((event) => 'documentId' in event && event.documentId === first);
    expect(done.map(({ name }) => name)).to.deep.equal(['schedule-carried-out', 'schedule-carried-out']);
  });

  it('keeps what is refused with its error, and does not try again', async () => {
    const documentId = await draft(ARTICLE, {});
    await publishAt(documentId, soon());
    start();
    pass();
    await idle();
    const [failed] = (await documents(ARTICLE).findScheduled?.()) ?? [];
    expect([failed?.state, failed?.error]).to.deep.equal([
      'failed',
      { name: 'ValidationError', message: 'title must be a `string` type, but the final value was: `null`.' },
    ]);
    expect(events.map(({ name }) => name)).to.deep.equal(['schedule-failed']);
    await documents(ARTICLE).update({ documentId, data: { title: 'now' } });
    await sleep(200);
    expect(await published(documentId)).to.equal(null);
    await publishAt(documentId, soon());
    pass();
    await idle();
    expect((await published(documentId))?.['title']).to.equal('now');
    expect(await scheduled()).to.deep.equal([]);
  });

  it('notes that there is nothing to do for a document that has been deleted', async () => {
    const documentId = await draft();
    await publishAt(documentId, soon());
    await documents(ARTICLE).delete({ documentId });
    start();
    pass();
    await idle();
    expect(events.map(({ name }) => name)).to.deep.equal(['schedule-without-effect']);
    expect(await scheduled()).to.deep.equal([]);
  });

  it('schedules each locale by itself', async () => {
    const documentId = await draft(PAGE, { title: 'en' });
    await documents(PAGE).update({ documentId, locale: 'fr', data: { title: 'fr' } });
    const fr = await publishAt(documentId, soon(), PAGE, { locale: 'fr' });
    expect(fr?.scheduled?.map(({ locale }) => locale)).to.deep.equal(['fr']);
    start();
    pass();
    await idle();
    expect(await published(documentId, PAGE, 'fr')).to.not.equal(null);
    expect(await published(documentId, PAGE, 'en')).to.equal(null);
    const all = await documents(PAGE).unpublish?.({ documentId, locale: '*', unpublishAt: soon(3_600_000) });
    expect(all?.scheduled?.map(({ locale }) => locale)).to.have.members(['en', 'fr']);
  });

  it('publishes a single type', async () => {
    const documentId = await draft(HOME, { title: 'home' });
    await publishAt(documentId, soon(), HOME);
    start();
    pass();
    await idle();
    expect((await published(documentId, HOME))?.['title']).to.equal('home');
  });

  it('is stored and cancelled with a transaction', async () => {
    const failing = documents.transaction(async (inside) => {
      const { documentId } = await inside(ARTICLE).create({ data: { title: 'in' } });
      await inside(ARTICLE).publish?.({ documentId: String(documentId), publishAt: soon(60_000) });
      throw new Error('no');
    });
    expect(await failing.catch(({ message }: Error) => message)).to.equal('no');
    expect(await scheduled()).to.deep.equal([]);
    await documents.transaction(async (inside) => {
      const { documentId } = await inside(ARTICLE).create({ data: { title: 'in' } });
      await inside(ARTICLE).publish?.({ documentId: String(documentId), publishAt: soon(60_000) });
    });
    expect(await scheduled()).to.have.length(1);
  });

  it('runs hooks when it is carried out, and fails if one of them refuses', async () => {
    const own = await documentsOn(opened.store);
    const seen: string[] = [];
    own.use(async ({ action, params }, next) => {
      if (action !== 'publish') return next();
      seen.push(String(Reflect.get(params, 'documentId')));
      return seen.length === 2 ? { documentId: '', entries: [] } : next();
    });
    const [one, two] = [await draft(), await draft()];
    await own(ARTICLE).publish?.({ documentId: one, publishAt: soon() });
    expect(seen).to.deep.equal([]);
    start({ documents: own });
    pass();
    await idle();
    await own(ARTICLE).publish?.({ documentId: two, publishAt: soon() });
    pass();
    await idle();
    expect(seen).to.deep.equal([one, two]);
    const [failed] = await scheduled();
    expect([failed?.documentId, failed?.error?.name]).to.deep.equal([two, 'ApplicationError']);
  });

  it('runs hooks once for what ends while it is read what is due', async () => {
    const own = await documentsOn(opened.store);
    const seen: string[] = [];
    own.use(async ({ action, params }, next) => {
      if (action === 'publish') seen.push(String(Reflect.get(params, 'documentId')));
      // Long enough for the next read to begin.
      await sleep(60);
      return next();
    });
    const ids = [await draft(), await draft(), await draft()];
    for (const documentId of ids) await own(ARTICLE).publish?.({ documentId, publishAt: soon() });
    start({ documents: own, db: withSlowLists(opened.store.db) });
    pass();
    await idle();
    await sleep(400);
    expect([...seen].sort()).to.deep.equal([...ids].sort());
  });

  it('leaves what a type can no longer have, with its error', async () => {
    const documentId = await draft();
    await publishAt(documentId, soon());
    const types = [...library().contentTypes].filter(([uid]) => uid !== ARTICLE && uid !== TAG);
    const without = await documentsOn(opened.store, { ...library(), contentTypes: new Map(types) });
    start({ documents: without });
    pass();
    await idle();
    expect((await scheduled())[0]?.error?.message).to.equal(`Content type ${ARTICLE} does not exist`);
  });

  it('refuses times that are not in the future, and documents that are not there', async () => {
    const documentId = await draft();
    for (const at of [
      '2020-01-01T00:00:00Z',
      '2030',
      'tomorrow',
      '',
      5,
      {},
      ['2030-01-01T00:00:00Z'],
      new Date(Number.NaN),
    ]) {
      const error = await Promise.resolve(
        documents(ARTICLE).publish?.({ documentId, publishAt: at as string }),
      ).then(
        () => null,
        (refused: unknown) => refused,
      );
      expect(error, String(at)).to.be.instanceOf(ApiError);
      expect((error as ApiError).code).to.equal('schedule-time-invalid');
      expect((error as ApiError).details).to.include({ path: 'publishAt' });
    }
    const none = await publishAt('none', soon(60_000));
    expect(none?.scheduled).to.deep.equal([]);
    expect(await scheduled()).to.deep.equal([]);
  });
});
