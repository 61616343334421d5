/** What an archive contains besides its entries is imported or reported. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { FULL_SELECTION } from '../../src/transfer/source/selection.js';
import { openArchiveSource } from '../../src/transfer/strapi/source.js';
import { type TestStore, testStore } from '../support/engine.js';
import { componentFile, schemaOf, typeFile } from '../support/schemas.js';
import { type ArchiveContent, entity, importAll, link, targetIn, writeArchive } from '../support/transfer.js';

const PAGE = 'api::page.page';
const LABEL = 'api::label.label';
const FILE = 'plugin::upload.file';
const schema = schemaOf(
  typeFile('page', {
    title: { type: 'string' },
    label: { type: 'relation', relation: 'oneToOne', target: LABEL },
    photo: { type: 'media', multiple: false },
    zone: { type: 'dynamiczone', components: ['part.box'] },
  }),
  componentFile('part.box', { text: { type: 'string' } }),
  componentFile('part.other', { text: { type: 'string' } }),
  typeFile('label', { name: { type: 'string' } }),
);
const row = (uid: string, id: number, data: object) =>
  entity(uid, id, {
    documentId: `d${id}${uid.length}aaaaaaaaaaaaaaaaaaaa`,
    publishedAt: '2022-01-02T00:00:00.000Z',
    ...data,
  });

const ARCHIVE = {
  entities: [
    row(PAGE, 1, { title: 'one' }),
    row(LABEL, 1, { name: 'x' }),
    row(FILE, 1, {
      name: 'a.txt',
      hash: 'a',
      ext: '.txt',
      url: '/uploads/a.txt',
      mime: 'text/plain',
      size: 1,
      provider: 'local',
    }),
  ],
  links: [
    link('oneToOne', [PAGE, 1], 'label', [LABEL, 1]),
    {
      kind: 'relation.morph',
      relation: 'morphToMany',
      left: { type: FILE, field: 'related', ref: 1 },
      right: { type: PAGE, ref: 1, pos: 1 },
    },
    {
      kind: 'relation.basic',
      relation: 'oneToOne',
      left: { type: PAGE, ref: 1 },
      right: { type: LABEL, ref: 1 },
    },
  ],
  uploads: { 'a.txt': 'a', 'lost.txt': 'bytes without a file' },
};

describe('what an import cannot store', () => {
  let folder: string;
  let opened: TestStore;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-left-'));
    opened = await testStore();
  });
  afterEach(async () => {
    await opened.close();
    await rm(folder, { recursive: true, force: true });
  });
  const run = async (onlyTypes: readonly string[] | null, archive: ArchiveContent = ARCHIVE) => {
    const source = await openArchiveSource(await writeArchive(join(folder, 'archive'), archive), null);
    const report = await importAll(source, targetIn(opened.store, schema, folder), {
      selection: { ...FULL_SELECTION, onlyTypes },
    });
    return { report, messages: report.problems.map(({ at, why }) => `${at}: ${why}`) };
  };

  it('is reported: links without an attribute, bytes without a file', async () => {
    const { report, messages } = await run(null);
    expect(messages).to.have.members([
      `${FILE} 1 → ${PAGE} 1: it names no attribute`,
      `${PAGE} 1 → ${LABEL} 1: it names no attribute`,
      'lost.txt: no file in the media library has these bytes',
    ]);
    expect(report.links).to.eql({ read: 1, written: 1, leftOut: 0 });
  });

  it('is reported: a file without bytes, along with bytes without a file', async () => {
    const { messages } = await run(null, { ...ARCHIVE, uploads: { 'lost.txt': 'bytes without a file' } });
    const documentId = `d1${FILE.length}aaaaaaaaaaaaaaaaaaaa`;
    expect(messages).to.include.members([
      `${FILE} ${documentId}: a.txt has no bytes`,
      'lost.txt: no file in the media library has these bytes',
    ]);
  });

  it('is reported: items of a zone, by entry, position and component', async () => {
    const zone = [
      { __component: 'part.box', id: 4, text: 'fits' },
      { __component: 'part.other', id: 5, text: 'not in the zone' },
      { __component: 'part.gone', id: 6 },
      { text: 'of no component' },
    ];
    const { messages } = await run(null, { entities: [row(PAGE, 1, { zone })] });
    const which = 'zone[1] part.other 5, zone[2] part.gone 6, zone[3] {"text":"of no component"}';
    expect(messages).to.include(
      `${PAGE} 1 zone: 3 of 4 are not components of zone: ${which}, of document d1${PAGE.length}aaaaaaaaaaaaaaaaaaaa`,
    );
    expect(await opened.store.db.collection('pages').findOne({ id: 1 })).to.have.nested.property(
      '_strapi.zone[1].id',
      6,
    );
  });

  it('is reported: links to types that were not requested', async () => {
    const { report, messages } = await run([PAGE]);
    expect(messages).to.include(`${PAGE} 1 label → ${LABEL} 1: ${LABEL} was not selected`);
    expect(report.links).to.eql({ read: 1, written: 0, leftOut: 1 });
  });
});
