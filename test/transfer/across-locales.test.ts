/** References from one locale to another, as Strapi 4 has them, and how both sides read them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeConfig } from '../../src/config/load.js';
import { createReader } from '../../src/documents/read/create-reader.js';
import { createDocuments } from '../../src/documents/service.js';
import type { Documents } from '../../src/documents/types.js';
import { withLinksAcrossLocales } from '../../src/schema/model/across-locales.js';
import type { Store } from '../../src/store/client.js';
import { readLinksAcrossLocales } from '../../src/store/locales.js';
import { jsonLines } from '../../src/transfer/archive/lines.js';
import { members, openArchive } from '../../src/transfer/archive/members.js';
import type { ImportReport } from '../../src/transfer/import/report.js';
import { openArchiveSource } from '../../src/transfer/strapi/source.js';
import { type TestDocuments, testDocuments } from '../support/documents.js';
import { has } from '../support/engines/lacks.js';
import { componentFile, schemaOf, typeFile } from '../support/schemas.js';
import { entity, exportAll, importAll, link, siblings, targetIn, writeArchive } from '../support/transfer.js';

const PAGE = 'api::page.page';
const BOOK = 'api::book.book';
const NOTE = 'api::note.note';
const PICKS = 'box.picks';
const schema = schemaOf(
  componentFile(PICKS, { pages: { type: 'relation', relation: 'oneToMany', target: PAGE } }),
  typeFile(
    'page',
    {
      title: { type: 'string' },
      related: { type: 'relation', relation: 'manyToMany', target: PAGE, inversedBy: 'relatedTo' },
      relatedTo: { type: 'relation', relation: 'manyToMany', target: PAGE, mappedBy: 'related' },
      books: { type: 'relation', relation: 'manyToMany', target: BOOK, mappedBy: 'pages' },
      notes: { type: 'relation', relation: 'morphMany', target: NOTE, morphBy: 'subjects' },
      picks: { type: 'component', component: PICKS, repeatable: true },
    },
    { localized: true },
  ),
  typeFile('book', {
    title: { type: 'string' },
    pages: { type: 'relation', relation: 'manyToMany', target: PAGE, inversedBy: 'books' },
  }),
  typeFile('note', {
    title: { type: 'string' },
    subjects: { type: 'relation', relation: 'morphToMany' },
  }),
);

const subject = (pos: number, ref: number): object => ({
  kind: 'relation.morph',
  relation: 'morphToMany',
  left: { type: NOTE, field: 'subjects', ref: 1 },
  right: { type: PAGE, ref, pos, field: null },
});

const page = (id: number, locale: string | null, title: string, picks: readonly object[] = []): object =>
  entity(PAGE, id, { locale, title, picks });

const CONTENT = {
  entities: [
    page(1, 'en', 'one'),
    page(2, 'fr', 'un', [{ id: 1 }]),
    page(3, 'en', 'two'),
    page(4, 'fr', 'deux'),
    page(5, 'fr', 'seul'),
    page(6, null, 'nowhere'),
    entity(BOOK, 1, { title: 'a' }),
    entity(BOOK, 2, { title: 'b' }),
    entity(NOTE, 1, { title: 'note' }),
  ],
  links: [
    siblings(PAGE, 1, 2),
    siblings(PAGE, 3, 4),
    link('manyToMany', [PAGE, 2, 1], 'related', [PAGE, 4, 1], 'relatedTo'),
    link('manyToMany', [PAGE, 2, 2], 'related', [PAGE, 3, 2], 'relatedTo'),
    link('manyToMany', [PAGE, 1, 1], 'related', [PAGE, 3, 1], 'relatedTo'),
    link('manyToMany', [PAGE, 1, 2], 'related', [PAGE, 5, 1], 'relatedTo'),
    link('manyToMany', [PAGE, 6, 1], 'related', [PAGE, 1, 1], 'relatedTo'),
    link('manyToMany', [PAGE, 5, 1], 'related', [PAGE, 6, 1], 'relatedTo'),
    link('oneToMany', [PICKS, 1, 1], 'pages', [PAGE, 3]),
    link('oneToMany', [PICKS, 1, 2], 'pages', [PAGE, 2]),
    link('oneToMany', [PICKS, 1, 3], 'pages', [PAGE, 4]),
    link('manyToMany', [BOOK, 1, 1], 'pages', [PAGE, 2, 1], 'books'),
    link('manyToMany', [BOOK, 1, 2], 'pages', [PAGE, 1, 1], 'books'),
    link('manyToMany', [BOOK, 2, 1], 'pages', [PAGE, 2, 2], 'books'),
    subject(1, 4),
    subject(2, 1),
  ],
};

type Doc = Readonly<Record<string, unknown>>;
const titles = (value: unknown): readonly unknown[] => (value as readonly Doc[]).map(({ title }) => title);

/** The service as created by a start: with what imports left in the database. */
async function started(store: Store): Promise<Documents> {
  const config = makeConfig('.', {});
  const marked = withLinksAcrossLocales(schema, await readLinksAcrossLocales(store));
  return createDocuments({
    schema: marked,
    store,
    config,
    reader: createReader({ schema: marked, store, config }),
  });
}

async function shown(documents: Documents): Promise<object> {
  const populate = {
    related: true,
    relatedTo: true,
    books: true,
    notes: true,
    picks: { populate: { pages: true } },
  };
  const pages = await documents(PAGE).findMany({ locale: '*', populate, sort: 'id' });
  const books = await documents(BOOK).findMany({ populate: { pages: true }, sort: 'id' });
  const notes = await documents(NOTE).findMany({ populate: { subjects: true } });
  return {
    related: Object.fromEntries(pages.map((row) => [row['title'], titles(row['related'])])),
    relatedTo: Object.fromEntries(pages.map((row) => [row['title'], titles(row['relatedTo'])])),
    books: Object.fromEntries(pages.map((row) => [row['title'], titles(row['books'])])),
    notes: Object.fromEntries(pages.map((row) => [row['title'], titles(row['notes'])])),
    picks: pages.flatMap((row) => (row['picks'] as readonly Doc[]).map(({ pages: of }) => titles(of))),
    pages: books.map(({ pages: of }) => titles(of)),
    subjects: notes.map(({ subjects }) => titles(subjects)),
  };
}

const NOTED = has('a foreign field within a list') ? ['note'] : [];
const EXPECTED = {
  related: {
    one: ['two', 'seul'],
    un: ['deux', 'two'],
    two: [],
    deux: [],
    seul: ['nowhere'],
    nowhere: ['one'],
  },
  relatedTo: { one: ['nowhere'], un: [], two: ['one', 'un'], deux: ['un'], seul: ['one'], nowhere: ['seul'] },
  books: { one: ['a'], un: ['a', 'b'], two: [], deux: [], seul: [], nowhere: [] },
  notes: { one: NOTED, un: [], two: [], deux: NOTED, seul: [], nowhere: [] },
  picks: [['two', 'un', 'deux']],
  pages: [['un', 'one'], ['un']],
  subjects: [['deux', 'one']],
};

describe('references between locales', () => {
  let opened: TestDocuments;
  let folder: string;
  let report: ImportReport;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-across-'));
    opened = await testDocuments(schema);
    const source = await openArchiveSource(await writeArchive(join(folder, 'archive'), CONTENT), null);
    report = await importAll(source, targetIn(opened.store, schema, folder), { verify: true });
  });
  after(async () => {
    await opened?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("are imported from an archive into their target's locale, and none is lost", async () => {
    expect(report.problems).to.eql([]);
    expect(report.verified?.differences).to.eql([]);
    expect(await shown(await started(opened.store))).to.eql(EXPECTED);
  });

  it('can be counted, filtered and sorted by', async () => {
    const documents = await started(opened.store);
    const [un] = await documents(PAGE).findMany({
      locale: 'fr',
      filters: { related: { title: 'two' } },
      populate: { related: { sort: 'title:desc' }, relatedTo: { count: true } },
    });
    expect(un?.['title']).to.equal('un');
    expect(titles(un?.['related'])).to.eql(['two', 'deux']);
    const counted = await documents(PAGE).findMany({
      locale: 'en',
      populate: { books: { count: true }, relatedTo: { count: true } },
      sort: 'id',
    });
    expect(counted.map(({ books }) => books)).to.eql([{ count: 1 }, { count: 0 }]);
    expect(counted.map(({ relatedTo }) => relatedTo)).to.eql([{ count: 1 }, { count: 2 }]);
  });

  it('are exported as they were imported', async () => {
    const path = join(folder, 'export.tar.gz');
    await exportAll(targetIn(opened.store, schema, folder), path);
    const second = await testDocuments(schema);
    try {
      await importAll(await openArchiveSource(path, null), targetIn(second.store, schema, folder));
      expect(await shown(await started(second.store))).to.eql(EXPECTED);
    } finally {
      await second.close();
    }
    const lines: unknown[] = [];
    for await (const { path: member, bytes } of members(await openArchive(path, null)))
      if (member.startsWith('links/'))
        for await (const line of jsonLines(bytes)) if ('value' in line) lines.push(line.value);
    // Strapi only reads a polymorphic relation in reverse if a link names the attribute that does so.
    const shownBack = lines.filter((line) => (line as Doc)['relation'] === 'morphToMany');
    expect(shownBack.map((line) => ((line as Doc)['right'] as Doc)['field'])).to.eql(['notes', 'notes']);
  });
});

describe('references to one locale of a document', () => {
  let opened: TestDocuments;
  before(async () => {
    opened = await testDocuments(schema);
  });
  after(() => opened?.close());

  it('written from the localized side, apply to that locale alone', async () => {
    const { documents } = opened;
    const [a, b] = [
      await documents(BOOK).create({ data: { title: 'a' } }),
      await documents(BOOK).create({ data: { title: 'b' } }),
    ];
    const made = await documents(PAGE).create({
      data: { title: 'one', books: [a.documentId] },
      locale: 'en',
    });
    const update = (locale: string, books: unknown) =>
      documents(PAGE).update({ documentId: String(made.documentId), locale, data: { books } });
    const booksOf = async () =>
      Object.fromEntries(
        (await documents(PAGE).findMany({ locale: '*', populate: { books: true }, sort: 'id' })).map(
          (row) => [row['locale'], titles(row['books'])],
        ),
      );
    await update('fr', [b.documentId, a.documentId]);
    expect(await booksOf()).to.eql({ en: ['a'], fr: ['b', 'a'] });
    const [first] = await documents(BOOK).findMany({ filters: { title: 'a' }, populate: { pages: true } });
    const locales = (first ? (first['pages'] as readonly Doc[]) : []).map(({ locale }) => locale);
    expect(locales).to.have.members(['en', 'fr']);
    await update('fr', { disconnect: [a.documentId] });
    expect(await booksOf()).to.eql({ en: ['a'], fr: ['b'] });
    await update('en', { connect: [b.documentId] });
    await update('fr', []);
    expect(await booksOf()).to.eql({ en: ['a', 'b'], fr: [] });
  });
});
