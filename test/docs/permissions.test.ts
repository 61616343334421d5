/** The recipes of docs/permissions.md, each as it is written there. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { RolesConfig } from '../../src/config/types.js';
import { makeAccount } from '../support/accounts.js';
import { typeFile } from '../support/schemas.js';
import { type Received, type Sent, send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { writeFiles } from '../support/write-files.js';

const USER = 'plugin::users-permissions.user';
const to = (relation: string, target: string, more: object = {}) => ({
  type: 'relation',
  relation,
  target,
  ...more,
});
const FILES = [
  typeFile('post', {
    title: { type: 'string' },
    body: { type: 'text' },
    approved: { type: 'boolean', default: false },
    author: to('manyToOne', USER),
  }),
  typeFile('order', { item: { type: 'string' }, tenant: { type: 'string' } }),
  typeFile('team', {
    name: { type: 'string' },
    members: to('manyToMany', USER),
  }),
  typeFile(
    'article',
    { title: { type: 'string' }, body: { type: 'text' }, team: to('manyToOne', 'api::team.team') },
    { draftAndPublish: true },
  ),
  typeFile(
    'page',
    { title: { type: 'string' }, slug: { type: 'string' }, releasedAt: { type: 'datetime' } },
    { draftAndPublish: true },
  ),
  typeFile('product', {
    name: { type: 'string' },
    price: { type: 'integer' },
    cost: { type: 'integer' },
    image: { type: 'media', multiple: false },
  }),
];
const ACCOUNTS = {
  'content-types/extensions/users-permissions/content-types/user/schema.json': {
    kind: 'collectionType',
    info: { singularName: 'user', pluralName: 'users', displayName: 'User' },
    attributes: { tenant: { type: 'string' } },
  },
};

const PAGE = readFileSync('docs/permissions.md', 'utf8');

/** What a recipe has in `config/roles`. */
function rolesOf(recipe: string): RolesConfig {
  const after = PAGE.slice(PAGE.indexOf(`**${recipe}.**`));
  const [, code = ''] = /^```js\n([\s\S]*?)^```/m.exec(after) ?? [];
  const module: { exports?: RolesConfig } = {};
  new Function('module', code)(module);
  if (!module.exports) throw new Error(`no recipe ${recipe}`);
  return module.exports;
}

describe('docs/permissions.md: recipes', function () {
  this.timeout(180_000);
  let folder: string;
  let server: TestServer;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-recipes-'));
    await writeFiles(folder, {
      ...Object.fromEntries(FILES.map(({ file, content }) => [`content-types/${file}`, content])),
      ...ACCOUNTS,
    });
  });
  afterEach(() => server?.close());
  after(() => rm(folder, { recursive: true }));

  /** Starts with the roles of a recipe, and gives ann and bob the one that is named. */
  async function start(recipe: string, role: string) {
    server = await startTestServer({ roles: rolesOf(recipe) }, { schemaFolder: folder });
    const accounts: Record<string, { readonly id: number; readonly key: string }> = {};
    for (const username of ['ann', 'bob']) {
      const { user, key } = await makeAccount(server.project, username, role);
      await server.project.documents(USER).update({
        documentId: user.documentId,
        data: { tenant: `tenant of ${username}` } as never,
      });
      accounts[username] = { id: user.id, key };
    }
    const as = (name: string | null, path: string, sent: Sent = {}) =>
      send(server.url, `/api${path}`, { ...sent, token: name === null ? undefined : accounts[name]?.key });
    const put = (name: string, path: string, data: object) =>
      as(name, path, { method: 'PUT', body: { data } });
    return { as, put, id: (name: string) => accounts[name]?.id };
  }
  const documentId = (received: Received): string => String(received.at('data.documentId'));
  const list = (received: Received, name: string): readonly unknown[] =>
    (received.at('data') as Record<string, unknown>[]).map((entry) => entry[name]);
  const statuses = (all: readonly Received[]): readonly number[] => all.map(({ status }) => status);

  it('Owner', async () => {
    const { as, put } = await start('Owner', 'writer');
    const hers = await as('ann', '/posts', { body: { data: { title: 'hers', body: 'b' } } });
    expect(hers.status).to.equal(201);
    const shown = await server.project
      .documents('api::post.post')
      .findFirst({ filters: { title: 'hers' }, populate: ['author'] });
    expect(shown?.['author']).to.include({ username: 'ann' });
    await server.project.documents('api::post.post').create({ data: { title: 'open', approved: true } });
    expect(list(await as('ann', '/posts?sort=title'), 'title')).to.deep.equal(['hers', 'open']);
    expect(list(await as('bob', '/posts'), 'title')).to.deep.equal(['open']);
    const at = `/posts/${documentId(hers)}`;
    expect(
      statuses([
        await as('bob', at),
        await put('bob', at, { title: 'his' }),
        await put('ann', at, { approved: true }),
        await put('ann', at, { title: 'hers now' }),
        await as('bob', at, { method: 'DELETE' }),
        await as('ann', at, { method: 'DELETE' }),
      ]),
    ).to.deep.equal([404, 403, 403, 200, 403, 204]);
  });

  it('Tenant', async () => {
    const { as, put } = await start('Tenant', 'authenticated');
    const made = await as('ann', '/orders', { body: { data: { item: 'a', tenant: 'tenant of bob' } } });
    expect(made.at('data.tenant')).to.equal('tenant of ann');
    expect(list(await as('ann', '/orders'), 'item')).to.deep.equal(['a']);
    expect(list(await as('bob', '/orders'), 'item')).to.deep.equal([]);
    const at = `/orders/${documentId(made)}`;
    expect((await put('bob', at, { item: 'b' })).status).to.equal(403);
    expect((await put('ann', at, { item: 'c', tenant: 'tenant of bob' })).at('data')).to.include({
      item: 'c',
      tenant: 'tenant of ann',
    });
  });

  it('Editorial team', async () => {
    const { as, put, id } = await start('Editorial team', 'editor');
    const { documents } = server.project;
    const make = async (name: string, member: string) => {
      const team = await documents('api::team.team').create({ data: { name, members: [id(member)] } });
      const data = { title: `of ${name}`, team: team['documentId'] };
      return `/articles/${String((await documents('api::article.article').create({ data }))['documentId'])}`;
    };
    const [red, blue] = [await make('red', 'ann'), await make('blue', 'bob')];
    expect(list(await as('ann', '/articles?status=draft'), 'title')).to.deep.equal(['of red']);
    expect(
      statuses([
        await put('ann', `${red}?status=draft`, { title: 'new' }),
        await put('ann', `${red}?status=draft`, { team: null }),
        await put('ann', `${blue}?status=draft`, { title: 'new' }),
        await as('ann', `${red}/publish`, { method: 'POST' }),
        await as('ann', `${blue}/publish`, { method: 'POST' }),
      ]),
      // They cannot read teams, so a post has no such attribute for them.
    ).to.deep.equal([200, 400, 403, 200, 403]);
  });

  it('Published preview by token', async () => {
    const { as } = await start('Published preview by token', 'public');
    const make = (slug: string, releasedAt: string, status: string) =>
      server.project.documents('api::page.page').create({ data: { slug, releasedAt }, status });
    await make('news', '2020-01-01T00:00:00.000Z', 'published');
    await make('news-to-come', '2999-01-01T00:00:00.000Z', 'published');
    await make('news-draft', '2020-01-01T00:00:00.000Z', 'draft');
    await make('plans', '2020-01-01T00:00:00.000Z', 'draft');
    expect(list(await as(null, '/pages'), 'slug')).to.deep.equal(['news']);
    expect((await as(null, '/pages?status=draft')).status).to.equal(403);
    const [, where = ''] = /--allow page\.find page\.findOne --where '([^']*)'/.exec(PAGE) ?? [];
    const { key } = await server.project.access.tokens.create({
      name: 'preview',
      type: 'custom',
      permissions: ['find', 'findOne'].map((name) => ({
        action: `api::page.page.${name}`,
        where: JSON.parse(where) as object,
      })),
    });
    const drafts = await send(server.url, '/api/pages?status=draft&sort=slug', { token: key });
    expect(list(drafts, 'slug')).to.deep.equal(['news', 'news-draft', 'news-to-come']);
  });

  it('Fields for staff', async () => {
    const { as } = await start('Fields for staff', 'staff');
    await server.project
      .documents('api::product.product')
      .create({ data: { name: 'cup', price: 5, cost: 2 } });
    const cost = async (name: string | null) => list(await as(name, '/products'), 'cost');
    expect([await cost(null), await cost('ann')]).to.deep.equal([[undefined], [2]]);
    expect(list(await as(null, '/products'), 'name')).to.deep.equal(['cup']);
    expect(
      statuses([await as(null, '/products?sort=cost'), await as(null, '/products?sort=price')]),
    ).to.deep.equal([400, 200]);
  });
});
