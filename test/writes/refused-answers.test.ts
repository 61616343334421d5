/** Before MongoDB 5.1, mongos refuses to join sharded collections: also those of the response to a write. */
import { expect } from 'chai';
import { FULL_ACCESS } from '../../src/documents/read/script-request.js';
import { paramsQuery } from '../../src/query/query.js';
import { openStore } from '../../src/store/client.js';
import { testStore } from '../support/engine.js';
import { type Received, type Sent, send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { type Answer, bodyOf, commandOf, startProxy, type WireProxy } from '../support/wire-proxy.js';

const ARTICLE = 'api::article.article';

describe('a write whose response the server refuses to read', function () {
  this.timeout(180_000);
  let direct: TestServer;
  let proxy: WireProxy;
  let server: TestServer;
  let token: string;
  let joins = 0;

  before(async () => {
    direct = await startTestServer();
    proxy = await startProxy(direct.project.databaseUri);
    const databaseUri = `${proxy.uri}&serverMonitoringMode=poll`;
    server = await startTestServer({}, { beside: direct, databaseUri });
    Object.assign(server.project.store, { refusesJoins: true });
    token = (await direct.project.access.tokens.create({ name: 'all', type: 'full-access' })).key;
    proxy.meddle = (message) => {
      const command = commandOf(message) === 'aggregate' ? JSON.stringify(bodyOf(message)) : '';
      if (!command.includes('"$lookup":{"from":"categories')) return 0;
      joins += 1;
      const errmsg = 'categories cannot be sharded';
      return { ok: 0, code: 28769, codeName: 'NamespaceCannotBeSharded', errmsg };
    };
  });
  after(async () => {
    await server?.close();
    await proxy?.close();
    await direct?.close();
  });

  const ask = (path: string, sent: Sent = {}): Promise<Received> =>
    send(server.url, `/api${path}`, { token, ...sent });
  const stored = () =>
    Promise.all(
      (['draft', 'published'] as const).map((status) =>
        direct.project.documents(ARTICLE).findMany({ status, sort: 'id' }),
      ),
    );

  it('is a 400, and nothing is stored', async () => {
    const made = await ask('/articles?status=draft', { body: { data: { title: 'before' } } });
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    const documentId = String(made.at('data.documentId'));
    const before = await stored();
    const body = { data: { title: 'after' } };
    for (const populate of ['populate=categories', 'populate=*'])
      for (const [path, method] of [
        [`/articles?status=draft&${populate}`, 'POST'],
        [`/articles?${populate}`, 'POST'],
        [`/articles/${documentId}?status=draft&${populate}`, 'PUT'],
        [`/articles/${documentId}?${populate}`, 'PUT'],
      ] as const) {
        const { status, headers } = await ask(path, { method, body });
        expect([status, headers.get('x-error-code')], `${method} ${path}`).to.deep.equal([
          400,
          'sharded-collection-not-joined',
        ]);
      }
    const { documents } = server.project;
    const populate = ['categories'];
    const calls = [
      () => documents(ARTICLE).create({ data: { title: 'after' }, populate }),
      () => documents(ARTICLE).update({ documentId, data: { title: 'after' }, populate }),
      () => documents(ARTICLE).publish?.({ documentId, populate }),
      () => documents(ARTICLE).clone({ documentId, populate }),
      () => documents(ARTICLE).delete({ documentId, populate }),
      () =>
        documents(ARTICLE)
          .forRequest({ query: paramsQuery({ populate }, 'rest'), caller: FULL_ACCESS })
          .changeVersion('publish', documentId),
    ];
    for (const call of calls) {
      const error = await Promise.resolve(call()).then(
        () => null,
        (reason: unknown) => reason,
      );
      expect(error, String(call)).to.have.property('code', 'sharded-collection-not-joined');
    }
    expect(await stored()).to.deep.equal(before);
  });

  it('without such a join, it is written and answered', async () => {
    const count = joins;
    const made = await ask('/articles?populate=localizations', { body: { data: { title: 'alone' } } });
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    expect(joins).to.equal(count);
  });

  it('only mongos before 5.1 refuses joins', async () => {
    const test = await testStore();
    const asked = await startProxy(test.uri);
    const refuses = async (msg: string | undefined, version: readonly number[]): Promise<boolean> => {
      asked.meddle = (message) => {
        const command = commandOf(message);
        // Those of the driver itself are to the database `admin`.
        if (command === 'hello' && bodyOf(message)['$db'] === test.name)
          return (answer: Answer) => ({ ...answer, msg });
        if (command !== 'buildInfo') return 0;
        return { ok: 1, version: version.join('.'), versionArray: [...version, 0], modules: [] };
      };
      const store = await openStore({ uri: asked.uri, name: test.name });
      await store.close();
      return store.refusesJoins;
    };
    try {
      expect(await refuses('isdbgrid', [5, 0, 7])).to.equal(true);
      expect(await refuses('isdbgrid', [5, 1, 0])).to.equal(false);
      expect(await refuses('isdbgrid', [8, 0, 0])).to.equal(false);
      expect(await refuses(undefined, [5, 0, 7])).to.equal(false);
    } finally {
      await asked.close();
      await test.close();
    }
  });
});
