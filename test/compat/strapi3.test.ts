/**
 * A Strapi 3 database behind `rest.compat: 'v3'`: its clients find the content that they know, under its original ids.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import bcrypt from 'bcryptjs';
import { expect } from 'chai';
import { openForeign } from '../../src/store/transfer/foreign.js';
import { writeFiles } from '../../src/transfer/schemas/files.js';
import { planFiles } from '../../src/transfer/schemas/plan.js';
import { openStrapi3Source } from '../../src/transfer/strapi3/source.js';
import { importInto } from '../support/imported-server.js';
import { fill, library, oid } from '../support/strapi3.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

type Json = Readonly<Record<string, unknown>>;

describe('Strapi 3 clients on migrated content', function () {
  this.timeout(180_000);
  let scratch: TestServer;
  let first: TestServer;
  let server: TestServer;
  let folder: string;
  let key: string;
  const name = `strapi3_compat_${process.pid}`;
  const id = (number: number): string => String(oid(number));

  before(async () => {
    scratch = await startTestServer();
    await fill(scratch.project.databaseUri, name, library(await bcrypt.hash('secret-ann', 4)));
    const source = await openStrapi3Source(await openForeign(scratch.project.databaseUri, name), {
      publicDir: null,
    });
    folder = await mkdtemp(join(tmpdir(), 'mangrove-compat3-'));
    await writeFiles(folder, planFiles(await source.schemas()));
    const settings = { rest: { compat: 'v3', publicDrafts: true, maxLimit: null } } as const;
    first = await startTestServer(settings, { schemaFolder: folder });
    await importInto(first, source);
    await source.close();
    server = await startTestServer(settings, { schemaFolder: folder, beside: first });
    key = (await server.project.access.tokens.create({ name: 'all', type: 'full-access' })).key;
  });
  after(async () => {
    await server?.close();
    await first?.close();
    await scratch?.project.store.client.db(name).dropDatabase();
    await scratch?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const send = async (
    method: string,
    path: string,
    data?: object,
    token: string | null = key,
  ): Promise<{ readonly status: number; readonly body: unknown }> => {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      ...(data && { body: JSON.stringify(data) }),
    });
    const text = await response.text();
    try {
      return { status: response.status, body: JSON.parse(text) as unknown };
    } catch {
      return { status: response.status, body: text };
    }
  };
  const get = async (path: string): Promise<Json> => (await send('GET', path)).body as Json;
  const list = async (path: string): Promise<readonly Json[]> => (await get(path)) as unknown as Json[];

  it('returns an entry under its old id and with the old names of timestamps', async () => {
    const book = await get(`/books/${id(1)}`);
    expect(book).to.include({
      _id: id(1),
      id: id(1),
      made_on: '2020-01-01T00:00:00.000Z',
      changedOn: '2020-02-01T00:00:00.000Z',
      published_at: '2020-03-01T00:00:00.000Z',
    });
    expect(book).to.not.have.any.keys('documentId', 'createdAt', 'updatedAt', 'publishedAt');
    expect((await list('/books?_sort=changedOn:DESC&made_on_lt=2020-06-01')).map(({ _id }) => _id)).to.eql([
      id(1),
    ]);
  });

  it('returns relations one level deep, and only the ids below that', async () => {
    const book = await get(`/books/${id(1)}`);
    expect(book).to.have.nested.property('writer.name', 'Ann');
    expect(book).to.not.have.nested.property('writer.books');
    const [third] = book['sequels'] as readonly Json[];
    expect(third).to.include({ title: 'Third', writer: id(11) });
    expect(third)
      .to.have.property('shelves')
      .that.eql([id(21)]);
    const [shelf = {}] = await list('/shelves?label=S1');
    expect((shelf['books'] as readonly Json[]).map(({ _id }) => _id)).to.have.members([id(1), id(3)]);
  });

  it('returns components at every depth, under their old ids', async () => {
    const book = await get(`/books/${id(1)}`);
    const [, chapter] = book['chapters'] as readonly Json[];
    expect(chapter).to.have.nested.property('notes[0].text', 'in a chapter');
    expect(chapter).to.have.nested.property('by.name', 'Bob');
    expect(chapter).to.include({ _id: id(31), id: id(31) });
    const [third] = (await get(`/books/${id(1)}`))['sequels'] as readonly Json[];
    expect(third).to.have.property('chapters').that.eql([]);
  });

  it('names the type of polymorphic references as Strapi 3 does', async () => {
    const remark = await get(`/remarks/${id(61)}`);
    const about = remark['about'] as readonly Json[];
    expect(about.map(({ __contentType, _id }) => [__contentType, _id])).to.deep.include(['Writer', id(11)]);
  });

  it('keeps the id of each localization', async () => {
    expect(await get(`/posts/${id(102)}`)).to.include({ _id: id(102), title: 'Un', locale: 'fr' });
    const posts = await list('/posts?_locale=all&_sort=title');
    expect(posts.map(({ _id }) => _id)).to.eql([id(104), id(101), id(103), id(102)]);
    expect(posts[1]?.['localizations']).to.eql([{ _id: id(102), id: id(102), locale: 'fr' }]);
    expect(await get(`/posts/${id(102)}`)).to.have.nested.property('next._id', id(104));
    const found = async (query: string): Promise<unknown> =>
      (await list(`/posts?${query}`)).map(({ title }) => title);
    expect(await found(`_locale=fr&id=${id(104)}`)).to.eql(['Deux']);
    expect(await found(`_locale=fr&next=${id(104)}`)).to.eql(['Un']);
    expect(await found(`_where[id_in][0]=${id(101)}&_where[id_in][1]=${id(103)}`)).to.eql(['One', 'Two']);
    expect(await get('/site-info?_locale=fr')).to.include({ _id: id(72), text: 'Bonjour' });
    expect(await get('/site-info?_locale=all')).to.include({ _id: id(71), text: 'Hello' });
  });

  it('accepts an entry in the form in which it was returned', async () => {
    const post = await get(`/posts/${id(102)}`);
    const changed = await send('PUT', `/posts/${id(102)}`, { ...post, title: 'Un, encore' });
    expect(changed.status).to.equal(200);
    expect(changed.body).to.include({ _id: id(102), title: 'Un, encore', locale: 'fr' });
    expect(changed.body).to.have.nested.property('next._id', id(104));
    expect(await get(`/posts/${id(101)}`)).to.include({ title: 'One' });
    const book = await get(`/books/${id(1)}`);
    const again = await send('PUT', `/books/${id(1)}`, { ...book, title: 'First, again' });
    const changedNow = { changedOn: '', published_at: '', title: '' };
    expect({ ...(again.body as Json), ...changedNow }).to.eql({ ...book, ...changedNow });
  });

  it('returns values written by other programs as they were converted, and nothing where nothing is stored', async () => {
    expect(await get(`/writers/${id(12)}`)).to.eql({
      _id: id(12),
      id: id(12),
      __v: 0,
      name: 'Bob',
      born: '1970-02-03',
      rank: null,
      fax: '+33',
      books: [],
      notes: [],
      created_by: { _id: id(700), id: id(700), username: null, firstname: 'Ada', lastname: 'Min', __v: 0 },
      createdAt: '2021-03-04T05:06:07.008Z',
      updatedAt: '2021-04-01T00:00:00.000Z',
    });
    expect(await get(`/writers/${id(13)}`)).to.eql({
      _id: id(13),
      id: id(13),
      name: null,
      fame: 1.24,
      rank: null,
      books: [],
      notes: [],
    });
    const changed = await send('PUT', `/writers/${id(12)}`, { born: '1970-02-04', fame: 7 });
    expect(changed.body).to.include({ born: '1970-02-04', fame: 7 });
  });

  it('leaves out missing components and references that lead nowhere; a single one is null', async () => {
    const book = await get(`/books/${id(1)}`);
    const chapters = book['chapters'] as readonly Json[];
    expect(chapters.map(({ _id }) => _id)).to.eql([id(32), id(31)]);
    expect(chapters[0]).to.have.property('by', null);
    const [third] = await list(`/books?title=Third`);
    expect(third).to.include({ copies: 7, pages: 17 }).and.not.have.any.keys('isbn', 'cover');
    const [shelf] = await list('/shelves?label=S2');
    const [first] = (shelf?.['books'] ?? []) as readonly Json[];
    expect(first?.['sequels']).to.include(id(3)).and.not.include(id(99));
    expect(first).to.include({ writer: id(11) });
  });

  it('computes what a file is related to, as it changes', async () => {
    const related = async (): Promise<unknown> => {
      const { cover } = await get(`/books/${id(1)}`);
      return (cover as Json)['related'];
    };
    expect(await related()).to.eql([id(1)]);
    const made = await send('POST', '/books', { title: 'Same cover', pages: 1, cover: id(50) });
    expect(made.status).to.equal(200);
    const { _id } = made.body as Json;
    expect(await related()).to.have.members([id(1), _id]);
    expect((await send('DELETE', `/books/${String(_id)}`)).status).to.equal(200);
    expect(await related()).to.eql([id(1)]);
  });

  it('does not support filters through components', async () => {
    expect(await send('GET', '/books?chapters.heading=One')).to.have.property('status', 400);
  });

  it('gives a new localization an id by which it can be found', async () => {
    const made = await send('POST', '/posts', { title: 'Seul', locale: 'fr' });
    const { _id } = made.body as Json;
    expect(made.body).to.include({ locale: 'fr' });
    expect(await get(`/posts/${String(_id)}`)).to.include({ _id, title: 'Seul' });
    expect((await send('DELETE', `/posts/${String(_id)}`)).status).to.equal(200);
    expect((await send('GET', `/posts/${String(_id)}`)).status).to.equal(404);
  });

  it('leaves a draft a draft, and takes back what is published', async () => {
    const path = `/books/${id(2)}`;
    const draft = await send('PUT', path, { title: 'Draft, changed' });
    expect(draft.body).to.include({ title: 'Draft, changed', published_at: null });
    expect((await list('/books')).map(({ title }) => title)).to.not.include('Draft, changed');
    const live = await send('PUT', path, { published_at: '2024-01-01T00:00:00.000Z' });
    expect(live.body).to.have.property('published_at').that.is.a('string');
    expect((await list('/books')).map(({ title }) => title)).to.include('Draft, changed');
    const back = await send('PUT', path, { title: 'Draft', published_at: null });
    expect(back.body).to.include({ title: 'Draft', published_at: null });
    expect((await list('/books')).map(({ title }) => title)).to.not.include.members([
      'Draft',
      'Draft, changed',
    ]);
  });

  it('ignores the query of a write, and refuses to delete what does not exist', async () => {
    const made = await send('POST', '/books?nope=1&_locale=en&_limit=x', { title: 'Asked', pages: 1 });
    expect(made.status, JSON.stringify(made.body)).to.equal(200);
    const path = `/books/${String((made.body as Json)['_id'])}`;
    expect(await send('PUT', `${path}?nope=1`, { pages: 2 })).to.have.nested.property('body.pages', 2);
    expect(await send('DELETE', `${path}?nope=1`)).to.have.nested.property('body.title', 'Asked');
    expect(await send('DELETE', path)).to.eql({ status: 404, body: 'Not Found' });
    expect(await send('DELETE', `/books/${id(99)}`)).to.eql({ status: 404, body: 'Not Found' });
    const draft = (await send('POST', '/books', { title: 'Unseen', published_at: null })).body as Json;
    const gone = await send('DELETE', `/books/${String(draft['_id'])}`);
    expect(gone.body).to.include({ title: 'Unseen', published_at: null });
  });

  it('publishes a localization unless its date is null', async () => {
    const made = (await send('POST', '/songs', { title: 'Song' })).body as Json;
    const path = `/songs/${String(made['_id'])}/localizations`;
    const french = (await send('POST', path, { locale: 'fr', title: 'Chant' })).body as Json;
    expect(french).to.have.property('published_at').that.is.a('string');
    expect(await get(`/songs/${String(french['_id'])}`)).to.include({ title: 'Chant', locale: 'fr' });
    expect((await send('DELETE', `/songs/${String(french['_id'])}`)).status).to.equal(200);
    const draft = (await send('POST', path, { locale: 'fr', title: 'Chant', published_at: null }))
      .body as Json;
    expect(draft).to.have.property('published_at', null);
    expect((await send('GET', `/songs/${String(draft['_id'])}`)).status).to.equal(404);
  });

  it('stores a text in a json as it is, and names items in errors as in a body', async () => {
    const made = (await send('POST', '/songs', { title: 'Facts', facts: '{"a":1}' })).body as Json;
    expect(made).to.have.property('facts', '{"a":1}');
    expect(await send('PUT', `/songs/${String(made['_id'])}`, { facts: '42' })).to.have.nested.property(
      'body.facts',
      '42',
    );
    const refused = await send('POST', '/songs', {
      title: 'Notes',
      notes: [{ text: 'x' }, { text: { a: 1 } }],
    });
    expect(refused).to.have.property('status', 400);
    expect((refused.body as Json)['data'])
      .to.have.property('errors')
      .that.has.keys('notes[1].text');
  });

  it('creates localizations', async () => {
    const made = (await send('POST', '/posts', { title: 'Alone' })).body as Json;
    const path = `/posts/${String(made['_id'])}/localizations`;
    const { status, body } = await send('POST', path, { locale: 'fr', title: 'Seule' });
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body).to.include({ title: 'Seule', locale: 'fr' });
    expect(body).to.have.nested.property('localizations[0]._id', made['_id']);
    expect((await send('POST', path, { locale: 'fr' })).body).to.include({
      message: 'locale is already used',
    });
    expect((await send('DELETE', `/posts/${String((body as Json)['_id'])}`)).status).to.equal(200);
    expect((await send('DELETE', `/posts/${String(made['_id'])}`)).status).to.equal(200);
  });

  it('finds accounts, files and locales by their old ids', async () => {
    expect(await get(`/users/${id(91)}`)).to.include({ _id: id(91), username: 'ann' });
    expect(await list('/users?username=ann&_limit=1')).to.have.length(1);
    expect((await send('GET', '/users/count')).body).to.equal(1);
    const [file] = await list('/upload/files');
    expect(file).to.include({ _id: id(50), id: id(50), name: 'c.png' });
    expect((await send('GET', '/upload/files/count')).body).to.equal((await list('/upload/files')).length);
    expect((await send('GET', '/upload/files/count?name=nothing')).body).to.equal(0);
    expect((await send('GET', '/upload/files/count', undefined, null)).status).to.equal(403);
    for (const locale of await list('/i18n/locales'))
      expect(locale).to.include({ _id: locale['id'], __v: 0 }).and.not.have.property('documentId');
    const login = { identifier: 'ann', password: 'secret-ann' };
    const { body } = await send('POST', '/auth/local', login, null);
    expect(body).to.have.nested.property('user._id', id(91));
    const role = { name: 'Authenticated', type: 'authenticated' };
    expect(await list('/users?username=ann'))
      .to.have.nested.property('[0].role')
      .that.includes(role);
    const { jwt } = body as { readonly jwt: string };
    const me = await send('GET', '/users/me', undefined, jwt);
    expect(me.body).to.include({ _id: id(91), username: 'ann' });
  });

  it('treats a limit of -1 or 0 as no limit', async () => {
    expect(await list('/shelves?_limit=-1')).to.have.length(2);
    expect(await list('/shelves?_limit=0')).to.have.length(2);
    expect(await list('/shelves?_limit=1')).to.have.length(1);
  });

  it('returns errors in the form of Strapi 3', async () => {
    expect(await send('GET', '/books?nope=1')).to.eql({
      status: 400,
      body: {
        statusCode: 400,
        error: 'Bad Request',
        message:
          "Your filters contain a field 'nope' that doesn't appear on your model definition nor its relations",
      },
    });
    expect(await send('GET', `/books/${id(99)}`)).to.eql({ status: 404, body: 'Not Found' });
    expect(await send('GET', '/writers', undefined, null)).to.eql({
      status: 403,
      body: { statusCode: 403, error: 'Forbidden', message: 'Forbidden' },
    });
    const refused = await send('POST', '/books', { pages: 1 });
    expect(refused.status).to.equal(400);
    expect(refused.body).to.have.nested.property('data.errors.title');
  });
});
