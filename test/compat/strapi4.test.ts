/** `rest.compat: 'v4'` with what Strapi 5 added to Strapi 4: versions and locales of one document. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { writeFiles } from '../../src/transfer/schemas/files.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

type Json = Readonly<Record<string, unknown>>;
interface Row {
  readonly id: number;
  readonly attributes: Json;
}

const PAGE = 'api::page.page';
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
      },
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
    server = await startTestServer({ rest: { compat: 'v4' } }, { schemaFolder: folder });
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

  const send = async (method: string, path: string, data?: object) => {
    const response = await fetch(`${server.url}/api/pages${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(data && { body: JSON.stringify({ data }) }),
    });
    return { status: response.status, body: (await response.json()) as { data: Row } };
  };
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
});
