/** `mangrove/client` against a running server. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import qs from 'qs';
import ts from 'typescript';
import { ApiError, type Client, createClient, type UntypedApi } from '../../src/client/index.js';
import { queryString } from '../../src/client/query-string.js';
import type { ConformanceServer } from '../support/conformance-server.js';
import { leaveServer, useServer } from './server.js';

const refusal = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

describe('mangrove/client', function () {
  this.timeout(180_000);
  let server: ConformanceServer;
  let client: Client<UntypedApi>;
  const connect = (token?: string): Client<UntypedApi> =>
    createClient({ url: `${server.url}/api/`, ...(token === undefined ? {} : { token }) });

  before(async function () {
    // Loading the fixture is slow on some engines.
    this.timeout(300_000);
    server = await useServer();
    client = connect(server.map.tokens['full']);
  });
  after(leaveServer);

  it('finds with the whole query language', async () => {
    const { data, meta } = await client.collection('restaurants').find({
      fields: ['name', 'stars'],
      filters: { $and: [{ stars: { $gte: 3 } }, { name: { $ne: 'Salt & Vinegar = 100%' } }] },
      sort: ['stars:desc', 'name:asc'],
      populate: { categories: { fields: ['name'], sort: ['name:asc'] }, owner: true },
      pagination: { page: 1, pageSize: 2 },
    });
    expect(data).to.have.length(2);
    expect(data[0]).to.include.keys('documentId', 'name', 'stars', 'categories', 'owner');
    expect(meta.pagination).to.include({ page: 1, pageSize: 2 });
  });

  it('creates, reads, updates and deletes', async () => {
    const categories = client.collection('categories');
    const { data: made } = await categories.create({ name: 'Made by the client', position: 7 });
    expect((await categories.findOne(made.documentId, { fields: 'name' })).data).to.deep.equal({
      id: made.id,
      documentId: made.documentId,
      name: 'Made by the client',
    });
    expect((await categories.update(made.documentId, { position: 8 })).data).to.include({ position: 8 });
    expect(await categories.delete(made.documentId)).to.equal(undefined);
    expect(await refusal(categories.findOne(made.documentId))).to.include({ status: 404 });
  });

  it('a write on condition, and one that is sent again', async () => {
    const categories = client.collection('categories');
    const idempotencyKey = crypto.randomUUID();
    const data = { name: 'Made by the client once' };
    const made = await categories.create(data, {}, { idempotencyKey });
    expect(await categories.create(data, {}, { idempotencyKey })).to.deep.equal(made);
    expect(await refusal(categories.create({ name: 'other' }, {}, { idempotencyKey }))).to.include({
      status: 422,
    });
    const { documentId } = made.data;
    const refused = await refusal(categories.update(documentId, { position: 1 }, {}, { ifMatch: 'another' }));
    expect(refused).to.include({ status: 412 });
    const { revision } = (refused as { details: { revision: string } }).details;
    for (const ifMatch of [`"${revision}"`, '*'])
      await categories.update(documentId, { position: 2 }, {}, { ifMatch });
    expect(await refusal(categories.delete(documentId, {}, { ifMatch: revision }))).to.include({
      status: 412,
    });
    expect(await refusal(categories.delete(documentId, {}, { ifMatch: '' }))).to.be.instanceOf(TypeError);
    await categories.delete(documentId, {}, { ifMatch: '*' });
    const home = client.single('homepage');
    expect(await refusal(home.publish({}, { ifMatch: 'another' }))).to.include({ status: 412 });
  });

  it('writes several at once, and creates or updates by a unique attribute', async () => {
    const categories = client.collection('categories');
    const { data: outcomes } = await client.batch([
      { action: 'create', plural: 'categories', data: { name: 'Of a batch' } },
      { action: 'update', plural: 'categories', documentId: '$0.documentId', data: { position: 3 } },
    ]);
    expect(outcomes.map(({ status }) => status)).to.deep.equal([201, 200]);
    const { documentId } = outcomes[0]?.data ?? {};
    const { data } = await categories.upsert('name', { name: 'Of a batch', position: 4 });
    expect(data).to.include({ documentId, position: 4 });
    const failed = await refusal(
      client.batch([
        { action: 'delete', plural: 'categories', documentId: data.documentId },
        { action: 'create', plural: 'categories', data: {} },
      ]),
    );
    expect(failed).to.include({ status: 400 }).with.nested.property('details.operation', 1);
    const { meta } = await client.batch(
      [{ action: 'delete', plural: 'categories', documentId: data.documentId }],
      { dryRun: true },
    );
    expect(meta['changes']).to.have.length(1);
    const once = () =>
      client.batch(
        [{ action: 'create', plural: 'categories', data: { name: 'Once' } }],
        {},
        { idempotencyKey: 'a batch' },
      );
    const { data: created } = await once();
    expect((await once()).data).to.eql(created);
    await categories.delete(String(created[0]?.data?.documentId));
    await categories.delete(data.documentId);
  });

  it('reads a single type', async () => {
    expect((await client.single('homepage').find()).data).to.have.property('documentId');
  });

  it('requests any other route', async () => {
    expect(await client.request('GET', 'users/me').catch((error: unknown) => error)).to.be.instanceOf(
      ApiError,
    );
    const made = await refusal(
      client.request('POST', 'auth/local', { identifier: 'nobody', password: 'wrong-1' }),
    );
    expect(made).to.include({ status: 400, name: 'ValidationError' });
  });

  it('a refused request throws an error with the status, name and message of the response', async () => {
    const error = await refusal(client.collection('categories').find({ filters: { nothing: 1 } }));
    expect(error).to.be.instanceOf(ApiError).and.to.include({
      status: 400,
      name: 'ValidationError',
      message: 'Invalid key nothing',
    });
    expect(await refusal(connect('nobody-knows-this').collection('categories').find())).to.include({
      status: 401,
    });
  });

  it('refuses to send a path or query that would mean something else', async () => {
    const { fetch: never } = { fetch: () => Promise.reject(new Error('sent')) };
    const silent = createClient({ url: 'http://localhost', fetch: never });
    const empty = await refusal(silent.collection('a').find({ filters: { name: { $in: [] } } }));
    expect(empty)
      .to.be.instanceOf(TypeError)
      .and.to.have.property('message')
      .that.includes('filters[name][$in]');
    expect(await refusal(silent.collection('a').delete(''))).to.be.instanceOf(TypeError);
  });

  const QUERIES: readonly object[] = [
    { filters: { name: { $eq: 'a&b=c[d]%20+é😀' }, 'odd key': ['x', 'y'] } },
    { populate: { zone: { on: { 'shared.seo': { populate: '*' } } } }, sort: ['a:asc', 'b'] },
    { pagination: { page: 2, withCount: false }, _q: '' },
    { filters: { $or: [{ a: { $null: true } }, { b: { $between: [1, 2.5] } }], c: null } },
  ];
  for (const query of QUERIES)
    it(`qs parses the query that it was given: ${JSON.stringify(query)}`, () => {
      const read = (text: string): unknown => qs.parse(text, { ignoreQueryPrefix: true, depth: 20 });
      expect(read(queryString(query))).to.eql(read(qs.stringify(query)));
    });

  it('omits undefined values and sends dates in ISO form', () => {
    expect(queryString({ a: undefined, b: {} })).to.equal('');
    expect(queryString({ at: new Date(0) })).to.equal('?at=1970-01-01T00%3A00%3A00.000Z');
  });

  it('is smaller than 11 kB', () => {
    const code = ['answer', 'index', 'query-string', 'watch'].map((name) =>
      ts.transpile(readFileSync(`src/client/${name}.ts`, 'utf8'), {
        target: ts.ScriptTarget.ES2023,
        module: ts.ModuleKind.ESNext,
        removeComments: true,
      }),
    );
    expect(Buffer.byteLength(code.join(''))).to.be.below(11_000);
  });
});
