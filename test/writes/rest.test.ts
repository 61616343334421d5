/**
 * Which versions of a document a REST `DELETE` deletes, and what a write returns whatever its query filters (rules A.1,
 * G.9).
 */
import { expect } from 'chai';
import { send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const UID = 'api::article.article';

describe('DELETE over REST', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ roles: { public: [`${UID}.delete`] } });
  });
  after(() => server.close());

  const rows: [query: string, left: string][] = [
    ['', 'de fr'],
    ['locale=fr', 'de en'],
    ['locale=*', ''],
    ['locale[0]=fr&locale[1]=de', 'en'],
    ['locale=xx', 'de en fr'],
    ['locale=*&filters[title]=fr', ''],
    ['locale[0]=fr&filters[title]=fr', 'de en'],
    ['locale=fr&filters[title]=en', 'de en fr'],
    ['filters[title]=other', 'de en fr'],
    ['_q=other', 'de en fr'],
    ['_q=en', 'de fr'],
    ['_q=en&filters[title]=other', 'de en fr'],
  ];
  for (const [query, left] of rows)
    it(`${query || 'without a query'} leaves ${left || 'nothing'}`, async () => {
      const articles = server.project.documents(UID);
      const made = await articles.create({ data: { title: 'en' }, status: 'published' });
      const documentId = String(made.documentId);
      for (const locale of ['fr', 'de'])
        await articles.update({ documentId, locale, data: { title: locale }, status: 'published' });
      const answer = await send(server.url, `/api/articles/${documentId}?${query}`, { method: 'DELETE' });
      expect(answer.status).to.equal(204);
      const locales = await Promise.all(
        ['draft', 'published'].map(async (status) => {
          const kept = await articles.findMany({ filters: { documentId }, locale: '*', status });
          return kept.map(({ locale }) => locale).sort();
        }),
      );
      expect(locales.map((list) => list.join(' '))).to.deep.equal([left, left]);
    });
});

describe('the response of a write', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({
      rest: { publicDrafts: true },
      roles: { public: [`${UID}.create`, `${UID}.update`] },
    });
  });
  after(() => server.close());

  for (const query of [
    'filters[title]=other',
    '_q=other',
    'publicationFilter=modified',
    'hasPublishedVersion=false',
  ])
    it(`is not hidden by ${query}`, async () => {
      const body = { data: { title: 'written' } };
      const made = await send(server.url, `/api/articles?${query}`, { body });
      expect([made.status, made.at('data.title')]).to.deep.equal([201, 'written']);
      const path = `/api/articles/${made.at('data.documentId')}?${query}`;
      const changed = await send(server.url, path, { method: 'PUT', body });
      expect([changed.status, changed.at('data.title')]).to.deep.equal([200, 'written']);
    });
});
