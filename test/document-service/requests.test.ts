/** A request as a value: parsed once, prepared once, and passed down. */
import { expect } from 'chai';
import { makeConfig } from '../../src/config/load.js';
import { createReader } from '../../src/documents/read/create-reader.js';
import { createDocuments } from '../../src/documents/service.js';
import { type Query, textQuery } from '../../src/query/query.js';
import { type TestStore, testStore } from '../support/engine.js';
import { send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { library } from '../support/versions-schema.js';

const BOOK = 'api::book.book';
const ALL = { grants: { version: 'all', allows: () => true } };

describe('a write over REST', () => {
  let store: TestStore;
  before(async () => {
    store = await testStore();
  });
  after(() => store.close());

  it('parses and prepares its query once', async () => {
    const schema = library();
    const config = makeConfig('.', {});
    const reader = createReader({ schema, store: store.store, config });
    let prepared = 0;
    const counting = {
      ...reader,
      view: (request: Parameters<typeof reader.view>[0]) => {
        prepared += 1;
        return reader.view(request);
      },
      prepare: (request: Parameters<typeof reader.prepare>[0]) => {
        prepared += 1;
        return reader.prepare(request);
      },
    };
    const documents = await createDocuments({ schema, store: store.store, config, reader: counting });
    const { documentId } = await documents(BOOK).create({ data: { title: 'One' } });
    prepared = 0;
    let reads = 0;
    const text = textQuery('populate=author&fields=title&filters[title]=other');
    const query: Query = {
      ...text,
      get params() {
        reads += 1;
        return text.params;
      },
    };
    const { data } = await documents(BOOK)
      .forRequest({ query, caller: ALL, data: { title: 'Two' } })
      .update(String(documentId));
    expect(data).to.include({ title: 'Two', author: null });
    expect([prepared, reads]).to.deep.equal([1, 1]);
  });
});

describe('the query of a request', () => {
  const UID = 'api::memo.memo';
  let server: TestServer;
  before(async () => {
    const grants = ['find', 'create', 'update', 'delete'].map((action) => `${UID}.${action}`);
    server = await startTestServer({ roles: { public: grants }, query: { depth: 40 } });
  });
  after(() => server.close());
  const made = async (title: string): Promise<string> => {
    const { documentId } = await server.project.documents(UID).create({ data: { title } });
    return String(documentId);
  };
  /** Brackets nested to this depth. */
  const deep = (levels: number): string => `filters${'[$not]'.repeat(levels - 2)}[title][$eq]=other`;

  it('is parsed within the limits of strapi::query, for DELETE too', async () => {
    const [kept, gone] = [await made('kept'), await made('gone')];
    const remove = (documentId: string, levels: number) =>
      send(server.url, `/api/memos/${documentId}?${deep(levels)}`, { method: 'DELETE' });
    expect((await remove(gone, 31)).status).to.equal(204);
    expect((await remove(kept, 41)).status).to.equal(400);
    expect(await server.project.documents(UID).findOne({ documentId: gone })).to.equal(null);
    expect(await server.project.documents(UID).findOne({ documentId: kept })).to.include({ title: 'kept' });
  });

  it('of a write has its filters checked, but they do not hide the result', async () => {
    const put = (documentId: string, query: string) =>
      send(server.url, `/api/memos/${documentId}?${query}`, {
        method: 'PUT',
        body: { data: { title: 'new' } },
      });
    const documentId = await made('old');
    for (const query of ['filters[title]=other', '_q=nothing', 'filters%5Btitle%5D=other'])
      expect((await put(documentId, query)).at('data.title'), query).to.equal('new');
    for (const query of ['filters[nope]=1', 'filters[id][$between]=1'])
      expect((await put(documentId, query)).status, query).to.equal(400);
  });

  it('shows related drafts after a write of a type without Draft & Publish, as a read does', async () => {
    const { documents } = server.project;
    const person = await documents('api::person.person').create({ data: { firstName: 'Draft' } });
    const people = [{ documentId: person.documentId }];
    const shown = async (entry: unknown) =>
      ((await entry) as { people: { publishedAt: unknown }[] }).people.map(({ publishedAt }) => publishedAt);
    const create = { data: { title: 'people', people }, populate: 'people' };
    const memo = await documents(UID).create(create);
    const { documentId } = memo;
    const same = { documentId: String(documentId), populate: 'people' };
    expect(await shown(memo)).to.deep.equal([null]);
    expect(await shown(documents(UID).update({ ...same, data: {} }))).to.deep.equal([null]);
    expect(await shown(documents(UID).findOne(same))).to.deep.equal([null]);
    expect(await shown(documents(UID).update({ ...same, data: {}, status: 'published' }))).to.deep.equal([]);
  });

  it('may be changed by a middleware before the response of a write is read', async () => {
    server.project.documents.use(
      (context, next) => {
        context.params = { ...context.params, fields: ['id'] };
        return next();
      },
      ['create'],
      [UID],
    );
    const answer = await send(server.url, '/api/memos', { body: { data: { title: 'short' } } });
    expect(answer.at('data')).to.have.all.keys('id', 'documentId');
  });
});

describe('the parameters of a call', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());
  const memos = () => server.project.documents('api::memo.memo');
  const articles = () => server.project.documents('api::article.article');
  const refusal = (call: Promise<unknown>): Promise<string | null> =>
    call.then(
      () => null,
      ({ message }: Error) => message,
    );

  it('findFirst counts from start (rules G.2)', async () => {
    for (const title of ['a', 'b']) await memos().create({ data: { title } });
    const first = async (params: object) =>
      (await memos().findFirst({ sort: 'title:asc', ...params }))?.['title'];
    expect(await first({ limit: 5 })).to.equal('a');
    expect(await first({ start: 1 })).to.equal('b');
    expect(await first({ start: 2 })).to.equal(undefined);
    expect(await refusal(first({ start: 'x' }))).to.equal(
      'convertStartQueryParams expected a positive integer got NaN',
    );
    expect(await refusal(first({ limit: -5 }))).to.equal(
      'convertLimitQueryParams expected a positive integer got -5',
    );
    expect(await first({ page: 2, pageSize: 1 })).to.equal('a');
    expect(await refusal(first({ page: 2, limit: 3 }))).to.match(/^Invalid pagination attributes/);
  });

  it('no data is an empty one, other data than an object is refused (rules G.2)', async () => {
    const { documentId } = await articles().create({ data: undefined });
    const update = (data: unknown) => articles().update({ documentId: String(documentId), data });
    expect(await update(null)).to.include({ documentId, title: null });
    expect(await refusal(update('x'))).to.equal(
      'this must be a `object` type, but the final value was: `null` (cast from the value `"x"`).',
    );
  });

  it('clone merges its data into the original: objects by member, lists by position (rules G.8)', async () => {
    const restaurants = server.project.documents('api::restaurant.restaurant');
    const { documentId } = await restaurants.create({
      data: {
        name: 'Original',
        settings: { a: 1, list: [1, 2, 3], deep: { b: 2 } },
        location: { street: 'Via Appia', city: 'Rome' },
        menu: [{ name: 'Soup' }, { name: 'Cake' }],
      },
    });
    const populate = ['location', 'menu'];
    const cloned = async (data: object) => {
      const { entries } = await restaurants.clone({ documentId: String(documentId), data, populate });
      return entries[0];
    };
    const copy = await cloned({
      settings: { list: [9], deep: { c: 3 } },
      location: { city: 'Ostia' },
      menu: [{ name: 'Pasta' }],
    });
    expect(copy).to.containSubset({
      settings: { a: 1, list: [9, 2, 3], deep: { b: 2, c: 3 } },
      location: { street: 'Via Appia', city: 'Ostia' },
      menu: [{ name: 'Pasta' }, { name: 'Cake' }],
    });
    const [location, menu] = [Object(copy)['location'], Object(copy)['menu']];
    const original = await restaurants.findOne({ documentId: String(documentId), populate });
    expect(original).to.containSubset({
      location: { city: 'Rome' },
      menu: [{ name: 'Soup' }, { name: 'Cake' }],
    });
    expect(location.id).to.not.equal(Object(original)['location'].id);
    expect(menu[1].id).to.not.equal(Object(original)['menu'][1].id);
    expect(await cloned({ location: null, settings: null })).to.include({ location: null, settings: null });
  });

  it('a number or boolean as locale does not mean the default one (rules G.9)', async () => {
    const { documentId } = await articles().create({ data: { title: 'kept' } });
    const params = { documentId: String(documentId), locale: true };
    for (const method of ['delete', 'publish', 'clone'] as const)
      expect(await refusal(articles()[method]?.(params) ?? Promise.resolve())).to.match(
        /^Invalid parameter at 'locale'.*received: boolean$/,
      );
    expect(await articles().findOne({ documentId: String(documentId) })).to.include({ title: 'kept' });
  });
});
