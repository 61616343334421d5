/** Concepts that Strapi 4 lacks: documents with several localizations, drafts next to published entries. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ImportReport } from '../../src/transfer/import/report.js';
import { openArchiveSource } from '../../src/transfer/strapi/source.js';
import { type TestStore, testStore } from '../support/engine.js';
import { componentFile, schemaOf, typeFile } from '../support/schemas.js';
import { entity, importAll, link, siblings, targetIn, writeArchive } from '../support/transfer.js';

const PAGE = 'api::page.page';
const LABEL = 'api::label.label';
const part = { type: 'component', component: 'box.part' };
const schema = schemaOf(
  componentFile('box.part', {
    name: { type: 'string' },
    label: { type: 'relation', relation: 'oneToOne', target: LABEL },
  }),
  typeFile(
    'page',
    {
      title: { type: 'string' },
      big: { type: 'biginteger' },
      more: { type: 'json' },
      kind: { type: 'enumeration', enum: ['a', 'b'] },
      at: { type: 'time' },
      labels: { type: 'relation', relation: 'manyToMany', target: LABEL, inversedBy: 'pages' },
      next: { type: 'relation', relation: 'oneToOne', target: PAGE },
      parts: { ...part, repeatable: true },
      photo: { type: 'media', multiple: false },
    },
    { draftAndPublish: true, localized: true },
  ),
  typeFile('label', {
    name: { type: 'string', unique: true },
    pages: { type: 'relation', relation: 'manyToMany', target: PAGE, mappedBy: 'labels' },
  }),
);

const LIVE = '2022-01-03T00:00:00.000Z';
const page = (id: number, locale: string | null, publishedAt: string | null, data: object = {}) =>
  entity(PAGE, id, { locale, publishedAt, parts: [], ...data });

const archive = {
  metadata: { strapi: { version: '4.25.24' } },
  entities: [
    page(1, 'en', LIVE, {
      title: 'one',
      big: '9223372036854776000',
      more: { 'a.b': 1, $set: 2, '': 3, constructor: 4 },
      kind: 'column',
      at: '11:30:00',
      gone: 'of an attribute that was removed',
      parts: [
        { id: 7, name: 'first', label: null },
        { id: 3, name: 'second' },
      ],
    }),
    page(2, 'fr', null, { title: 'deux', parts: [{ id: 7, name: 'first' }] }),
    // Half of its links are lost: 3 links to 4 and 5, 4 to 3, and 5 to none.
    page(3, 'en', LIVE),
    page(4, 'fr', LIVE),
    page(5, 'ar', null),
    // Two French entries of one English one.
    page(6, 'en', LIVE),
    page(7, 'fr', LIVE, { title: 'sept' }),
    page(8, 'fr', LIVE, { title: 'huit' }),
    page(9, null, LIVE, { title: 'no locale' }),
    page(10, 'fr', null, { title: 'alone' }),
    entity(LABEL, 1, { name: 'x' }),
    entity(LABEL, 2, { name: 'y' }),
    entity(LABEL, 3, { name: 'x' }),
    entity('api::removed.removed', 1, { name: 'z' }),
    entity('plugin::i18n.locale', 1, { code: 'en', name: 'English (en)' }),
    entity('plugin::i18n.locale', 2, { code: 'fr', name: 'French (fr)' }),
    entity('plugin::upload.file', 1, {
      name: 'a.txt',
      hash: 'a',
      ext: '.txt',
      mime: 'text/plain',
      size: 1,
      url: '/uploads/a.txt',
      provider: 'local',
    }),
  ],
  links: [
    siblings(PAGE, 1, 2),
    siblings(PAGE, 2, 1),
    siblings(PAGE, 3, 4),
    siblings(PAGE, 3, 5),
    siblings(PAGE, 4, 3),
    siblings(PAGE, 6, 7),
    siblings(PAGE, 8, 6),
    link('manyToMany', [PAGE, 1, 20], 'labels', [LABEL, 1, 2], 'pages'),
    link('manyToMany', [PAGE, 1, 10], 'labels', [LABEL, 2, 1], 'pages'),
    link('manyToMany', [PAGE, 3, 1], 'labels', [LABEL, 1, 1], 'pages'),
    link('oneToOne', [PAGE, 1], 'next', [PAGE, 10]),
    link('oneToOne', ['box.part', 7], 'label', [LABEL, 2]),
    link('oneToOne', ['box.part', 99], 'label', [LABEL, 2]),
    link('oneToOne', [PAGE, 3], 'next', [PAGE, 9999]),
    link('oneToOne', ['api::removed.removed', 1], 'label', [LABEL, 2]),
    {
      kind: 'relation.morph',
      relation: 'morphToMany',
      left: { type: 'plugin::upload.file', field: 'related', ref: 1 },
      right: { type: PAGE, field: 'photo', ref: 2, pos: 1 },
    },
  ],
  configuration: [{ type: 'core-store', value: { key: 'plugin_i18n_default_locale', value: 'en' } }],
  uploads: { 'a.txt': 'a' },
};

describe('importing a Strapi 4 archive', () => {
  let opened: TestStore;
  let folder: string;
  let report: ImportReport;
  const run = async () =>
    importAll(
      await openArchiveSource(await writeArchive(join(folder, 'archive'), archive), null),
      targetIn(opened.store, schema, folder),
      { verify: true },
    );

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-v4-'));
    opened = await testStore();
    report = await run();
  });
  after(async () => {
    await opened?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const rows = async (name: string) =>
    (await opened.store.db.collection(name).find({}).sort({ id: 1 }).toArray()) as Record<string, unknown>[];
  const live = async (id: number) => (await rows('pages')).find((row) => row['id'] === id);
  const draft = async (title: string) => (await rows('pages.drafts')).find((row) => row['title'] === title);

  it('turns a localization group into one document, even with missing links', async () => {
    const all = [...(await rows('pages')), ...(await rows('pages.drafts'))];
    const of = (id: number) => all.find((row) => row['id'] === id)?.['documentId'];
    expect(of(2)).to.equal(of(1));
    expect([of(4), of(5)]).to.deep.equal([of(3), of(3)]);
    expect(of(7)).to.equal(of(6));
    expect(new Set([of(1), of(3), of(6), of(8), of(9), of(10)]).size).to.equal(6);
  });

  it('keeps a second entry in the same locale as a separate document, and reports it', async () => {
    expect((await live(8))?.['title']).to.equal('huit');
    const problems = report.problems.filter(({ at }) => at === `${PAGE} 8`);
    expect(problems).to.have.length(1);
    expect(problems[0]).to.include({ what: 'entry', kept: true });
  });

  it('gives a published entry an identical draft with a new id, and a draft no published entry', async () => {
    const [published, copy] = [await live(1), await draft('one')];
    expect(copy).to.deep.include({ documentId: published?.['documentId'], publishedAt: null, locale: 'en' });
    expect(copy?.['id']).to.equal(11);
    expect(published?.['publishedAt']).to.deep.equal(new Date(LIVE));
    expect(await live(2)).to.equal(undefined);
    expect(await rows('labels')).to.have.length(3);
  });

  it('keeps references in order in both versions, including those to a draft', async () => {
    const labels = await rows('labels');
    const [x, y] = labels.map((row) => row['documentId']);
    for (const row of [await live(1), await draft('one')]) {
      expect(row?.['labels']).to.deep.equal([y, x]);
      expect(row?.['_links']).to.deep.include({ labels: { order: [1, 2] } });
      expect(row?.['next']).to.equal((await draft('alone'))?.['documentId']);
    }
  });

  it('copies an item shared by two rows, with its references', async () => {
    const [, y] = (await rows('labels')).map((row) => row['documentId']);
    const items = (await live(1))?.['parts'] as Record<string, unknown>[];
    const parts = (await draft('deux'))?.['parts'];
    const [shared] = Array.isArray(parts) ? (parts as Record<string, unknown>[]) : [];
    expect(items.map(({ id, name }) => [id, name])).to.deep.equal([
      [7, 'first'],
      [3, 'second'],
    ]);
    expect([items[0]?.['label'], shared?.['label']]).to.deep.equal([y, y]);
    expect(shared?.['id']).to.be.greaterThan(7);
  });

  it('keeps every value: integers beyond 64 bits, unusual keys, values missing from an enumeration', async () => {
    const row = await live(1);
    expect(String(row?.['big'])).to.equal('9223372036854776000');
    expect(row?.['more']).to.deep.equal({ 'a.b': 1, $set: 2, '': 3, constructor: 4 });
    expect([row?.['kind'], row?.['at']]).to.deep.equal(['column', '11:30:00.000']);
    expect(row?.['_strapi']).to.deep.equal({ gone: 'of an attribute that was removed' });
  });

  it('reports and counts each omission', async () => {
    const left = report.problems.filter(({ kept }) => !kept).map(({ what, at }) => `${what} ${at}`);
    expect(left).to.have.members([
      'entry api::removed.removed 1',
      `link ${PAGE} 3 next → ${PAGE} 9999`,
      `link box.part 99 label → ${LABEL} 2`,
      `link api::removed.removed 1 label → ${LABEL} 2`,
    ]);
    expect(report.links).to.deep.equal({ read: 9, written: 6, leftOut: 3 });
    expect(report.entries['api::removed.removed']).to.deep.equal({ read: 1, written: 0, leftOut: 1 });
  });

  it('keeps a unique value that another entry has beside the entry', async () => {
    const third = (await rows('labels'))[2];
    const at = `${LABEL} ${String(third?.['documentId'])} name`;
    expect(report.problems.filter((problem) => problem.at === at && problem.kept)).to.have.length(1);
    expect(third?.['name']).to.equal(null);
    expect(third?.['_strapi']).to.have.property('name');
  });

  it('keeps the locale of a reference to another locale', async () => {
    expect(report.problems.filter(({ what, kept }) => what === 'link' && kept)).to.deep.equal([]);
    const [first] = await rows('pages');
    expect(first?.['_links']).to.have.nested.property('next.locale').that.eqls(['fr']);
  });

  it('finds its earlier results when it is run again', async () => {
    const before = [await rows('pages'), await rows('pages.drafts'), await rows('labels')];
    await run();
    const strip = (all: Record<string, unknown>[][]) =>
      all.map((list) => list.map(({ _rev, parts, ...rest }) => rest));
    const afterwards = [await rows('pages'), await rows('pages.drafts'), await rows('labels')];
    expect(strip(afterwards)).to.deep.equal(strip(before));
  });

  it('finds everything when reading back: the value that had to be dropped is in the report', () => {
    expect(report.verified?.differences).to.eql([]);
  });
});
