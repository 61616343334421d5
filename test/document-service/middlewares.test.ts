/** `documents.use` wraps REST calls too (rules G.10). */
import { expect } from 'chai';
import type { MiddlewareContext } from '../../src/documents/middleware.js';
import { send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const UID = 'api::memo.memo';

describe('Document Service middlewares, over REST', () => {
  let server: TestServer;
  let seen: MiddlewareContext[] = [];
  let passed: object | null = null;
  before(async () => {
    const grants = ['find', 'findOne', 'create', 'update', 'delete'].map((action) => `${UID}.${action}`);
    server = await startTestServer({ roles: { public: grants } }, { undescribed: true });
    const { documents } = server.project;
    for (const title of ['one', 'two', 'three']) await documents(UID).create({ data: { title } });
    documents.use((context, next) => {
      seen.push({ ...context });
      if (passed) context.params = { ...context.params, passed };
      if (context.action === 'findMany')
        context.params = { ...context.params, filters: { title: { $ne: 'two' } } };
      return next();
    });
    documents.use(async (context, next) => {
      const answer = await next();
      return context.action === 'findOne' ? { ...(answer as object), added: true } : answer;
    });
  });
  beforeEach(() => {
    seen = [];
  });
  after(() => server.close());
  const ask = (path: string, sent = {}) => send(server.url, `/api${path}`, sent);

  it('may change the query of a list, which also changes the total', async () => {
    const answer = await ask('/memos?sort=title:asc&filters[title]=two');
    expect([answer.at('data.0.title'), answer.at('data.1.title')]).to.deep.equal(['one', 'three']);
    expect(answer.at('meta.pagination.total')).to.equal(2);
    expect(seen[0]).to.include({ uid: UID, action: 'findMany' });
    expect(seen[0]?.params).to.deep.equal({
      sort: 'title:asc',
      filters: { title: 'two' },
      status: 'published',
      start: 0,
      limit: 25,
    });
  });

  it('may change the result for one entry, and see which one it is', async () => {
    const documentId = (await ask('/memos')).at('data.0.documentId');
    const answer = await ask(`/memos/${documentId}?fields=title`);
    expect(answer.at('data')).to.include({ title: 'one', added: true });
    expect(seen.at(-1)?.params).to.deep.equal({ fields: 'title', documentId, status: 'published' });
  });

  it('may pass on what is no parameter, which is not looked into', async () => {
    const app: Record<string, unknown> = {};
    app['app'] = app;
    passed = new Proxy(app, { ownKeys: () => expect.fail('looked into') });
    const list = await ask('/memos?sort=title:asc');
    const one = await ask(`/memos/${list.at('data.0.documentId')}`);
    const made = await ask('/memos', { body: { data: { title: 'five' } } });
    const gone = await ask(`/memos/${made.at('data.documentId')}`, { method: 'DELETE' });
    passed = null;
    expect([list, one, made, gone].map(({ status }) => status)).to.eql([200, 200, 201, 204]);
  });

  it('see each write of REST once', async () => {
    const made = await ask('/memos', { body: { data: { title: 'four' } } });
    await ask(`/memos/${made.at('data.documentId')}`, { method: 'DELETE' });
    expect(seen.map(({ action }) => action)).to.deep.equal(['create', 'delete']);
  });

  it('pass errors through', async () => {
    expect((await ask('/memos?sort=nope')).status).to.equal(400);
  });
});
