import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import bcrypt from 'bcryptjs';
import { expect } from 'chai';
import { openForeign } from '../../src/store/transfer/foreign.js';
import type { ImportReport } from '../../src/transfer/import/report.js';
import { writeFiles } from '../../src/transfer/schemas/files.js';
import { planFiles } from '../../src/transfer/schemas/plan.js';
import type { ImportSource } from '../../src/transfer/source/types.js';
import { openStrapi3Source } from '../../src/transfer/strapi3/source.js';
import { has } from '../support/engines/lacks.js';
import { importInto } from '../support/imported-server.js';
import { fill, library, oid } from '../support/strapi3.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

type Entry = Readonly<Record<string, unknown>>;

describe('a Strapi 3 database', function () {
  this.timeout(180_000);
  let scratch: TestServer;
  let server: TestServer;
  let source: ImportSource;
  let folder: string;
  let report: ImportReport;
  const name = `strapi3_${process.pid}`;

  before(async () => {
    // Any server with a database: the old one is next to it.
    scratch = await startTestServer();
    await fill(scratch.project.databaseUri, name, library(await bcrypt.hash('secret-ann', 4)));
    source = await openStrapi3Source(await openForeign(scratch.project.databaseUri, name), {
      publicDir: null,
    });
    folder = await mkdtemp(join(tmpdir(), 'mangrove-strapi3-'));
    await writeFiles(folder, planFiles(await source.schemas()));
    server = await startTestServer({ rest: { publicDrafts: true } }, { schemaFolder: folder });
    report = await importInto(server, source, { verify: true });
  });
  after(async () => {
    await source?.close();
    await server?.close();
    await scratch?.project.store.client.db(name).dropDatabase();
    await scratch?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const find = async (uid: string, query: object = {}): Promise<readonly Entry[]> =>
    server.project.documents(uid).findMany({ sort: 'id', ...query });
  const messagesWith = (text: string): readonly string[] =>
    report.problems.filter(({ at, why }) => `${at} ${why}`.includes(text)).map(({ what }) => what);

  it('keeps ids, timestamps and versions', async () => {
    const live = await find('api::book.book', { status: 'published' });
    expect(live.map(({ documentId }) => documentId)).to.eql([String(oid(1)), String(oid(3))]);
    expect(live[0]).to.include({
      title: 'First',
      isbn: '9007199254740993',
      createdAt: '2020-01-01T00:00:00.000Z',
      updatedAt: '2020-02-01T00:00:00.000Z',
      publishedAt: '2020-03-01T00:00:00.000Z',
    });
    expect((await find('api::book.book', { status: 'draft' })).map(({ title }) => title)).to.eql([
      'First',
      'Draft',
      'Third',
    ]);
  });

  it('keeps references and components in order, at any depth', async () => {
    const populate = {
      shelves: true,
      sequels: true,
      writer: { populate: { notes: true } },
      cover: true,
      chapters: { populate: '*' },
      parts: { on: { 'text.note': true, 'text.chapter': { populate: '*' } } },
    };
    const [book = {}] = await find('api::book.book', { status: 'draft', populate });
    const names = (key: string, of: string): unknown =>
      (book[key] as readonly Entry[]).map((item) => item[of]);
    expect(names('shelves', 'label')).to.eql(['S2', 'S1']);
    expect(names('sequels', 'title')).to.eql(['Third', 'Draft']);
    expect(names('chapters', 'heading')).to.eql(['Two', 'One']);
    expect(names('parts', '__component')).to.eql(['text.note', 'text.chapter']);
    const [, second] = book['chapters'] as readonly Entry[];
    expect(second).to.have.nested.property('by.name', 'Bob');
    expect(second).to.have.nested.property('notes[0].text', 'in a chapter');
    expect(book).to.have.nested.property('cover.url', '/uploads/c_1.png');
    const notes = (book['writer'] as { notes: readonly Entry[] }).notes;
    const listed = has('a foreign field within a list') ? [String(oid(61)), String(oid(62))] : [];
    expect(notes.map(({ documentId }) => documentId)).to.eql(listed);
  });

  it('keeps the order of a polymorphic relation, and the defaults that Strapi 3 returns', async () => {
    const [remark = {}] = await find('api::remark.remark', { populate: ['about'] });
    const about = remark['about'] as readonly Entry[];
    expect(about.map(({ __type }) => __type)).to.eql(['api::book.book', 'api::writer.writer']);
    const books = await find('api::book.book', { status: 'draft' });
    expect(books.map(({ copies }) => copies)).to.eql([7, 7, 7]);
  });

  it('says that files are in the project, which was not given', () => {
    expect(messagesWith('give its folder with --project')).to.eql(['file']);
  });

  it('merges localizations into one document', async () => {
    const texts = await find('api::site-info.site-info', { locale: '*' });
    expect(texts.map(({ documentId, locale, text }) => [documentId, locale, text])).to.eql([
      [String(oid(71)), 'en', 'Hello'],
      [String(oid(71)), 'fr', 'Bonjour'],
    ]);
  });

  it('lets users sign in, with the permissions of their roles', async () => {
    const response = await fetch(`${server.url}/api/auth/local`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ identifier: 'ann', password: 'secret-ann' }),
    });
    const { jwt } = (await response.json()) as { jwt: string };
    const status = async (path: string, token?: string): Promise<number> =>
      (
        await fetch(
          `${server.url}/api${path}`,
          token ? { headers: { authorization: `Bearer ${token}` } } : {},
        )
      ).status;
    expect(await status('/books')).to.equal(200);
    expect(await status('/site-info')).to.equal(403);
    expect(await status('/site-info', jwt)).to.equal(200);
  });

  it('keeps unknown fields with the entry, and reports them', async () => {
    const stored = await server.project.store.db
      .collection('the_books')
      .findOne({ documentId: String(oid(1)) });
    expect(stored?.['_strapi3']).to.include({ oldField: 'kept', created_by: String(oid(700)) });
    expect(stored?.['_strapi3']).to.not.have.property('sequels');
    for (const [text, what] of [
      ['oldField', 'value'],
      [`sequels → api::book.book ${oid(99)}`, 'link'],
      [`localizations → ${oid(97)}`, 'link'],
      [`ComponentTextChapter ${oid(98)} is not there`, 'component'],
      [`→ api::writer.writer ${oid(96)}`, 'link'],
      [`text.chapter ${oid(33)} no entry uses it`, 'component'],
      [`text.chapter ${oid(31)} has another owner: each gets a copy`, 'component'],
      ['pages a string in an attribute of type integer', 'value'],
      ['application::gone.gone', 'schema'],
      ['leftovers', 'schema'],
      ['application.book.publish', 'role'],
      ['administrators', 'user'],
    ])
      expect(messagesWith(text ?? ''), text).to.include(what);
  });

  it('writes every entry, reads all of them back, and changes nothing in the source', async () => {
    const left = Object.values(report.entries).reduce((sum, { leftOut }) => sum + leftOut, 0);
    expect(left).to.equal(0);
    expect(report.verified?.differences).to.eql([]);
    const old = scratch.project.store.client.db(name);
    const names = (await old.listCollections({}, { nameOnly: true }).toArray()).map((one) => one.name).sort();
    expect(names).to.eql(Object.keys(library('')).sort());
    expect(await old.collection('the_books').findOne({ _id: oid(1) })).to.have.property('oldField', 'kept');
  });
});
