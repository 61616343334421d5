import { expect } from 'chai';
import { ApiError } from '../../src/errors.js';
import { planOf } from '../support/corpus/plan.js';
import { send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const stranger = { grants: null, anonymous: true };

describe('security: drafts', () => {
  for (const filter of ['modified', 'unmodified', 'published-without-draft', 'published-with-draft'])
    it(`MANGROVE-14: publicationFilter=${filter} reveals nothing about drafts to anonymous callers`, () => {
      const query = `publicationFilter=${filter}`;
      expect(() => planOf(query, { caller: stranger, settings: { publicDrafts: false } }))
        .throw(ApiError)
        .that.includes({ status: 403 });
      for (const params of [
        { caller: { grants: null } },
        { caller: stranger, settings: { publicDrafts: true } },
      ])
        expect(planOf(query, params).publication).to.equal(filter);
    });
});

/** Each query selects other categories, or in another order, if the drafts of restaurants count. */
const THROUGH_DRAFTS: readonly (readonly [query: string, published: string, withDrafts: string])[] = [
  ['filters[restaurants][name][$startsWith]=Zebra', '', 'b'],
  ['filters[restaurants][name][$contains]=Later', '', 'a'],
  ['filters[restaurants][stars]=3', '', 'a'],
  ['filters[restaurants][$notNull]=true', 'a', 'ab'],
  ['filters[restaurants][$null]=true', 'b', ''],
  ['filters[restaurants][publishedAt][$null]=true', 'b', 'ab'],
  ['filters[$not][restaurants][name]=Open', '', 'ab'],
  ['filters[restaurants][similar][name]=Zebra', '', 'a'],
  ['filters[restaurants][menu][category][restaurants][name]=Zebra', '', 'a'],
  ['filters[children][restaurants][name]=Zebra', '', 'a'],
  ['sort=restaurants.stars:desc,name', 'ab', 'ba'],
  ['sort[0][children][restaurants][stars]=desc&sort[1]=name:desc', 'ba', 'ab'],
];

describe('security: drafts through relations', () => {
  let server: TestServer;
  let open: TestServer;
  let token: string;
  let documentId: string;
  before(async () => {
    server = await startTestServer();
    const { documents, access } = server.project;
    const role = (await access.roles.byType('public'))?.role;
    if (!role) throw new Error('no public role');
    const types = ['category', 'restaurant', 'article'].map((name) => `api::${name}.${name}`);
    const grants = types.flatMap((uid) => [`${uid}.find`, `${uid}.findOne`]);
    await access.roles.change(role, { grants: [...role.grants, ...grants] });
    // The same grants as the public has, with a credential.
    token = (await access.tokens.create({ name: 'same', type: 'custom', permissions: grants })).key;

    // Afterwards, so that it knows these grants from its start.
    open = await startTestServer({ rest: { publicDrafts: true } }, { beside: server });

    const categories = documents('api::category.category');
    const a = await categories.create({ data: { name: 'a' } });
    const b = await categories.create({ data: { name: 'b', parent: a.documentId } });
    const restaurants = documents('api::restaurant.restaurant');
    const published = {
      name: 'Open',
      stars: 1,
      categories: [a.documentId],
      menu: [{ name: 'x', category: b.documentId }],
    };
    const shown = await restaurants.create({ data: published, status: 'published' });
    const zebra = await restaurants.create({ data: { name: 'Zebra', stars: 5, categories: [b.documentId] } });
    const later = { name: 'Later', stars: 3, similar: [zebra.documentId] };
    await restaurants.update({ documentId: String(shown.documentId), data: later });
    const articles = documents('api::article.article');
    const article = await articles.create({ data: { title: 'seen' }, status: 'published' });
    documentId = String(article.documentId);
    await articles.update({ documentId, locale: 'fr', data: { title: 'caché' } });
  });
  after(async () => {
    await open?.close();
    await server?.close();
  });

  const namesFrom = async ({ url }: TestServer, query: string, key?: string): Promise<string> => {
    const answer = await send(url, `/api/categories?${query}`, { token: key });
    const rows = answer.at('data');
    if (!Array.isArray(rows)) throw new Error(JSON.stringify(answer.body));
    expect(answer.at('meta.pagination.total')).to.equal(rows.length);
    return rows.map(({ name }: { readonly name: string }) => name).join('');
  };

  for (const [query, published, withDrafts] of THROUGH_DRAFTS)
    it(`${query}: drafts count with a credential, or if they are public`, async () => {
      expect(await namesFrom(server, query), 'anonymous').to.equal(published);
      expect(await namesFrom(server, query, token), 'with a credential').to.equal(withDrafts);
      expect(await namesFrom(server, query), 'anonymous again').to.equal(published);
      expect(await namesFrom(open, query), 'public drafts').to.equal(withDrafts);
    });

  for (const query of ['filters[localizations][title]=caché', 'filters[localizations][locale]=fr'])
    it(`${query}: other locales' drafts do not count`, async () => {
      const totalOf = async (key?: string): Promise<unknown> =>
        (await send(server.url, `/api/articles?${query}`, { token: key })).at('meta.pagination.total');
      expect(await totalOf()).to.equal(0);
      expect(await totalOf(token)).to.equal(1);
    });

  it("sort=localizations.title: other locales' drafts do not count", async () => {
    const second = { data: { title: 'second' }, status: 'published' };
    const other = await server.project.documents('api::article.article').create(second);
    const first = async (key?: string): Promise<unknown> =>
      (await send(server.url, '/api/articles?sort=localizations.title', { token: key })).at(
        'data.0.documentId',
      );
    expect(await first(), 'none has a translation, so the id decides').to.equal(documentId);
    expect(await first(token)).to.equal(other.documentId);
  });

  it('populated items are filtered by published entries only', async () => {
    const populate = 'populate[menu][filters][category][restaurants][name]=Zebra';
    const menuFor = async (key?: string): Promise<unknown> =>
      (await send(server.url, `/api/restaurants?${populate}`, { token: key })).at('data.0.menu');
    expect(await menuFor()).to.deep.equal([]);
    expect(await menuFor(token)).to.have.length(1);
  });
});
