/** `rest.compat: 'v4'` with what Strapi 5 added to Strapi 4: versions and locales of one document. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { writeFiles } from '../../src/transfer/schemas/files.js';
import { makeAccount } from '../support/accounts.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

type Json = Readonly<Record<string, unknown>>;
interface Row {
  readonly id: number;
  readonly attributes: Json;
}

const PAGE = 'api::page.page';
/** Reads and changes the pages of rank 1. */
const FEW = ['find', 'findOne', 'update'].map((name) => ({ action: `${PAGE}.${name}`, where: { rank: 1 } }));
const localized = { pluginOptions: { i18n: { localized: true } } };
const SCHEMAS = [
  {
    kind: 'component' as const,
    uid: 'box.part',
    name: 'part',
    file: 'content-types/components/box/part.json',
    content: { attributes: { name: { type: 'string' }, note: { type: 'string' } } },
  },
  {
    kind: 'contentType' as const,
    uid: PAGE,
    name: 'page',
    file: 'content-types/page/schema.json',
    content: {
      info: { singularName: 'page', pluralName: 'pages', displayName: 'Page' },
      options: { draftAndPublish: true },
      ...localized,
      attributes: {
        title: { type: 'string', ...localized },
        next: { type: 'relation', relation: 'oneToOne', target: PAGE },
        parts: { type: 'component', component: 'box.part', repeatable: true, ...localized },
        likes: { type: 'relation', relation: 'morphToMany' },
        rank: { type: 'integer' },
      },
    },
  },
  {
    kind: 'contentType' as const,
    uid: 'api::home.home',
    name: 'home',
    file: 'content-types/home/schema.json',
    content: {
      kind: 'singleType',
      info: { singularName: 'home', pluralName: 'homes', displayName: 'Home' },
      options: { draftAndPublish: true },
      ...localized,
      attributes: { title: { type: 'string', ...localized } },
    },
  },
];

describe('Strapi 4 clients with versions and locales', function () {
  this.timeout(180_000);
  let server: TestServer;
  let folder: string;
  let key: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-compat4-'));
    await writeFiles(folder, SCHEMAS);
    server = await startTestServer(
      { roles: { few: FEW }, rest: { compat: 'v4' }, plugins: { i18n: { locales: ['en', 'fr', 'de'] } } },
      { schemaFolder: folder },
    );
    key = (await server.project.access.tokens.create({ name: 'all', type: 'full-access' })).key;
    const pages = server.project.documents(PAGE);
    for (const title of ['one', 'two']) {
      const parts = [
        { name: 'a', note: 'kept' },
        { name: 'b', note: 'kept' },
      ];
      const { documentId } = await pages.create({
        data: { title, parts },
        status: 'published',
        locale: 'en',
      });
      const data = { title: `${title} fr` };
      await pages.update({ documentId: String(documentId), data, status: 'published', locale: 'fr' });
    }
  });
  after(async () => {
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const ask = async (
    method: string,
    path: string,
    body?: object,
    token = key,
  ): Promise<{ status: number; body: unknown }> => {
    const response = await fetch(`${server.url}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  const send = async (method: string, path: string, data?: object) =>
    (await ask(method, `/pages${path}`, data && { data })) as { status: number; body: { data: Row } };
  const list = async (query: string): Promise<readonly Row[]> =>
    (await send('GET', `?${query}`)).body.data as unknown as Row[];
  const titles = async (query: string): Promise<unknown> =>
    (await list(query)).map(({ attributes }) => attributes['title']);
  const idOf = async (title: string): Promise<number> =>
    (await list(`locale=all&filters[title]=${encodeURIComponent(title)}`))[0]?.id ?? 0;

  for (const state of ['live', 'preview'])
    it(`lists the other locales of each entry in every locale, ${state}`, async () => {
      for (const populate of ['populate=*', 'populate[localizations][fields][0]=title']) {
        const rows = await list(`locale=all&publicationState=${state}&sort=title&${populate}`);
        const named = rows.map(({ attributes }) => {
          const { data } = attributes['localizations'] as { readonly data: readonly Row[] };
          return [attributes['title'], ...data.map((other) => other.attributes['title'])];
        });
        expect(named).to.eql([
          ['one', 'one fr'],
          ['one fr', 'one'],
          ['two', 'two fr'],
          ['two fr', 'two'],
        ]);
        const others = rows.flatMap(
          ({ attributes }) => (attributes['localizations'] as { data: Row[] }).data,
        );
        expect(new Set(others.map(({ id }) => id))).to.eql(new Set(rows.map(({ id }) => id)));
      }
    });

  it('finds an entry by its numeric id, whichever version or locale it is', async () => {
    const id = await idOf('two fr');
    expect(await titles(`publicationState=preview&locale=fr&filters[id]=${id}`)).to.eql(['two fr']);
    expect(await titles(`publicationState=preview&locale=all&filters[id][$in][0]=${id}`)).to.eql(['two fr']);
    expect(await titles(`publicationState=preview&locale=fr&filters[id][$ne]=${id}`)).to.eql(['one fr']);
    expect(await titles(`publicationState=preview&locale=all&filters[id]=99999`)).to.eql([]);
  });

  it('resolves numeric ids in a body to their documents', async () => {
    const [one, two] = [await idOf('one'), await idOf('two')];
    for (const next of [two, { connect: [two] }, { set: [{ id: two }] }]) {
      await send('PUT', `/${one}`, { next: null });
      const changed = await send('PUT', `/${one}?populate=next`, { next });
      expect(changed.body.data).to.have.nested.property('attributes.next.data.attributes.title', 'two');
    }
    const found = await titles(`publicationState=preview&filters[next][id]=${await idOf('two')}`);
    expect(found).to.eql(['one']);
  });

  it('updates component items that it returned, and keeps their other fields', async () => {
    const path = `/${await idOf('one')}?populate=parts`;
    const { body } = await send('GET', path);
    const [a, b] = body.data.attributes['parts'] as readonly { readonly id: number }[];
    const parts = [{ id: b?.id, name: 'B' }, { name: 'new' }, { id: a?.id }];
    const changed = await send('PUT', path, { parts });
    const names = (changed.body.data.attributes['parts'] as readonly Json[]).map(({ name, note }) => [
      name,
      note,
    ]);
    expect(names).to.eql([
      ['B', 'kept'],
      ['new', null],
      ['a', 'kept'],
    ]);
  });

  it('numbers component items alike in draft and published versions', async () => {
    const itemsOf = async (state: string) =>
      (await list(`publicationState=${state}&populate=parts&sort=title`)).map(({ attributes }) =>
        (attributes['parts'] as readonly { readonly id: number }[]).map(({ id }) => id),
      );
    const live = await itemsOf('live');
    expect(live.flat()).to.have.lengthOf.above(0);
    expect(await itemsOf('preview')).to.eql(live);
  });

  it("returns localizations in Strapi 4's order", async () => {
    const pages = server.project.documents(PAGE);
    const { documentId } = await pages.create({ data: { title: 'a en' }, status: 'published', locale: 'en' });
    for (const locale of ['fr', 'de'])
      await pages.update({
        documentId: String(documentId),
        data: { title: `a ${locale}` },
        status: 'published',
        locale,
      });
    for (const state of ['live', 'preview']) {
      const filter = 'locale=all&sort=id&filters[title][$startsWith]=a';
      const named = async (options: string) =>
        (await list(`${filter}&publicationState=${state}&populate[localizations]${options}`)).map((row) =>
          (row.attributes['localizations'] as { readonly data: readonly Row[] }).data.map(
            ({ attributes }) => attributes['locale'],
          ),
        );
      expect(await named('=true')).to.eql([
        ['de', 'fr'],
        ['de', 'en'],
        ['en', 'fr'],
      ]);
      expect((await named('[sort]=locale:asc'))[1]).to.eql(['de', 'en']);
      expect((await named('[sort]=locale:desc'))[0]).to.eql(['fr', 'de']);
    }
    await pages.delete({ documentId: String(documentId), locale: '*' });
  });

  it('returns no dates that were not requested, and no empty polymorphic relations', async () => {
    const [row] = await list('fields[0]=title&sort=id&publicationState=preview&populate=likes');
    expect(row?.attributes).to.eql({ title: 'one' });
  });

  it('finds an entry without a locale by its id, whatever locale the query names', async () => {
    const { documents, store } = server.project;
    const { documentId } = await documents(PAGE).create({ data: { title: 'before' }, status: 'published' });
    for (const name of ['pages', 'pages.drafts'])
      await store.db.collection(name).updateMany({ documentId }, { $set: { locale: null } });
    const id = await idOf('before');
    for (const query of ['', '?locale=fr', '?locale=all', '?filters[title]=before']) {
      const { status, body } = await send('GET', `/${id}${query}`);
      expect([status, body.data?.attributes['title'], body.data?.attributes['locale']], query).to.eql([
        ...[200, 'before', null],
      ]);
    }
    for (const name of ['pages', 'pages.drafts']) await store.db.collection(name).deleteMany({ documentId });
  });

  it('lists the locales of a single type', async () => {
    const homes = server.project.documents('api::home.home');
    const { documentId } = await homes.create({
      data: { title: 'hello' },
      locale: 'en',
      status: 'published',
    });
    for (const [title, locale, status] of [
      ['bonjour', 'fr', 'published'],
      ['hallo', 'de', 'draft'],
    ] as const)
      await homes.update({ documentId: String(documentId), data: { title }, locale, status });
    const titlesOf = async (query: string): Promise<unknown> =>
      ((await ask('GET', `/home?${query}`)).body as { data: readonly Row[] }).data.map(
        ({ attributes }) => attributes['title'],
      );
    expect(await titlesOf('locale=all')).to.eql(['hello', 'bonjour']);
    expect(await titlesOf('locale=all&publicationState=preview')).to.eql(['hello', 'bonjour', 'hallo']);
  });

  it('reads a limit of -1 as all that a page may have', async () => {
    const { body } = await ask('GET', '/pages?pagination[limit]=-1&sort=title');
    expect(body).to.have.nested.property('meta.pagination.limit', 100);
    expect(body).to.have.nested.property('data.length').above(1);
  });

  it('does not search documentIds', async () => {
    const { documentId } = await server.project
      .documents(PAGE)
      .create({ data: { title: '-' }, status: 'published' });
    expect(await titles(`_q=${String(documentId).slice(2, 20)}`)).to.eql([]);
    expect(await titles('_q=-')).to.eql(['-']);
    await server.project.documents(PAGE).delete({ documentId: String(documentId) });
  });

  it('leaves a draft a draft, publishes by a date, and takes back what is published', async () => {
    const made = await send('POST', '', { title: 'kept', publishedAt: null });
    const path = `/${made.body.data.id}`;
    const changed = await send('PUT', path, { title: 'kept 2' });
    expect(changed.body.data.attributes).to.include({ title: 'kept 2', publishedAt: null });
    expect(await titles('filters[title][$startsWith]=kept')).to.eql([]);
    const live = await send('PUT', path, { publishedAt: '2024-01-01T00:00:00.000Z' });
    expect(live.body.data.attributes['publishedAt']).to.be.a('string');
    expect(await titles('filters[title][$startsWith]=kept')).to.eql(['kept 2']);
    const back = await send('PUT', path, { title: 'kept 3', publishedAt: null });
    expect(back.body.data.attributes).to.include({ title: 'kept 3', publishedAt: null });
    expect(await titles('filters[title][$startsWith]=kept')).to.eql([]);
    const draft = 'publicationState=preview&filters[title][$startsWith]=kept';
    expect(await titles(draft)).to.eql(['kept 3']);
    const home = '/home?publicationState=preview&locale=de';
    expect((await ask('PUT', '/home?locale=de', { data: { title: 'guten tag' } })).status).to.equal(200);
    expect((await ask('GET', home)).body).to.have.nested.property('data.attributes.publishedAt', null);
    expect((await ask('GET', '/home?locale=de')).status).to.equal(404);
  });

  it('takes back what is published in the commit of the update', async () => {
    const seen: unknown[] = [];
    server.project.documents.use(async (context, next) => {
      const result = await next();
      if (context.uid !== PAGE || context.action !== 'update') return result;
      const collections = ['pages', 'pages.drafts'].map((name) => server.project.store.db.collection(name));
      const title = /^withdrawn/;
      seen.push(await Promise.all(collections.map((stored) => stored.countDocuments({ title }))));
      return result;
    });
    const made = await send('POST', '', { title: 'withdrawn' });
    const back = await send('PUT', `/${made.body.data.id}?populate=next`, {
      title: 'withdrawn 2',
      publishedAt: null,
    });
    expect(back.body).to.have.nested.property('data.attributes.next.data', null);
    expect(seen).to.eql([[0, 1]]);
    await send('DELETE', `/${made.body.data.id}`);
  });

  for (const first of [null, '2024-01-01T00:00:00.000Z'])
    it(`keeps the id of ${first === null ? 'a draft' : 'a published entry'} whatever becomes of it`, async () => {
      const made = await send('POST', '', { title: 'same', publishedAt: first });
      const { id } = made.body.data;
      const path = `/${id}`;
      const preview = 'publicationState=preview&filters[title]=same';
      for (const publishedAt of ['2024-01-01T00:00:00.000Z', null, null, '2024-01-02T00:00:00.000Z', null]) {
        const { status, body } = await send('PUT', path, { publishedAt });
        expect([status, body.data.id, body.data.attributes['publishedAt'] === null]).to.eql([
          200,
          id,
          publishedAt === null,
        ]);
        for (const found of [path, `?${preview}&filters[id]=${id}`, `?${preview}`]) {
          const { data } = (await send('GET', found)).body as { readonly data: Row | Row[] };
          expect(
            [data].flat().map((row) => row.id),
            found,
          ).to.eql([id]);
        }
      }
      const other = await send('POST', '', { title: 'other', next: id });
      expect(other.status).to.equal(200);
      expect((await send('DELETE', path)).body.data.id).to.equal(id);
      expect((await send('GET', path)).status).to.equal(404);
      await send('DELETE', `/${other.body.data.id}`);
    });

  it('writes a new entry in the locale of its body', async () => {
    const made = await send('POST', '', { title: 'neu', locale: 'de' });
    expect(made.body.data.attributes).to.include({ title: 'neu', locale: 'de' });
    const refused = await ask('POST', '/pages', { data: { title: 'x', locale: 'xx' } });
    expect(refused.body).to.have.nested.property('error.message', "This locale doesn't exist");
    const id = made.body.data.id;
    expect((await send('PUT', `/${id}`, { title: 'neuer', locale: 'fr' })).body.data).to.deep.include({ id });
    expect(await titles('locale=de&filters[title]=neuer')).to.eql(['neuer']);
  });

  it('creates localizations', async () => {
    const made = await send('POST', '', { title: 'alone', rank: 3 });
    const path = `/pages/${made.body.data.id}/localizations`;
    const { status, body } = await ask('POST', path, { locale: 'fr', title: 'seul' });
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body).to.include({ title: 'seul', rank: 3, locale: 'fr', publishedAt: null });
    expect(body).to.have.property('localizations').with.lengthOf(1);
    expect(body).to.have.nested.property('localizations[0].id', made.body.data.id);
    expect(body).to.not.have.any.keys('data', 'documentId', 'attributes');
    const live = await ask('POST', path, { locale: 'de', title: 'allein', publishedAt: new Date() });
    expect(live.body).to.have.property('publishedAt').that.is.a('string');
    expect(await titles('locale=all&filters[rank]=3&sort=title')).to.eql(['allein', 'alone']);
    for (const [sent, message] of [
      [{ locale: 'fr' }, 'locale is already used'],
      [{ locale: 'xx' }, 'locale is invalid'],
      [{ title: 'x' }, 'locale is missing'],
      [{ data: { locale: 'fr' } }, 'locale is missing'],
    ] as const) {
      const refused = await ask('POST', path, sent);
      expect(refused.status).to.equal(400);
      expect(refused.body).to.have.nested.property('error.message', message);
    }
    expect((await ask('POST', '/pages/99999/localizations', { locale: 'fr' })).status).to.equal(404);
    const few = (await makeAccount(server.project, 'few', 'few')).key;
    const [hidden] =
      (await server.project.documents(PAGE).findMany({ filters: { rank: 3 }, fields: [] })) ?? [];
    // One that the caller may not see is as one that does not exist.
    for (const name of [made.body.data.id, String(hidden?.documentId), 'missing'])
      expect(
        (await ask('POST', `/pages/${name}/localizations`, { locale: 'en' }, few)).status,
        `${name}`,
      ).to.equal(404);
    const home = await ask('POST', '/home/localizations', { locale: 'fr', title: 'x' });
    expect(home.body).to.have.nested.property('error.message', 'locale is already used');
  });
});
