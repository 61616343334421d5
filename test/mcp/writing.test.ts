/**
 * Tools that write: drafts unless told otherwise, and dry runs that report what a write would change without changing
 * anything.
 */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { EJSON } from 'bson';
import { expect } from 'chai';
import { type ConformanceServer, startConformanceServer } from '../support/conformance-server.js';
import { settled } from '../support/engine.js';
import { send } from '../support/send.js';
import { at, connect, use } from './client.js';

const RESTAURANT = 'api::restaurant.restaurant';
const ARTICLE = 'api::article.article';
const MEMO = 'api::memo.memo';

interface Difference {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}
interface Change {
  readonly type: string;
  readonly documentId: string | null;
  readonly version: string;
  readonly change: string;
  readonly locale?: string;
  readonly differences: readonly Difference[];
}

describe('tools that write', function () {
  this.timeout(180_000);
  let server: ConformanceServer;
  let key: string;
  let client: Client;

  before(async () => {
    server = await startConformanceServer('default', 0, { server: { mcp: true } });
    key = (await server.project.access.tokens.create({ name: 'all', type: 'full-access' })).key;
    client = await connect(server.url, key);
  });
  after(async () => {
    await client.close();
    await server.close();
  });

  const get = (path: string) => send(server.url, `/api/${path}`, { token: key });

  /** Everything in the database, as a string, once earlier writes have left nothing to do. */
  const content = async (): Promise<string> => {
    const { db } = server.project.store;
    await settled(server.project.store);
    const names = (await db.listCollections().toArray()).map(({ name }) => name).sort();
    const rows = await Promise.all(
      names.map((name) => db.collection(name).find().sort({ _id: 1 }).toArray()),
    );
    return EJSON.stringify(names.map((name, at) => [name, rows[at]]));
  };

  const create = async (type: string, data: object, more: object = {}): Promise<string> => {
    const result = await use(client, 'create', { type, data, ...more });
    expect(result.isError, JSON.stringify(result.body)).to.equal(false);
    return String(at(result.body, 'data.documentId'));
  };

  /** The report of a dry run, which leaves the database unchanged to the byte. */
  const dry = async (tool: string, args: object): Promise<readonly Change[]> => {
    const before = await content();
    const result = await use(client, tool, { ...args, dryRun: true });
    expect(await content()).to.equal(before);
    expect(result.isError, JSON.stringify(result.body)).to.equal(false);
    expect(at(result.body, 'dryRun')).to.equal(true);
    expect(result.structured).to.deep.equal(result.body);
    return at(result.body, 'changes') as Change[];
  };
  const valuesOf = ({ differences }: Change): object =>
    Object.fromEntries(differences.map(({ path, before, after }) => [path, [before, after]]));

  it('create and update drafts, which publish makes public and unpublish withdraws', async () => {
    const documentId = await create(RESTAURANT, { name: 'Agent' });
    const one = { type: RESTAURANT, documentId };
    expect((await get(`restaurants/${documentId}`)).status).to.equal(404);

    const published = await use(client, 'publish', one);
    expect(at(published.body, 'data.publishedAt')).to.be.a('string');
    expect((await get(`restaurants/${documentId}`)).at('data.name')).to.equal('Agent');

    const changed = await use(client, 'update', { ...one, data: { name: 'Changed' } });
    expect(at(changed.body, 'data.publishedAt')).to.equal(null);
    expect((await get(`restaurants/${documentId}`)).at('data.name')).to.equal('Agent');

    await use(client, 'discard_draft', one);
    expect((await get(`restaurants/${documentId}?status=draft`)).at('data.name')).to.equal('Agent');

    await use(client, 'update', { ...one, data: { name: 'At once' }, status: 'published' });
    expect((await get(`restaurants/${documentId}`)).at('data.name')).to.equal('At once');

    const hidden = await use(client, 'unpublish', one);
    expect(at(hidden.body, 'data.publishedAt')).to.equal(null);
    expect((await get(`restaurants/${documentId}`)).status).to.equal(404);
    expect((await get(`restaurants/${documentId}?status=draft`)).status).to.equal(200);

    const deleted = await use(client, 'delete', one);
    expect([deleted.isError, deleted.body]).to.deep.equal([false, { data: null, meta: {} }]);
    expect((await get(`restaurants/${documentId}?status=draft`)).status).to.equal(404);
  });

  it('write single types, and types without drafts, as their routes do', async () => {
    const single = { type: 'api::homepage.homepage' };
    const before = (await get('homepage')).at('data.title');
    await use(client, 'update', { ...single, data: { title: 'By an agent' } });
    expect((await get('homepage')).at('data.title')).to.equal(before);
    const published = await use(client, 'publish', single);
    expect(at(published.body, 'data.title')).to.equal('By an agent');
    const memo = await create(MEMO, { title: 'At once' });
    expect((await get(`memos/${memo}`)).status).to.equal(200);
    const none = await use(client, 'publish', { type: MEMO, documentId: memo });
    expect(none.body).to.have.property('code', 'drafts-not-enabled');
  });

  it('never delete an unpublished draft by discarding it', async () => {
    const documentId = await create(RESTAURANT, { name: 'Never public' });
    const result = await use(client, 'discard_draft', { type: RESTAURANT, documentId });
    expect(result.body).to.have.property('code', 'not-found');
    expect((await get(`restaurants/${documentId}?status=draft`)).status).to.equal(200);
    for (const tool of ['publish', 'unpublish', 'discard_draft', 'update'])
      expect(
        (
          await use(client, tool, {
            type: RESTAURANT,
            documentId: 'nobody',
            ...(tool === 'update' && { data: {} }),
          })
        ).body,
        tool,
      ).to.have.property('code', 'not-found');
  });

  it('write one locale, and publish it alone', async () => {
    const documentId = await create(ARTICLE, { title: 'One' });
    const one = { type: ARTICLE, documentId };
    await use(client, 'update', { ...one, data: { title: 'Un' }, locale: 'fr' });
    const published = await use(client, 'publish', { ...one, locale: 'fr' });
    expect(at(published.body, 'data.locale')).to.equal('fr');
    expect((await get(`articles/${documentId}?locale=fr`)).at('data.title')).to.equal('Un');
    expect((await get(`articles/${documentId}`)).status).to.equal(404);
    const changes = await dry('publish', { ...one, locale: '*' });
    expect(changes.map(({ locale }) => locale)).to.include('en');
  });

  it('fail as the route does', async () => {
    const cases: readonly (readonly [string, object, string, string, unknown])[] = [
      [
        'create',
        { type: RESTAURANT, data: { nope: 1 } },
        'POST',
        'restaurants?status=draft',
        { data: { nope: 1 } },
      ],
      ['create', { type: RESTAURANT }, 'POST', 'restaurants?status=draft', {}],
      [
        'create',
        { type: RESTAURANT, data: { stars: 'x' } },
        'POST',
        'restaurants?status=draft',
        { data: { stars: 'x' } },
      ],
      [
        'create',
        { type: RESTAURANT, data: { name: 'x', stars: 99 }, status: 'published' },
        'POST',
        'restaurants',
        { data: { name: 'x', stars: 99 } },
      ],
      [
        'create',
        { type: RESTAURANT, data: { owner: 'nobody' } },
        'POST',
        'restaurants?status=draft',
        { data: { owner: 'nobody' } },
      ],
      [
        'create',
        { type: RESTAURANT, data: { name: 'x' }, populate: 'nope' },
        'POST',
        'restaurants?status=draft&populate=nope',
        { data: { name: 'x' } },
      ],
    ];
    for (const [tool, args, method, path, body] of cases) {
      const answer = await send(server.url, `/api/${path}`, { method, token: key, body });
      const code = answer.headers.get('x-error-code');
      for (const dryRun of [false, true]) {
        const result = await use(client, tool, { ...args, dryRun });
        expect(result.isError, path).to.equal(true);
        expect(result.body, JSON.stringify(args)).to.deep.equal({ ...(answer.body as object), code });
      }
    }
  });

  it('a dry run names each value that would change, and the write changes exactly those', async () => {
    const documentId = await create(RESTAURANT, {
      name: 'Before',
      stars: 1,
      menu: [{ name: 'Soup' }, { name: 'Bread' }],
      location: { city: 'Rome' },
    });
    const one = { type: RESTAURANT, documentId };
    const categories = (
      (await get('categories?pagination[limit]=2')).at('data') as { documentId: string }[]
    ).map((category) => category.documentId);
    const data = {
      name: 'After',
      menu: [{ name: 'Tea' }],
      categories,
      price: 12.5,
      visits: '9007199254740993',
    };
    const [change, ...others] = await dry('update', { ...one, data, populate: '*' });
    expect(others).to.deep.equal([]);
    const { updatedAt, ...values } = valuesOf(change as Change) as Record<string, unknown>;
    expect(updatedAt).to.be.an('array');
    expect(values).to.deep.equal({
      name: ['Before', 'After'],
      'menu.0.name': ['Soup', 'Tea'],
      'menu.1.name': ['Bread', null],
      ...('menu.1.spicy' in values && { 'menu.1.spicy': values['menu.1.spicy'] }),
      categories: [null, categories],
      price: [null, 12.5],
      visits: [null, '9007199254740993'],
    });
    expect(change).to.include({ type: RESTAURANT, documentId, version: 'draft', change: 'update' });

    const before = (await get(`restaurants/${documentId}?status=draft`)).at('data') as Record<
      string,
      unknown
    >;
    await use(client, 'update', { ...one, data });
    const after = (await get(`restaurants/${documentId}?status=draft`)).at('data') as Record<string, unknown>;
    const changed = Object.keys(after).filter(
      (name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]),
    );
    expect(changed.sort()).to.deep.equal(['name', 'price', 'updatedAt', 'visits']);
  });

  it('a dry run of every other tool reports what happens to which version', async () => {
    const shapes = (changes: readonly Change[]) =>
      changes.map(({ type, documentId, version, change }) => [type, documentId, version, change]);
    const made = await dry('create', { type: RESTAURANT, data: { name: 'Dry' }, status: 'published' });
    expect(shapes(made)).to.deep.equal([
      [RESTAURANT, null, 'draft', 'create'],
      [RESTAURANT, null, 'published', 'create'],
    ]);
    expect(valuesOf(made[0] as Change)).to.deep.include({ name: [null, 'Dry'] });

    const documentId = await create(RESTAURANT, { name: 'To see' });
    const one = { type: RESTAURANT, documentId };
    expect(shapes(await dry('publish', one))).to.deep.equal([[RESTAURANT, null, 'published', 'create']]);
    await use(client, 'publish', one);
    await use(client, 'update', { ...one, data: { name: 'Seen' } });
    const [discarded] = await dry('discard_draft', one);
    expect(valuesOf(discarded as Change)).to.deep.include({ name: ['Seen', 'To see'] });
    expect(shapes(await dry('unpublish', one))).to.deep.equal([
      [RESTAURANT, documentId, 'published', 'delete'],
    ]);
    expect(shapes(await dry('delete', one))).to.deep.equal([
      [RESTAURANT, documentId, 'draft', 'delete'],
      [RESTAURANT, documentId, 'published', 'delete'],
    ]);
    expect(await dry('delete', { type: RESTAURANT, documentId: 'nobody' })).to.deep.equal([]);
  });

  it('a dry run shows nothing that the caller may not see', async () => {
    const permissions = ['create', 'update'].map((name) => `${RESTAURANT}.${name}`);
    const token = await server.project.access.tokens.create({ name: 'writer', type: 'custom', permissions });
    const writer = await connect(server.url, token.key);
    const data = {
      name: 'Quiet',
      secret: 'quiet-password',
      location: { city: 'Rome', geohash: 'quiet-hash' },
    };
    const result = await use(writer, 'create', { type: RESTAURANT, data, dryRun: true });
    expect(JSON.stringify(result.body)).to.include('Quiet').and.include('Rome').and.not.include('quiet-');
    expect((await writer.listTools()).tools.map(({ name }) => name)).to.deep.equal([
      'list_types',
      'describe_type',
      'create',
      'update',
      'publish',
      'unpublish',
      'discard_draft',
    ]);
    const refused = await use(writer, 'delete', { type: RESTAURANT, documentId: 'x' });
    expect(refused.body).to.have.property('code', 'forbidden');
    await writer.close();
  });
});
