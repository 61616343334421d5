/** References from and to entries without locales are imported in their own locale. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openArchiveSource } from '../../src/transfer/strapi/source.js';
import { type TestDocuments, testDocuments } from '../support/documents.js';
import { schemaOf, typeFile } from '../support/schemas.js';
import { entity, importAll, link, siblings, targetIn, writeArchive } from '../support/transfer.js';

const PAGE = 'api::page.page';
const LABEL = 'api::label.label';
const schema = schemaOf(
  typeFile(
    'page',
    {
      title: { type: 'string' },
      label: { type: 'relation', relation: 'manyToOne', target: LABEL, inversedBy: 'pages' },
    },
    { localized: true },
  ),
  typeFile('label', {
    name: { type: 'string' },
    pages: { type: 'relation', relation: 'oneToMany', target: PAGE, mappedBy: 'label' },
    best: { type: 'relation', relation: 'oneToOne', target: PAGE },
    about: { type: 'relation', relation: 'morphToMany' },
  }),
);
const about = (pos: number, ref: number): object => ({
  kind: 'relation.morph',
  relation: 'morphToMany',
  left: { type: LABEL, field: 'about', ref: 1 },
  right: { type: PAGE, ref, pos, field: null },
});

describe('import of references between types with and without locales', () => {
  let opened: TestDocuments;
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-locales-'));
    opened = await testDocuments(schema);
    const path = await writeArchive(join(folder, 'archive'), {
      entities: [
        entity(PAGE, 1, { title: 'one', locale: 'en' }),
        entity(PAGE, 2, { title: 'deux', locale: 'fr' }),
        entity(PAGE, 3, { title: 'trois', locale: 'fr' }),
        entity(LABEL, 1, { name: 'x' }),
      ],
      links: [
        siblings(PAGE, 1, 2),
        link('manyToOne', [PAGE, 1], 'label', [LABEL, 1, 3], 'pages'),
        link('manyToOne', [PAGE, 2], 'label', [LABEL, 1, 1], 'pages'),
        link('manyToOne', [PAGE, 3], 'label', [LABEL, 1, 2], 'pages'),
        link('oneToOne', [LABEL, 1], 'best', [PAGE, 2]),
        about(1, 3),
        about(2, 1),
        about(3, 2),
      ],
    });
    await importAll(await openArchiveSource(path, null), targetIn(opened.store, schema, folder));
  });
  after(async () => {
    await opened?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('preserves them, in order', async () => {
    const rows = await opened
      .documents(LABEL)
      .findMany({ populate: { pages: true, best: true, about: true } });
    const titles = (value: unknown) => (value as { title: string }[]).map(({ title }) => title);
    expect(titles(rows[0]?.['pages'])).to.deep.equal(['deux', 'trois', 'one']);
    expect(titles(rows[0]?.['about'])).to.deep.equal(['trois', 'one', 'deux']);
    expect(rows[0]?.['best']).to.include({ title: 'deux' });
  });
});
