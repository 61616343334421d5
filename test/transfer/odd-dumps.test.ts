/** Strapi 3 databases that other programs have damaged. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Binary, EJSON, Long, type ObjectId } from 'bson';
import { expect } from 'chai';
import { openForeign } from '../../src/store/transfer/foreign.js';
import type { ImportReport } from '../../src/transfer/import/report.js';
import { writeFiles } from '../../src/transfer/schemas/files.js';
import { planFiles } from '../../src/transfer/schemas/plan.js';
import { openStrapi3Source } from '../../src/transfer/strapi3/source.js';
import { importInto } from '../support/imported-server.js';
import { fill, library, oid } from '../support/strapi3.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

type Row = Readonly<Record<string, unknown>>;
type Collections = Readonly<Record<string, readonly Row[]>>;

describe('damaged databases of Strapi 3', function () {
  this.timeout(180_000);
  let scratch: TestServer;
  const name = `strapi3_odd_${process.pid}`;
  before(async () => {
    scratch = await startTestServer();
  });
  after(() => scratch?.close());
  afterEach(() => scratch?.project.store.client.db(name).dropDatabase());

  async function imported(
    collections: Collections,
    look: (server: TestServer) => Promise<void>,
  ): Promise<ImportReport> {
    await fill(scratch.project.databaseUri, name, collections);
    const foreign = await openForeign(scratch.project.databaseUri, name);
    const source = await openStrapi3Source(foreign, { publicDir: null });
    const folder = await mkdtemp(join(tmpdir(), 'mangrove-odd-dumps-'));
    try {
      await writeFiles(folder, planFiles(await source.schemas()));
      const server = await startTestServer({ rest: { publicDrafts: true } }, { schemaFolder: folder });
      try {
        const report = await importInto(server, source, { verify: true });
        await look(server);
        return report;
      } finally {
        await server.close();
      }
    } finally {
      await source.close();
      await rm(folder, { recursive: true, force: true });
    }
  }

  it('are read with the number of entries that there are', async () => {
    const content = library('');
    await fill(scratch.project.databaseUri, name, content);
    const source = await openStrapi3Source(await openForeign(scratch.project.databaseUri, name), {
      publicDir: null,
    });
    const entries: unknown[] = [];
    for await (const record of source.records()) {
      if (record.kind !== 'entry') continue;
      entries.push(record);
      expect(source.progress()?.entries).to.have.property('read', entries.length);
    }
    expect(source.progress()).to.eql({ share: 1, entries: { read: entries.length, total: entries.length } });
    await source.close();
  });

  it('have ids that became strings followed like others', async () => {
    const content = library('');
    const writers = (content['writers'] ?? []).map((row) => ({ ...row, _id: String(row['_id']) }));
    await imported({ ...content, writers }, async ({ project }) => {
      const [book] = await project
        .documents('api::book.book')
        .findMany({ filters: { title: 'First' }, populate: { writer: true } });
      expect(book).to.have.nested.property('writer.name', 'Ann');
    });
  });

  it('have a locale that is no text kept beside the entry, and in the report', async () => {
    const content = library('');
    const rows = (content['posts'] ?? []).map((row, at) => (at === 0 ? { ...row, locale: ['en'] } : row));
    const report = await imported({ ...content, posts: rows }, async ({ project }) => {
      const found = await project.store.db.collection('posts').find({ title: 'One' }).toArray();
      expect(found.map(({ _strapi3 }) => _strapi3.locale)).to.deep.equal([['en']]);
    });
    expect(report.problems.map(({ at, why }) => `${at}: ${why}`)).to.include(
      `api::post.post ${String(oid(101))} locale: a list is not a locale`,
    );
    expect(report.verified?.differences).to.eql([]);
  });

  it('have a line in the report for every reference that leads nowhere or is none', async () => {
    const content = library('');
    const there = (collection: string): unknown => content[collection]?.[0]?.['_id'];
    let number = 0;
    const gone = (): ObjectId => oid(0xdead00 + number++);
    /** Values of a reference field, and how many references of each cannot be stored. */
    const odd = (have: unknown): readonly (readonly [value: unknown, lost: number])[] => [
      [gone(), 1],
      [[gone(), have, gone()], 2],
      [[have, have, gone(), have], 1],
      [have, 0],
      [String(have).toUpperCase(), 0],
      [[null, have, String(gone())], 1],
      [['no id', 42, true, '', 1.5], 5],
      [{ id: have }, 1],
      [[[have, gone()]], 1],
      [[{ ref: have, kind: 'Nothing' }, [], {}], 3],
      [Long.fromString('9007199254740993'), 1],
      [[new Date(0), new Binary(Buffer.from('ab'))], 2],
    ];
    const rowsWith = (
      fields: Readonly<Record<string, string>>,
    ): readonly (readonly [Row, Map<string, number>])[] =>
      odd(null).map((_, at) => {
        const given = Object.entries(fields).map(([field, to]) => [field, odd(there(to))[at]] as const);
        const row = { _id: oid(0xbee0000 + number++), title: 'odd', published_at: new Date() };
        return [
          { ...row, ...Object.fromEntries(given.map(([field, one]) => [field, one?.[0]])) },
          new Map(given.map(([field, one]) => [field, one?.[1] ?? 0])),
        ];
      });
    const books = rowsWith({
      writer: 'writers',
      shelves: 'shelf',
      sequels: 'the_books',
      cover: 'upload_file',
    });
    const writers = rowsWith({ books: 'the_books', notes: 'remarks' });
    const report = await imported(
      {
        ...content,
        the_books: [...(content['the_books'] ?? []), ...books.map(([row]) => row)],
        writers: [...(content['writers'] ?? []), ...writers.map(([row]) => row)],
      },
      async () => undefined,
    );
    expect(report.verified?.differences).to.eql([]);
    for (const [uid, rows] of [
      ['api::book.book', books],
      ['api::writer.writer', writers],
    ] as const)
      for (const [row, fields] of rows)
        for (const [field, lost] of fields) {
          const at = `${uid} ${String(row['_id'])} ${field}`;
          const lines = report.problems.filter((problem) => problem.at === at && problem.what === 'link');
          expect(lines.length, `${at}: ${EJSON.stringify(row[field])}`).to.be.at.least(lost);
        }
  });
});
