/** Scheduled actions over REST: with a time in the query, listed and cancelled, each an action to grant. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { until } from '../../packages/engine/test/support/until.js';
import { allActions } from '../../src/access/index.js';
import type { RolesConfig } from '../../src/config/types.js';
import { startScheduled } from '../../src/scheduled/run.js';
import { OUTBOX } from '../../src/store/outbox/outbox.js';
import { makeAccount } from '../support/accounts.js';
import { type Received, type Sent, send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { writeFiles } from '../support/write-files.js';
import { ARTICLE, FILES, HOME, PAGE } from './library.js';
import { withTime } from './with-time.js';

type Row = Record<string, unknown>;
const TYPES = [ARTICLE, PAGE, HOME];
const FIND = TYPES.flatMap((uid) => [`${uid}.find`, `${uid}.findOne`]);
const LATER = TYPES.flatMap((uid) =>
  ['publish', 'unpublish', 'discardDraft', 'findScheduled'].map((name) => `${uid}.${name}`),
);
const few = { where: { views: { $lt: 5 } } };

const ROLES: RolesConfig = {
  public: [`${ARTICLE}.find`, `${ARTICLE}.findOne`, `${ARTICLE}.findScheduled`],
  reader: FIND,
  editor: [...FIND, ...LATER],
  few: [
    ...['find', 'findOne'].map((name) => ({
      action: `${ARTICLE}.${name}`,
      ...few,
      fields: ['title', 'views'],
    })),
    { action: `${ARTICLE}.publish`, ...few },
    `${ARTICLE}.findScheduled`,
  ],
};
const NINE = '2100-01-31T09:00:00.000Z';

describe('scheduled actions over REST', function () {
  this.timeout(180_000);
  let server: TestServer;
  let folder = '';
  const keys: Record<string, string> = {};
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-scheduled-'));
    await writeFiles(
      folder,
      Object.fromEntries(FILES.map((file) => [`content-types/${file.file}`, file.content])),
    );
    server = await startTestServer({ roles: ROLES }, { schemaFolder: folder });
    for (const name of ['reader', 'editor', 'few'])
      keys[name] = (await makeAccount(server.project, name, name)).key;
  });
  after(async () => {
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const ask = (path: string, as: string | null = 'editor', sent: Sent = {}): Promise<Received> =>
    send(server.url, `/api/${path}`, { ...(as && { token: keys[as] }), ...sent });
  const post = (path: string, as: string | null = 'editor', sent: Sent = {}) =>
    ask(path, as, { method: 'POST', ...sent });
  const remove = (path: string, as: string | null = 'editor', sent: Sent = {}) =>
    ask(path, as, { method: 'DELETE', ...sent });
  const draft = async (uid = ARTICLE, data: Row = { title: 'one', views: 1 }): Promise<string> =>
    String((await server.project.documents(uid).create({ data })).documentId);
  const listed = async (as = 'editor', plural = 'articles'): Promise<readonly Row[]> =>
    ((await ask(`${plural}/scheduled`, as)).at('data') ?? []) as readonly Row[];
  const clear = async (): Promise<void> => {
    await server.project.store.db.collection('mangrove.scheduled').deleteMany({});
  };
  beforeEach(clear);

  it('schedules with 202, lists, changes and cancels', async () => {
    const id = await draft();
    const made = await post(`articles/${id}/publish?publishAt=2100-01-31T10:00:00%2B01:00`);
    expect(made.status).to.equal(202);
    const { id: name, createdAt, ...rest } = made.at('data') as Row;
    expect(rest).to.deep.equal({
      ...{ documentId: id, locale: null, action: 'publish', at: NINE, state: 'waiting', error: null },
    });
    expect([typeof name, typeof createdAt]).to.deep.equal(['string', 'string']);
    expect((await ask(`articles/${id}`)).status).to.equal(404);
    const changed = await post(`articles/${id}/publish?publishAt=2101-01-31T09:00`);
    expect([changed.at('data.id'), changed.at('data.at')]).to.deep.equal([name, '2101-01-31T09:00:00.000Z']);
    await post(`articles/${id}/unpublish?unpublishAt=${NINE}`);
    expect((await listed()).map(({ action }) => action)).to.deep.equal(['unpublish', 'publish']);
    const second = await ask('articles/scheduled?pagination[pageSize]=1&pagination[page]=2');
    expect(second.at('meta.pagination')).to.deep.equal({ page: 2, pageSize: 1, pageCount: 2, total: 2 });
    expect((second.at('data') as Row[]).map(({ action }) => action)).to.deep.equal(['publish']);
    expect((await remove(`articles/${id}/publish`)).status).to.equal(204);
    expect((await remove(`articles/${id}/publish`)).status).to.equal(404);
    expect((await listed()).map(({ action }) => action)).to.deep.equal(['unpublish']);
  });

  it('carries it out as the caller who scheduled it', async () => {
    const id = await draft();
    await post(`articles/${id}/publish?publishAt=${NINE}`);
    const { documents, store } = server.project;
    const then = { db: withTime(store.db, new Date(NINE)) };
    const running = startScheduled({ documents, store: then, record: () => undefined }, { every: 20 });
    await until(
      async () => (await ask(`articles/${id}`)).status === 200,
      () => 'not yet',
    );
    await running.stop(5000);
    const change = await store.db.collection(OUTBOX).findOne({ documentId: id, event: 'entry.publish' });
    expect(change?.['by']).to.include({ kind: 'user' });
    expect(await listed()).to.deep.equal([]);
  });

  it('is closed by default, and each part is an action of its own', async () => {
    const id = await draft();
    const actions = allActions(server.project.schema);
    expect(actions).to.include(`${ARTICLE}.findScheduled`);
    for (const [path, method] of [
      [`articles/${id}/publish?publishAt=${NINE}`, 'POST'],
      [`articles/${id}/unpublish?unpublishAt=${NINE}`, 'POST'],
      [`articles/${id}/publish`, 'DELETE'],
      [`articles/${id}/unpublish`, 'DELETE'],
      ['articles/scheduled', 'GET'],
    ] as const)
      expect((await ask(path, 'reader', { method })).status, path).to.equal(403);
    // Schedules tell of drafts.
    expect((await ask('articles/scheduled', null)).status).to.equal(403);
    expect((await post(`articles/${id}/publish?publishAt=${NINE}`, 'few')).status).to.equal(202);
    expect((await post(`articles/${id}/unpublish?unpublishAt=${NINE}`, 'few')).status).to.equal(403);
  });

  it('keeps the rules of its caller', async () => {
    const [seen, hidden] = [await draft(), await draft(ARTICLE, { title: 'hidden', views: 9, secret: 'x' })];
    for (const id of [seen, hidden]) await post(`articles/${id}/publish?publishAt=${NINE}`);
    expect((await listed('few')).map(({ documentId }) => documentId)).to.deep.equal([seen]);
    expect((await listed('editor')).map(({ documentId }) => documentId)).to.have.members([seen, hidden]);
    for (const id of [hidden, 'none']) {
      expect(
        (await post(`articles/${id}/publish?publishAt=${NINE}`, 'few')).at('error.details.code'),
      ).to.equal('rule-refused');
      expect((await remove(`articles/${id}/publish`, 'few')).status).to.equal(403);
    }
    expect((await remove(`articles/${seen}/publish`, 'few')).status).to.equal(204);
    expect(await listed()).to.have.length(1);
  });

  it('refuses what it cannot do, with the place', async () => {
    const id = await draft();
    const codeOf = (received: Received) => [
      received.status,
      received.at('error.details.code'),
      received.at('error.details.param'),
    ];
    const bad = (query: string) => post(`articles/${id}/publish?${query}`).then(codeOf);
    expect(await bad('publishAt=2001-01-01T00:00:00Z')).to.deep.equal([
      400,
      'schedule-time-invalid',
      'publishAt',
    ]);
    expect(await bad('publishAt=2100-01-31T10:00:00+01:00')).to.deep.equal([
      400,
      'schedule-time-invalid',
      'publishAt',
    ]);
    expect(await bad('publishAt[a]=1')).to.deep.equal([400, 'schedule-time-invalid', 'publishAt']);
    expect(await bad('publishAt=')).to.deep.equal([400, 'schedule-time-invalid', 'publishAt']);
    for (const param of ['unpublishAt', 'PublishAt', 'publishat', 'at'])
      expect((await bad(`${param}=${NINE}`)).slice(0, 1), param).to.deep.equal([400]);
    const discard = await post(`articles/${id}/discard-draft?publishAt=${NINE}`);
    expect(discard.at('error.message')).to.match(/Invalid key/);
    for (const [method, path] of [
      ['POST', 'publish?status=draft'],
      ['POST', 'unpublish?status=published'],
      ['POST', 'discard-draft?status=published'],
      ['DELETE', 'publish?status=draft'],
      ['DELETE', `publish?publishAt=${NINE}`],
      ['DELETE', 'unpublish?when=now'],
    ] as const) {
      const answer = await ask(`articles/${id}/${path}`, 'editor', { method });
      expect([answer.status, answer.at('error.message')], path).to.deep.equal([
        400,
        `Invalid key ${/\?(\w+)/.exec(path)?.[1]}`,
      ]);
    }
    const inBody = await post(`articles/${id}/publish`, 'editor', { body: { publishAt: NINE } });
    expect([inBody.status, inBody.at('error.message')]).to.deep.equal([400, 'Invalid key publishAt']);
    expect((await ask(`articles/${id}`)).status).to.equal(404);
    expect((await post(`articles/none/publish?publishAt=${NINE}`)).status).to.equal(404);
    for (const query of ['filters[id]=1', `at=${NINE}`])
      expect((await ask(`articles/scheduled?${query}`)).at('error.message')).to.match(
        /^Invalid key (filters|at)$/,
      );
    expect(await listed()).to.deep.equal([]);
  });

  it('takes If-Match and Idempotency-Key as any action', async () => {
    const id = await draft();
    const path = `articles/${id}/publish?publishAt=${NINE}`;
    const refused = await post(path, 'editor', { headers: { 'if-match': '"000000000000000000000000"' } });
    expect(refused.status).to.equal(412);
    const revision = String(refused.at('error.details.revision'));
    expect((await post(path, 'editor', { headers: { 'if-match': `"${revision}"` } })).status).to.equal(202);
    // Scheduling leaves the draft as it is.
    expect((await post(path, 'editor', { headers: { 'if-match': `"${revision}"` } })).status).to.equal(202);
    const headers = { 'idempotency-key': '"one-and-only"' };
    const first = await post(path, 'editor', { headers });
    const again = await post(path, 'editor', { headers });
    expect(again.headers.get('idempotent-replayed')).to.equal('true');
    expect(again.body).to.deep.equal(first.body);
    const cancelling = { 'idempotency-key': '"another"' };
    for (let times = 0; times < 2; times++)
      expect((await remove(`articles/${id}/publish`, 'editor', { headers: cancelling })).status).to.equal(
        204,
      );
  });

  it('schedules one locale, and a single type', async () => {
    const id = await draft(PAGE, { title: 'en' });
    await server.project.documents(PAGE).update({ documentId: id, locale: 'fr', data: { title: 'fr' } });
    expect((await post(`pages/${id}/publish?locale=fr&publishAt=${NINE}`)).at('data.locale')).to.equal('fr');
    expect((await post(`pages/${id}/publish?locale=*&publishAt=${NINE}`)).status).to.equal(400);
    expect((await remove(`pages/${id}/publish`)).status).to.equal(404);
    expect((await remove(`pages/${id}/publish?locale=fr`)).status).to.equal(204);
    expect((await post(`home/publish?publishAt=${NINE}`)).status).to.equal(404);
    await draft(HOME, { title: 'home' });
    expect((await post(`home/publish?publishAt=${NINE}`)).status).to.equal(202);
    expect(await listed('editor', 'home')).to.have.length(1);
    expect((await remove('home/publish')).status).to.equal(204);
  });

  it('is part of a batch', async () => {
    const [one, two] = [await draft(), await draft()];
    const operation = (documentId: string, more: object = {}) => ({
      ...{ action: 'publish', plural: 'articles', documentId, publishAt: NINE },
      ...more,
    });
    const body = { operations: [operation(one), operation(two)] };
    const dry = await post('batch', 'editor', { body: { ...body, dryRun: true } });
    expect([dry.status, dry.at('meta.changes')]).to.deep.equal([200, []]);
    expect(await listed()).to.deep.equal([]);
    const failed = await post('batch', 'editor', {
      body: { operations: [operation(one), operation('none')] },
    });
    expect([failed.status, failed.at('error.details.operation')]).to.deep.equal([404, 1]);
    expect(await listed()).to.deep.equal([]);
    const done = await post('batch', 'editor', { body });
    expect(done.at('data.0.status')).to.equal(202);
    expect(await listed()).to.have.length(2);
    const wrong = await post('batch', 'editor', {
      body: { operations: [operation(one, { unpublishAt: NINE })] },
    });
    expect(wrong.status).to.equal(400);
  });
});
