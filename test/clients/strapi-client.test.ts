/** The official client, unmodified, against a running server: each of its calls. */
import { HTTPAuthorizationError, HTTPForbiddenError, HTTPNotFoundError, strapi } from '@strapi/client';
import { expect } from 'chai';
import type { ConformanceServer } from '../support/conformance-server.js';
import { leaveServer, useServer } from './server.js';

type Client = ReturnType<typeof strapi>;

const refusal = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

describe('@strapi/client', function () {
  this.timeout(180_000);
  let server: ConformanceServer;
  let client: Client;
  const connect = (auth?: string): Client =>
    strapi({ baseURL: `${server.url}/api`, ...(auth === undefined ? {} : { auth }) });

  before(async function () {
    // Loading the fixture is slow on some engines.
    this.timeout(300_000);
    server = await useServer();
    client = connect(server.map.tokens['full']);
  });
  after(leaveServer);

  it('collection: find with the whole query language', async () => {
    const { data, meta } = await client.collection('restaurants').find({
      fields: ['name', 'stars'],
      filters: { $and: [{ stars: { $gte: 3 } }, { name: { $ne: 'nobody' } }] },
      sort: ['stars:desc', 'name:asc'],
      populate: { categories: { fields: ['name'], sort: ['name:asc'] }, owner: true },
      pagination: { page: 1, pageSize: 2 },
      status: 'published',
    });
    expect(data).to.have.length(2);
    expect(data[0]).to.include.keys('documentId', 'name', 'stars', 'categories', 'owner');
    expect(meta.pagination).to.include({ page: 1, pageSize: 2 });
    expect(meta.pagination?.total).to.be.greaterThan(2);
  });

  it('collection: an empty list in a query has no effect', async () => {
    const { data } = await client.collection('categories').find({ sort: [], pagination: { limit: 1 } });
    expect(data).to.have.length(1);
  });

  it('collection: create, findOne, update, delete', async () => {
    const categories = client.collection('categories');
    const { data: made } = await categories.create({ name: 'Made by the client', position: 7 });
    expect(made).to.include({ name: 'Made by the client', position: 7 });
    const { data: read } = await categories.findOne(made.documentId, { fields: ['name'] });
    expect(read).to.deep.equal({ id: made.id, documentId: made.documentId, name: 'Made by the client' });
    const { data: changed } = await categories.update(made.documentId, { position: 8 });
    expect(changed).to.include({ name: 'Made by the client', position: 8 });
    await categories.delete(made.documentId);
    expect(await refusal(categories.findOne(made.documentId))).to.be.instanceOf(HTTPNotFoundError);
  });

  it('collection: a refused request throws the error class of its status, with the response', async () => {
    const error = await refusal(client.collection('categories').create({ name: 5 }));
    expect(error).to.have.property('name', 'HTTPBadRequestError');
    const wrong = connect('nobody-knows-this-token').collection('categories');
    expect(await refusal(wrong.find())).to.be.instanceOf(HTTPAuthorizationError);
    const nothing = connect(server.map.tokens['nothing']).collection('categories');
    expect(await refusal(nothing.find())).to.be.instanceOf(HTTPForbiddenError);
  });

  it('single: find, update, delete', async () => {
    const notice = client.single('notice');
    const { data } = await notice.update({ text: 'hello', level: 2 });
    expect(data).to.include({ text: 'hello', level: 2 });
    expect((await notice.find({ fields: ['text'] })).data).to.include({ text: 'hello' });
    await notice.delete();
    expect(await refusal(notice.find())).to.be.instanceOf(HTTPNotFoundError);
  });

  it('files: upload, find, findOne, update, delete', async () => {
    const [made] = await client.files.upload(new Blob(['from a blob'], { type: 'text/plain' }), {
      fileInfo: { name: 'blob.txt', caption: 'c' },
    });
    expect(made).to.include({ name: 'blob.txt', caption: 'c', mime: 'text/plain' });
    const { id = 0 } = made ?? {};
    const found = await client.files.find({ filters: { name: { $eq: 'blob.txt' } }, sort: 'id:desc' });
    expect(found.map((file) => file.id)).to.deep.equal([id]);
    expect(await client.files.findOne(id)).to.include({ id, caption: 'c' });
    expect(await client.files.update(id, { alternativeText: 'a' })).to.include({
      alternativeText: 'a',
      caption: 'c',
    });
    expect(await client.files.delete(id)).to.include({ id });
    expect(await refusal(client.files.findOne(id))).to.have.property('name', 'FileNotFoundError');
  });

  it('files: uploads a buffer, and serves the same bytes', async () => {
    const [made] = await client.files.upload(Buffer.from('bytes'), {
      filename: 'raw.txt',
      mimetype: 'text/plain',
    });
    const answer = await fetch(server.url + made?.url);
    expect(await answer.text()).to.equal('bytes');
  });

  it('users: bodies without an envelope, numeric ids', async () => {
    const users = client.collection('users');
    const found = (await users.find({ filters: { username: 'amy' } })) as unknown as { username: string }[];
    expect(found).to.have.length(1);
    const made = (await users.create({
      username: 'clientele',
      email: 'clientele@example.test',
      password: 'Passw0rd!',
      role: Number(server.map.roles['authenticated']?.id),
    })) as unknown as { id: number };
    expect(await users.update(made.id, { username: 'clientele2' })).to.include({ username: 'clientele2' });
    await users.delete(made.id);
  });

  it('auth: signs in, then makes requests as that user', async () => {
    const body = JSON.stringify({
      identifier: 'amy@example.test',
      password: server.map.passwords['user.amy'],
    });
    const headers = { 'Content-Type': 'application/json' };
    const answer = await connect().fetch('/auth/local', { method: 'POST', headers, body });
    const { jwt, user } = (await answer.json()) as { jwt: string; user: object };
    expect(user).to.include({ username: 'amy', blocked: false });
    const me = await (await connect(jwt).fetch('/users/me')).json();
    expect(me).to.include({ username: 'amy' });
  });

  it('fetch: any path', async () => {
    const answer = await client.fetch('/categories?pagination[pageSize]=1');
    expect(answer.status).to.equal(200);
    expect(await answer.json()).to.have.keys('data', 'meta');
  });
});
