/** `ETag`, `If-None-Match` and `Cache-Control` of reads (docs/contract.md). */
import { expect } from 'chai';
import { textQuery } from '../../src/query/query.js';
import { type Sent, send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const UID = 'api::article.article';

describe('entity tags', () => {
  let server: TestServer;
  let documentId: string;
  let token: string;
  let read: number;
  before(async () => {
    server = await startTestServer({
      rest: {
        etags: true,
        cacheControl: {
          [`${UID}.find`]: {
            public: 'public, s-maxage=9, max-age=60',
            token: 'public, s-maxage=9, max-age=5',
          },
        },
      },
      roles: { public: [`${UID}.find`, `${UID}.findOne`, 'api::homepage.homepage.find'] },
    });
    token = (await server.project.access.tokens.create({ name: 'all', type: 'full-access' })).key;
    const articles = server.project.documents(UID);
    documentId = String((await articles.create({ data: { title: 'one' }, status: 'published' })).documentId);
    await articles.update({ documentId, locale: 'fr', data: { title: 'un' }, status: 'published' });
    await server.project
      .documents('api::homepage.homepage')
      .create({ data: { title: 'x' }, status: 'published' });
  });
  after(() => server.close());

  const get = (path: string, headers: Sent['headers'] = {}, by?: string) =>
    send(server.url, `/api${path}`, { headers: headers ?? {}, token: by });
  const tagOf = async (path: string, by?: string) => String((await get(path, {}, by)).headers.get('etag'));
  const change = (data: object) =>
    server.project.documents(UID).update({ documentId, data, status: 'published' });
  const revision = async (collection: string, locale = 'en') => {
    const stored = await server.project.store.db.collection(collection).findOne({ documentId, locale });
    return String(stored?.['_rev']);
  };

  it('of an entry have the revision of the version that is shown', async () => {
    await server.project.documents(UID).update({ documentId, data: { title: 'draft' }, status: 'draft' });
    const [draft, live, fr] = [
      await tagOf(`/articles/${documentId}?status=draft`, token),
      await tagOf(`/articles/${documentId}`),
      await tagOf(`/articles/${documentId}?locale=fr`),
    ];
    expect(draft).to.match(/^"[0-9a-f]{24}-[0-9a-f]{20}"$/);
    expect(draft.slice(1, 25)).to.equal(await revision('articles.drafts'));
    expect(live.slice(1, 25)).to.equal(await revision('articles'));
    expect(fr.slice(1, 25)).to.equal(await revision('articles', 'fr'));
    expect(new Set([draft, live, fr]).size).to.equal(3);
    expect(await tagOf('/articles')).to.match(/^"[0-9a-f]{20}"$/);
    await change({ title: 'published' });
  });

  const PATHS: readonly (() => string)[] = [
    () => '/articles',
    () => '/articles?populate=*',
    () => `/articles/${documentId}`,
    () => `/articles/${documentId}?fields=title`,
    () => `/articles/${documentId}?populate=*`,
    () => `/articles/${documentId}?populate[localizations][fields]=title`,
  ];
  for (const [at, path] of PATHS.entries())
    it(`read ${at + 1} is a 304 as long as nothing changes, and not after`, async () => {
      const first = await get(path());
      const tag = String(first.headers.get('etag'));
      for (const header of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
        const again = await get(path(), { 'if-none-match': header });
        expect([again.status, again.body, again.headers.get('etag')]).to.eql([304, null, tag]);
        expect(again.headers.get('content-type')).to.equal(null);
      }
      for (const header of ['"other"', `"${tag.slice(1, 20)}"`, ''])
        expect((await get(path(), header === '' ? {} : { 'if-none-match': header })).body).to.eql(first.body);
      await change({ title: `changed ${at}` });
      const changed = await get(path(), { 'if-none-match': tag });
      expect(changed.status).to.equal(200);
      expect(changed.headers.get('etag')).to.not.equal(tag);
    });

  it('differ where the answers of one entry differ', async () => {
    const queries = ['', '?fields=title', '?fields=slug', '?populate=*', '?populate[localizations]=true'];
    const tags = await Promise.all(queries.map((query) => tagOf(`/articles/${documentId}${query}`)));
    expect(new Set(tags).size).to.equal(queries.length);
    const v4 = await get(`/articles/${documentId}`, { 'strapi-response-format': 'v4' });
    expect(tags).to.not.include(v4.headers.get('etag'));
    expect(v4.headers.get('vary')).to.match(/Strapi-Response-Format/);
  });

  it('of an entry that shows others change with these, although its revision does not', async () => {
    const path = `/articles/${documentId}?populate[localizations][fields]=title`;
    const tag = await tagOf(path);
    await server.project
      .documents(UID)
      .update({ documentId, locale: 'fr', data: { title: 'deux' }, status: 'published' });
    const changed = await get(path, { 'if-none-match': tag });
    expect(changed.status).to.equal(200);
    expect(String(changed.headers.get('etag')).slice(0, 25)).to.equal(tag.slice(0, 25));
  });

  it('are the same in all processes', async () => {
    const other = await startTestServer({ rest: { etags: true } }, { beside: server });
    try {
      for (const path of PATHS.map((of) => of()))
        expect((await send(other.url, `/api${path}`)).headers.get('etag')).to.equal(await tagOf(path));
    } finally {
      await other.close();
    }
  });

  it('can be sent back in If-Match, from the published version too', async () => {
    const put = async (tag: string) =>
      (
        await send(server.url, `/api/articles/${documentId}`, {
          method: 'PUT',
          token,
          headers: { 'if-match': tag },
          body: { data: { title: `put ${++read}` } },
        })
      ).status;
    read = 0;
    expect(await put(await tagOf(`/articles/${documentId}`))).to.equal(200);
    expect(await put(await tagOf(`/articles/${documentId}?populate=*`))).to.equal(200);
    expect(await put(await tagOf(`/articles/${documentId}?status=draft`, token))).to.equal(200);
    const seen = await tagOf(`/articles/${documentId}`);
    await server.project.documents(UID).update({ documentId, data: { title: 'unseen' }, status: 'draft' });
    expect(await put(seen)).to.equal(412);
  });

  it('of single types', async () => {
    const tag = await tagOf('/homepage');
    expect(tag).to.match(/^"[0-9a-f]{24}-[0-9a-f]{20}"$/);
    expect((await get('/homepage', { 'if-none-match': tag })).status).to.equal(304);
  });

  it('HEAD has the tag, and is a 304 too', async () => {
    const path = `/articles/${documentId}`;
    const head = (headers = {}) => fetch(`${server.url}/api${path}`, { method: 'HEAD', headers });
    const tag = await tagOf(path);
    expect((await head()).headers.get('etag')).to.equal(tag);
    expect((await head({ 'if-none-match': tag })).status).to.equal(304);
  });

  it('a 304 of an entry that populates nothing is not rendered', async () => {
    const path = `/articles/${documentId}`;
    const tag = await tagOf(path);
    const { documents } = server.project;
    const service = documents(UID).forRequest({
      query: textQuery(''),
      caller: { grants: null },
      hasAlready: () => true,
    });
    const answer = await service.readJson({ documentId });
    expect([answer.json, answer.unchanged, answer.validator?.revision]).to.eql([
      null,
      true,
      tag.slice(1, 25),
    ]);
  });

  it('errors and writes have none; a malformed If-None-Match is a 400', async () => {
    expect((await get('/articles/nope')).headers.get('etag')).to.equal(null);
    expect((await get('/articles/nope', { 'if-none-match': '*' })).status).to.equal(404);
    const put = await send(server.url, `/api/articles/${documentId}`, {
      method: 'PUT',
      token,
      body: { data: {} },
    });
    expect([put.status, put.headers.get('etag')]).to.eql([200, null]);
    for (const path of ['/articles', `/articles/${documentId}`, '/homepage']) {
      const refused = await get(path, { 'if-none-match': 'x' });
      expect([refused.status, refused.headers.get('x-error-code'), refused.headers.get('etag')]).to.eql([
        400,
        'precondition-malformed',
        null,
      ]);
    }
  });

  it('Cache-Control is that of the action and the role, and private for callers', async () => {
    const of = async (path: string, headers?: Sent['headers'], by?: string) =>
      (await get(path, headers, by)).headers.get('cache-control');
    expect(await of('/articles')).to.equal('public, s-maxage=9, max-age=60');
    expect(await of('/articles', { 'if-none-match': await tagOf('/articles') })).to.equal(
      'public, s-maxage=9, max-age=60',
    );
    expect(await of('/articles', {}, token)).to.equal('private, max-age=5');
    expect(await of('/articles', { cookie: 'a=b' })).to.equal('private, max-age=60');
    expect(await of(`/articles/${documentId}`)).to.equal(null);
    expect(await of(`/articles/${documentId}`, {}, token)).to.equal('private, no-cache');
    expect(await of('/articles?sort=nope')).to.equal(null);
    expect(await of('/articles?sort=nope', {}, token)).to.equal('private, no-store');
    expect((await get('/articles')).headers.get('vary')).to.match(/Authorization/);
  });

  it('reads send the same queries as without tags', async () => {
    const plain = await startTestServer({}, { beside: server });
    try {
      const prepared = [server, plain].map(({ project }) => {
        const request = {
          type: project.schema.contentTypes.get(UID),
          query: { mode: 'rest', key: 'k', params: {} },
        };
        return project.reader.prepare({ ...request, caller: { grants: null }, target: 'one' } as never).read;
      });
      const [tagged, other] = prepared.map(({ compiled }) => compiled.stages);
      const without = JSON.stringify(tagged).replace('"_rev":1,', '').replace(',"_rev":1', '');
      expect(without).to.equal(JSON.stringify(other));
      expect(without).to.not.equal(JSON.stringify(tagged));
    } finally {
      await plain.close();
    }
  });
});

describe('without rest.etags', () => {
  it('answers are as in Strapi: no headers, and If-None-Match is not looked at', async () => {
    const server = await startTestServer({ roles: { public: [`${UID}.find`, `${UID}.findOne`] } });
    try {
      for (const header of ['*', 'nonsense']) {
        const answer = await send(server.url, '/api/articles', { headers: { 'if-none-match': header } });
        expect(answer.status).to.equal(200);
        for (const name of ['etag', 'cache-control']) expect(answer.headers.get(name)).to.equal(null);
        expect(answer.headers.get('vary')).to.not.match(/Format/);
      }
    } finally {
      await server.close();
    }
  });
});
