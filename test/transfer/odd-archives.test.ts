/**
 * Archives that are damaged, packed differently or not quite what Strapi exports: imported, reported, or refused in one
 * sentence.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ImportReport } from '../../src/transfer/import/report.js';
import { compareSchemas } from '../../src/transfer/schemas/compare.js';
import { modelOfFiles, planFiles, withoutMissing } from '../../src/transfer/schemas/plan.js';
import { ImportError } from '../../src/transfer/source/error.js';
import { openArchiveSource } from '../../src/transfer/strapi/source.js';
import { type TestStore, testStore } from '../support/engine.js';
import { schemaOf, typeFile } from '../support/schemas.js';
import {
  type ArchiveContent,
  entity,
  exportAll,
  importAll,
  targetIn,
  writeArchive,
} from '../support/transfer.js';

const PAGE = 'api::page.page';
const FILE = 'plugin::upload.file';
const schema = schemaOf(typeFile('page', { title: { type: 'string' } }));
const page = (id: number, data: object): object =>
  entity(PAGE, id, {
    documentId: `page${id}aaaaaaaaaaaaaaaaaaa`,
    publishedAt: '2022-01-02T00:00:00.000Z',
    ...data,
  });

describe('unusual archives', function () {
  this.timeout(180_000);
  let opened: TestStore;
  let folder: string;
  let number = 0;
  beforeEach(async () => {
    opened = await testStore();
    folder = await mkdtemp(join(tmpdir(), 'mangrove-odd-'));
  });
  afterEach(async () => {
    await opened?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const importFrom = async (path: string): Promise<ImportReport> =>
    importAll(await openArchiveSource(path, null), targetIn(opened.store, schema, folder));
  const imported = async (content: ArchiveContent, within = ''): Promise<ImportReport> => {
    number += 1;
    const path = join(folder, `archive-${number}`);
    await writeArchive(join(path, within), content);
    return importFrom(path);
  };
  const refusal = async (path: string): Promise<unknown> => {
    try {
      await importFrom(path);
      return null;
    } catch (error) {
      return error;
    }
  };

  it('are read with a folder around them', async () => {
    const report = await imported({ entities: [page(1, { title: 'one' })] }, 'backup');
    expect(report.entries[PAGE]).to.include({ read: 1, written: 1 });
  });

  it('are refused if they contain nothing that Strapi exports', async () => {
    await writeFile(join(folder, 'readme.txt'), 'nothing');
    const error = await refusal(folder);
    expect(error)
      .to.be.instanceOf(ImportError)
      .with.property('message')
      .that.includes('schemas, entities, links');
  });

  it('are refused in one sentence if they are truncated, wherever that is', async () => {
    await imported({ entities: [1, 2, 3].map((id) => page(id, { title: `${id} ${'x'.repeat(5000)}` })) });
    const path = join(folder, 'whole.tar.gz');
    await exportAll(targetIn(opened.store, schema, folder), path);
    const whole = await readFile(path);
    for (const part of [0.2, 0.5, 0.8, 0.99]) {
      const cut = join(folder, `cut-${part}.tar.gz`);
      await writeFile(cut, whole.subarray(0, Math.floor(whole.length * part)));
      const error = await refusal(cut);
      expect(error, String(part)).to.be.instanceOf(ImportError);
      expect(String((error as Error).message)).to.match(/^The archive is damaged/);
    }
  });

  it('are refused if a tar ends between two members', async () => {
    await imported({ entities: [1, 2].map((id) => page(id, { title: `${id}` })) });
    const path = join(folder, 'whole.tar');
    await exportAll(targetIn(opened.store, schema, folder), path, { gzip: false });
    const whole = await readFile(path);
    let members = 0;
    for (let at = 0; whole[at] !== 0; members += 1) {
      const size = Number.parseInt(whole.toString('latin1', at + 124, at + 135), 8);
      at += 512 + Math.ceil(size / 512) * 512;
      const cut = join(folder, `between-${at}.tar`);
      await writeFile(cut, whole.subarray(0, at));
      const error = await refusal(cut);
      expect(String(error)).to.equal(
        'ImportError: The archive is damaged (it ends before its end was written)',
      );
    }
    expect(members).to.be.greaterThan(2);
  });

  it('have lines that are nested too deeply reported, by member and line', async () => {
    const path = join(folder, 'deep');
    await writeArchive(path, { entities: [page(1, { title: 'one' })] });
    const nested = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const lines = [
      JSON.stringify(page(2, { title: 'two' })),
      JSON.stringify(page(3, { title: 'DEEP' })).replace('"DEEP"', nested),
    ];
    await writeFile(join(path, 'entities', 'entities_00002.jsonl'), lines.join('\n'));
    await mkdir(join(path, 'links'));
    await writeFile(join(path, 'links', 'links_00001.jsonl'), `{"left": ${nested}}`);
    const source = await openArchiveSource(path, null);
    const report = await importAll(source, targetIn(opened.store, schema, folder), { verify: true });
    expect(report.entries[PAGE]).to.include({ read: 2, written: 2 });
    expect(report.verified?.differences).to.eql([]);
    expect(report.others).to.have.property('damaged lines', 2);
    expect(report.problems.map(({ at, why }) => `${at} ${why}`)).to.include.members([
      'entities/entities_00002.jsonl, line 2 is nested more than 500 levels deep',
      'links/links_00001.jsonl, line 1 is nested more than 500 levels deep',
    ]);
  });

  it('have damaged lines reported, and the rest imported', async () => {
    const path = join(folder, 'broken');
    await writeArchive(path, { entities: [page(1, { title: 'one' })] });
    const lines = [
      '{"type": "api::pa',
      '[1]',
      'null',
      JSON.stringify({ id: 7, data: {} }),
      JSON.stringify({ type: PAGE, id: 8, data: 'text' }),
      JSON.stringify({ type: 'plugin::i18n.locale', id: 1, data: {} }),
      '',
      JSON.stringify(page(2, { title: 'two' })),
    ];
    await writeFile(join(path, 'entities', 'entities_00002.jsonl'), lines.join('\n'));
    await mkdir(join(path, 'configuration'), { recursive: true });
    await writeFile(join(path, 'configuration', 'configuration_00001.jsonl'), '{"type":"core-store"}\n"x"');
    const source = await openArchiveSource(path, null);
    const report = await importAll(source, targetIn(opened.store, schema, folder), { verify: true });
    expect(report.entries[PAGE]).to.include({ read: 2, written: 2 });
    expect(report.verified?.differences).to.eql([]);
    expect(report.others).to.have.property('damaged lines', 8);
    const messages = report.problems
      .filter(({ what }) => what === 'line')
      .map(({ at, why }) => `${at} ${why}`);
    expect(messages.sort()).to.eql(
      [
        'configuration/configuration_00001.jsonl, line 1 has no value',
        'configuration/configuration_00001.jsonl, line 2 is not a JSON object',
        'entities/entities_00002.jsonl, line 1 is not a JSON object',
        'entities/entities_00002.jsonl, line 2 is not a JSON object',
        'entities/entities_00002.jsonl, line 3 is not a JSON object',
        'entities/entities_00002.jsonl, line 4 has no id',
        'entities/entities_00002.jsonl, line 5 has no data',
        'entities/entities_00002.jsonl, line 6 is a locale without a code',
      ].map((text) => text.replace('line 4 has no id', 'line 4 has no type')),
    );
  });

  it('have invalid dates and files without a hash reported', async () => {
    const file = {
      documentId: 'fileaaaaaaaaaaaaaaaaaaaa',
      name: 'a',
      url: '/uploads/a',
      hash: null,
      formats: 'x',
    };
    const report = await imported({
      entities: [
        page(1, { createdAt: 'long ago' }),
        page(2, { updatedAt: { at: 1 } }),
        entity(FILE, 1, file),
      ],
    });
    const messages = report.problems.map(({ at, why }) => `${at}: ${why}`);
    expect(messages).to.include(`${PAGE} 1 createdAt: "long ago" is not a date and was replaced`);
    expect(messages).to.include(`${PAGE} 2 updatedAt: {"at":1} is not a date and was replaced`);
    expect(messages.filter((text) => /undefined|null/.test(text))).to.eql([]);
    expect(messages).to.include(`${FILE} ${file.documentId}: it has no hash, which files are named by`);
  });

  it('have locales that are not texts reported by the import itself, so that --verify has nothing to add', async () => {
    const path = join(folder, 'locales');
    const locales = [7, { code: 'en' }, [], null];
    await writeArchive(path, { entities: locales.map((locale, i) => page(i + 1, { locale })) });
    const source = await openArchiveSource(path, null);
    const report = await importAll(source, targetIn(opened.store, schema, folder), { verify: true });
    expect(report.problems.map(({ at, why }) => `${at}: ${why}`)).to.eql([
      `${PAGE} 1 locale: 7 is not a locale`,
      `${PAGE} 2 locale: {"code":"en"} is not a locale`,
      `${PAGE} 3 locale: [] is not a locale`,
    ]);
    expect(report.verified?.differences).to.eql([]);
  });

  it('have links whose end is no id reported', async () => {
    const end = (ref: unknown) => ({ type: PAGE, ref, field: 'title' });
    const links = [null, { a: 1 }, [1]].map((ref) => ({ left: end(1), right: end(ref) }));
    const report = await imported({ entities: [page(1, {})], links });
    expect(report.problems.map(({ why }) => why)).to.eql(['not a link', 'not a link', 'not a link']);
  });

  it('have references to missing models removed from their schemas, and reported', () => {
    const schemas = [
      {
        uid: PAGE,
        modelType: 'contentType' as const,
        content: {
          kind: 'collectionType',
          info: { singularName: 'page', pluralName: 'pages', displayName: 'Page' },
          attributes: {
            title: { type: 'string' },
            gone: { type: 'component', component: 'gone.gone' },
            zone: { type: 'dynamiczone', components: ['gone.gone', 'box.there'] },
            other: { type: 'relation', relation: 'oneToOne', target: 'api::gone.gone' },
          },
        },
      },
      {
        uid: 'box.there',
        modelType: 'component' as const,
        content: { info: { displayName: 'There' }, attributes: { text: { type: 'string' } } },
      },
    ];
    const files = planFiles(withoutMissing(schemas));
    const attributes = modelOfFiles(files).contentTypes.get(PAGE)?.attributes;
    expect([...(attributes?.keys() ?? [])])
      .to.include.members(['title', 'zone'])
      .and.not.include('gone');
    expect(compareSchemas(schemas, files).map(({ at }) => at)).to.eql([
      `${PAGE} gone`,
      `${PAGE} zone`,
      `${PAGE} other`,
    ]);
  });
});
