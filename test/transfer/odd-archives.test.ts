/**
 * Archives that are damaged, packed differently or not quite what Strapi exports: imported, reported, or refused in one
 * sentence.
 */
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { pack } from 'tar-stream';
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

  /** An archive with one more part of entities, written as it is. */
  const withPart = async (part: string | Buffer): Promise<string> => {
    number += 1;
    const path = join(folder, `part-${number}`);
    await writeArchive(path, { entities: [page(1, { title: 'one' })] });
    await writeFile(join(path, 'entities', 'entities_00002.jsonl'), part);
    return path;
  };
  const verified = async (path: string): Promise<ImportReport> =>
    importAll(await openArchiveSource(path, null), targetIn(opened.store, schema, folder), { verify: true });
  const stored = () => opened.store.db.collection('pages').find({}).sort({ id: 1 }).toArray();

  it('have lines that are not UTF-8 reported, whose bytes would be replaced', async () => {
    const line = Buffer.from(JSON.stringify(page(2, { title: 'caf@' })));
    line.writeUInt8(0xe9, line.indexOf('@'));
    const report = await verified(await withPart(line));
    expect(report.problems.map(({ at, why }) => `${at} ${why}`)).to.eql([
      'entities/entities_00002.jsonl, line 1 is not UTF-8',
    ]);
    expect((await stored()).map(({ title }) => title)).to.eql(['one']);
  });

  it('have types that are no uids reported, even those that every object has as a member', async () => {
    const types = ['__proto__', 'constructor', 'page'];
    const lines = types.map((type) => JSON.stringify({ type, id: 1, data: {} }));
    const report = await verified(await withPart(lines.join('\n')));
    expect(report.problems.map(({ why }) => why)).to.eql(types.map(() => 'has no type'));
    expect(Object.keys(report.entries)).to.eql([PAGE]);
    expect({}).not.to.have.property('read');
  });

  it('have fields kept that every object has as members', async () => {
    const more =
      '{"documentId":"aaaaaaaaaaaaaaaaaaaaaaaa","publishedAt":"2022-01-02","constructor":1,"toString":2}';
    const report = await verified(await withPart(`{"type":"${PAGE}","id":2,"data":${more}}`));
    expect(report.problems.map(({ at, kept }) => [at, kept])).to.eql([
      [`${PAGE} 2 constructor`, true],
      [`${PAGE} 2 toString`, true],
    ]);
    expect((await stored())[1]?.['_strapi']).to.eql({ constructor: 1, toString: 2 });
  });

  for (const [where, between] of [
    ['next to each other', 0],
    ['far apart', 300],
  ] as const)
    it(`have the second of two rows with one id left out, ${where}, also in a dry run`, async () => {
      const others = Array.from({ length: between }, (_, n) => page(n + 10, {}));
      const rows = [...others, page(1, { title: 'again', documentId: 'otheraaaaaaaaaaaaaaaaaaa' })];
      const path = await withPart(rows.map((row) => JSON.stringify(row)).join('\n'));
      for (const dryRun of [true, false]) {
        const source = await openArchiveSource(path, null);
        const report = await importAll(source, targetIn(opened.store, schema, folder), { dryRun });
        expect(report.entries[PAGE]).to.eql({ read: between + 2, written: between + 1, leftOut: 1 });
        expect(report.problems.map(({ what, at, why }) => `${what} ${at}: ${why}`)).to.eql([
          `entry ${PAGE} 1: it is in the source a second time: the first one is imported`,
        ]);
      }
      const [first] = await stored();
      expect(first).to.include({ id: 1, title: 'one' });
    });

  for (const draftAndPublish of [false, true])
    it(`keep a unique value that another entry has beside the entry, ${draftAndPublish ? 'whatever its draft has' : 'and what they lack is none'}`, async () => {
      const unique = { type: 'string', unique: true };
      const own = schemaOf(
        typeFile('page', { code: unique, slug: unique }, { options: { draftAndPublish } }),
      );
      const path = join(folder, 'unique');
      const draft = page(3, {
        documentId: 'page2aaaaaaaaaaaaaaaaaaa',
        code: 'b',
        publishedAt: null,
      });
      const rows = [page(1, { code: 'a' }), page(2, { code: 'a' })];
      await writeArchive(path, { entities: draftAndPublish ? [...rows, draft] : rows });
      const report = await importAll(
        await openArchiveSource(path, null),
        targetIn(opened.store, own, folder),
        { verify: true },
      );
      expect(report.problems.map(({ at, why }) => `${at}: ${why}`)).to.eql([
        `${PAGE} page2aaaaaaaaaaaaaaaaaaa code: a is unique and used by page1aaaaaaaaaaaaaaaaaaa: stored without it`,
      ]);
      expect(report.verified?.differences).to.eql([]);
      const [, second] = await opened.store.db.collection('pages').find().sort({ id: 1 }).toArray();
      expect(second).to.deep.include({ code: null, _strapi: { code: 'a' } });
    });

  it('have rows without a documentId that can be one imported under another', async () => {
    const lines = ['', 7].map((documentId, n) => JSON.stringify(page(n + 2, { documentId, title: 'x' })));
    const report = await verified(await withPart(lines.join('\n')));
    expect(report.entries[PAGE]).to.eql({ read: 3, written: 3, leftOut: 0 });
    expect(report.verified?.differences).to.eql([]);
    expect(report.problems.map(({ at, why }) => `${at}: ${why}`)).to.eql([
      `${PAGE} 2 documentId: "" is not a documentId and was replaced`,
      `${PAGE} 3 documentId: 7 is not a documentId and was replaced`,
    ]);
    for (const { documentId } of await stored()) expect(documentId).to.match(/^[a-z0-9]{24}$/);
  });

  it('have ids that are no whole numbers, or too large, replaced: the sequence continues', async () => {
    const ids = [1e20, -1, 0, 1.5, 2 ** 53, 'x'];
    const lines = ids.map((id, n) => JSON.stringify({ ...page(n + 10, {}), id }));
    const report = await verified(await withPart(lines.join('\n')));
    expect(report.entries[PAGE]).to.include({ written: 7, leftOut: 0 });
    expect(report.verified?.differences).to.eql([]);
    expect((await stored()).map(({ id }) => id)).to.eql([1, 2, 3, 4, 5, 6, 7]);
  });

  it('are refused if they have links instead of files, in a folder and in a tar', async () => {
    const path = await withPart('');
    await symlink(join(folder, 'elsewhere'), join(path, 'assets'));
    expect(String(await refusal(path))).to.equal(
      'ImportError: The archive has assets as a link: pack it again with the file itself',
    );
    const tar = pack();
    tar.entry({ name: 'entities/entities_00001.jsonl' }, `${JSON.stringify(page(2, {}))}\n`);
    tar.entry({ name: 'entities/entities_00002.jsonl', type: 'symlink', linkname: '/etc/passwd' });
    tar.finalize();
    await writeFile(join(folder, 'linked.tar'), await buffer(tar as unknown as Readable));
    expect(String(await refusal(join(folder, 'linked.tar')))).to.equal(
      'ImportError: The archive has entities/entities_00002.jsonl as a link: pack it again with the file itself',
    );
    expect(await stored()).to.eql([]);
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
