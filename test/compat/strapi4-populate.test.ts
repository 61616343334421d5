/**
 * `populate` of Strapi 4, which takes texts, lists and options at every level and ignores what it does not know. The
 * queries are those of a site with pages of blocks and restaurants with reviews.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { writeFiles } from '../../src/transfer/schemas/files.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

type Json = Readonly<Record<string, unknown>>;

const component = (uid: string, attributes: Json) => ({
  kind: 'component' as const,
  uid,
  name: uid.split('.')[1] ?? '',
  file: `content-types/components/${uid.replace('.', '/')}.json`,
  content: { attributes },
});
const type = (name: string, plural: string, content: Json, attributes: Json) => ({
  kind: 'contentType' as const,
  uid: `api::${name}.${name}`,
  name,
  file: `content-types/${name}/schema.json`,
  content: {
    info: { singularName: name, pluralName: plural, displayName: name },
    options: { draftAndPublish: true },
    ...content,
    attributes,
  },
});
const text = { type: 'string' };
const relation = (kind: string, target: string): Json => ({ type: 'relation', relation: kind, target });
const localized = { pluginOptions: { i18n: { localized: true } } };

const SCHEMAS = [
  component('shared.header', { theme: text, title: text }),
  component('shared.button', { label: text, link: { type: 'component', component: 'shared.link' } }),
  component('shared.link', { href: text }),
  component('shared.meta', { network: text }),
  component('shared.seo', {
    title: text,
    social: { type: 'component', component: 'shared.meta', repeatable: true },
  }),
  component('blocks.hero', {
    text,
    header: { type: 'component', component: 'shared.header' },
    buttons: { type: 'component', component: 'shared.button', repeatable: true },
  }),
  component('blocks.cards', {
    header: { type: 'component', component: 'shared.header' },
    places: relation('oneToMany', 'api::place.place'),
  }),
  type('place', 'places', {}, { name: text }),
  type(
    'person',
    'people',
    {},
    { name: text, secret: { ...text, private: true }, home: relation('oneToOne', 'api::place.place') },
  ),
  type(
    'review',
    'reviews',
    {},
    { note: text, stars: { type: 'integer' }, author: relation('oneToOne', 'api::person.person') },
  ),
  type('safe', 'safes', {}, { code: text }),
  type('page', 'pages', localized, {
    slug: text,
    seo: { type: 'component', component: 'shared.seo' },
    blocks: { type: 'dynamiczone', components: ['blocks.hero', 'blocks.cards'] },
    place: relation('oneToOne', 'api::place.place'),
    reviews: relation('oneToMany', 'api::review.review'),
    safe: relation('oneToOne', 'api::safe.safe'),
    cover: { type: 'media' },
  }),
];

const ABSENT = 'not there';
/** The attributes at a path of the answer. */
const at = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((found, step) => {
    const inner = (found as { readonly data?: unknown } | null)?.data ?? found;
    const of = (inner as { readonly attributes?: unknown } | null)?.attributes ?? inner;
    return typeof of === 'object' && of !== null && step in of ? (of as Json)[step] : ABSENT;
  }, value);

const QUERIES: readonly (readonly [query: string, found: Readonly<Record<string, unknown>>])[] = [
  ['', { seo: ABSENT, blocks: ABSENT, place: ABSENT }],
  ['populate=*', { 'seo.title': 'S', 'seo.social': ABSENT, 'place.name': 'P', 'blocks.0.text': 'T' }],
  ['populate=place,seo', { 'seo.title': 'S', 'seo.social': ABSENT, 'place.name': 'P', reviews: ABSENT }],
  ['populate=place, seo.social', { 'seo.social.0.network': 'N', 'place.name': 'P' }],
  ['populate[0]=place&populate[1]=reviews.author', { 'place.name': 'P', 'reviews.0.author.name': 'A' }],
  [
    'populate[reviews][populate]=author,author.home',
    { 'reviews.0.author.home.name': 'P', 'reviews.0.note': 'R' },
  ],
  [
    'populate[reviews][populate][0]=author&populate[reviews][populate][1]=author.home',
    { 'reviews.0.author.home.name': 'P' },
  ],
  ['populate[reviews][populate]=*', { 'reviews.0.author.name': 'A', 'reviews.0.author.home': ABSENT }],
  ['populate[reviews][populate][author][populate]=home', { 'reviews.0.author.home.name': 'P' }],
  ['populate[blocks][populate]=*', { 'blocks.0.header.title': 'H', 'blocks.1.places.0.name': 'P' }],
  [
    'populate[blocks][populate]=header',
    { 'blocks.0.header.title': 'H', 'blocks.1.header.title': 'C', 'blocks.1.places': ABSENT },
  ],
  [
    'populate[blocks][populate]=header,buttons.link,places,nothing',
    { 'blocks.0.buttons.0.link.href': '/', 'blocks.1.places.0.name': 'P' },
  ],
  [
    'populate[blocks][populate][buttons][populate]=link',
    { 'blocks.0.buttons.0.link.href': '/', 'blocks.0.header': ABSENT },
  ],
  ['populate[blocks][on][blocks.hero][populate]=buttons.link', { 'blocks.0.buttons.0.link.href': '/' }],
  [
    'populate[blocks][populate]=buttons.link,header&populate=localizations&populate[seo]=social',
    {
      'blocks.0.buttons.0.link.href': '/',
      'seo.title': 'S',
      'seo.social': ABSENT,
      localizations: { data: [] },
    },
  ],
  ['populate[seo]=social', { 'seo.title': 'S', 'seo.social': ABSENT }],
  ['populate[seo][populate]=social', { 'seo.social.0.network': 'N' }],
  ['populate[blocks]=true&populate[place]=1', { 'blocks.0.text': 'T', 'place.name': 'P' }],
  ['populate[blocks]=false&populate[place]=0&populate[seo]=', { blocks: ABSENT, place: ABSENT, seo: ABSENT }],
  ['populate=deep', { place: ABSENT }],
  ['populate[nothing]=*&populate[slug]=true&populate[place]=*', { 'place.name': 'P' }],
  [
    'populate[place][nothing]=1&populate[place][limit]=1&populate[place][publicationState]=live',
    { 'place.name': 'P' },
  ],
  ['populate[place][fields]=nothing', { 'place.name': ABSENT }],
  ['populate[place][fields]=name,nothing', { 'place.name': 'P' }],
  ['populate[reviews][filters][nothing][$eq]=1', { 'reviews.0.note': 'R' }],
  [
    'populate[reviews][filters][$or][0][stars][$gt]=3&populate[reviews][filters][$or][1][nothing]=1',
    { reviews: { data: [] } },
  ],
  [
    'populate[reviews][filters][author][name]=A&populate[reviews][sort]=stars:desc,nothing',
    { 'reviews.0.note': 'R' },
  ],
  // Leniency shows nothing that the caller may not see.
  ['populate=safe', { safe: ABSENT }],
  ['populate[safe][populate]=*', { safe: ABSENT }],
  [
    'populate[reviews][populate][author][fields]=secret,name',
    { 'reviews.0.author.secret': ABSENT, 'reviews.0.author.name': 'A' },
  ],
  ['populate[reviews][filters][author][secret][$startsWith]=x', { 'reviews.0.note': 'R' }],
  ['populate[reviews][populate][author][sort]=secret', { 'reviews.0.author.name': 'A' }],
];

describe('populate of Strapi 4', function () {
  this.timeout(180_000);
  let server: TestServer;
  let folder: string;
  let key: string;
  let file: { readonly id: number } | undefined;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-populate4-'));
    await writeFiles(folder, SCHEMAS);
    const readable = ['page', 'place', 'person', 'review'].map((name) => `api::${name}.${name}.find`);
    server = await startTestServer(
      { rest: { compat: 'v4' }, roles: { public: readable } },
      { schemaFolder: folder },
    );
    const make = async (uid: string, data: Json): Promise<string> =>
      String(
        (await server.project.documents(`api::${uid}.${uid}`).create({ data, status: 'published' }))[
          'documentId'
        ],
      );
    const place = await make('place', { name: 'P' });
    const author = await make('person', { name: 'A', secret: 'x', home: place });
    const review = await make('review', { note: 'R', stars: 2, author });
    const form = new FormData();
    form.append('files', new Blob(['a']), 'a.txt');
    key = (await server.project.access.tokens.create({ name: 'all', type: 'full-access' })).key;
    const upload = { method: 'POST', headers: { authorization: `Bearer ${key}` }, body: form };
    [file] = (await (await fetch(`${server.url}/api/upload`, upload)).json()) as { readonly id: number }[];
    const safe = await make('safe', { code: '1' });
    await make('page', {
      slug: 'home',
      seo: { title: 'S', social: [{ network: 'N' }] },
      blocks: [
        {
          __component: 'blocks.hero',
          text: 'T',
          header: { title: 'H' },
          buttons: [{ label: 'B', link: { href: '/' } }],
        },
        { __component: 'blocks.cards', header: { title: 'C' }, places: [place] },
      ],
      place,
      reviews: [review],
      safe,
      cover: file?.id,
    });
  });
  after(async () => {
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  for (const [query, found] of QUERIES)
    it(query, async () => {
      const response = await fetch(`${server.url}/api/pages?filters[slug]=home&${query}`);
      const body = (await response.json()) as { readonly data: readonly unknown[] };
      expect(response.status, JSON.stringify(body)).to.equal(200);
      const values = Object.keys(found).map((path) => [path, at(body.data[0], path)]);
      expect(Object.fromEntries(values)).to.eql(found);
    });

  it('shows what a file is used in once, with its id', async () => {
    const response = await fetch(`${server.url}/api/upload/files/${file?.id}?populate=related`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const { related } = (await response.json()) as { readonly related: readonly Json[] };
    expect(related).to.have.length(1);
    expect(related[0]).to.include({ __type: 'api::page.page', slug: 'home' });
    expect(related[0]).to.not.have.property('documentId');
    const { data } = (await (await fetch(`${server.url}/api/pages`)).json()) as {
      readonly data: readonly Json[];
    };
    expect(related[0]?.['id']).to.equal(data[0]?.['id']);
  });

  for (const query of ['sort=nothing', 'filters[nothing]=1', 'fields=nothing', 'filters[safe][code]=1'])
    it(`${query} is refused, as by Strapi 4.26`, async () => {
      expect((await fetch(`${server.url}/api/pages?${query}`)).status).to.equal(400);
    });
});
