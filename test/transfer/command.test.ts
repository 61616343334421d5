/** `mangrove import` as a command: what it refuses, what it asks consent for, what it says, and how it exits. */
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { importProgress } from '../../src/cli/import-progress.js';
import { runImport } from '../../src/cli/run-import.js';
import { takeLock } from '../../src/store/leases/lock.js';
import { importLock } from '../../src/store/transfer/staging.js';
import { FULL_SELECTION } from '../../src/transfer/source/selection.js';
import { openArchiveSource } from '../../src/transfer/strapi/source.js';
import { type TestStore, testStore } from '../support/engine.js';
import { mangrove } from '../support/run-command.js';
import { entity, writeArchive } from '../support/transfer.js';

const PAGE = 'api::page.page';
const schema = (collectionName: string): object => ({
  uid: PAGE,
  modelType: 'contentType',
  kind: 'collectionType',
  collectionName,
  info: { singularName: 'page', pluralName: 'pages', displayName: 'Page' },
  options: { draftAndPublish: false },
  attributes: { title: { type: 'string' } },
});

describe('mangrove import', function () {
  this.timeout(180_000);
  let opened: TestStore;
  let folder: string;
  let root: string;
  let archive: string;
  const given = process.env['MONGODB_URI'];

  beforeEach(async () => {
    opened = await testStore();
    folder = await mkdtemp(join(tmpdir(), 'mangrove-command-'));
    root = join(folder, 'root');
    await mkdir(root);
    archive = await writeArchive(join(folder, 'archive'), {
      schemas: [schema('pages')],
      entities: [entity(PAGE, 1, { documentId: 'page'.padEnd(24, 'a'), title: 'one' })],
    });
    const uri = new URL(opened.uri);
    uri.pathname = `/${opened.name}`;
    process.env['MONGODB_URI'] = String(uri);
  });
  afterEach(async () => {
    if (given === undefined) delete process.env['MONGODB_URI'];
    else process.env['MONGODB_URI'] = given;
    await opened?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const run = (...args: readonly string[]) => mangrove('--root', root, 'import', archive, ...args);
  const collections = async (): Promise<readonly string[]> =>
    (await opened.store.db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name).sort();

  for (const mode of ['merge', 'replace'])
    for (const dryRun of [[], ['--dry-run']])
      it(`--mode ${mode} ${dryRun.join('')} leaves a collection of another program alone without --yes`, async () => {
        await opened.store.db.collection('pages').insertOne({ theirs: true });
        const { status, stderr } = await run('--mode', mode, ...dryRun);
        expect(status).to.equal(1);
        expect(stderr).to.include(`would ${mode === 'replace' ? 'delete' : 'write into'} these: pages.`);
        expect(await collections()).to.eql(['pages']);
        expect(await opened.store.db.collection('pages').countDocuments({ theirs: true })).to.equal(1);
        expect(await readdir(root)).to.not.include('content-types');
      });

  it('creates nothing beside collections of other programs without --yes', async () => {
    await opened.store.db.collection('orders').insertOne({ theirs: true });
    const { status, stderr } = await run();
    expect(status).to.equal(1);
    expect(stderr).to.include('has collections of other programs').and.include('--yes');
    expect(await collections()).to.eql(['orders']);
    expect((await run('--yes')).status).to.equal(0);
    expect(await opened.store.db.collection('orders').countDocuments()).to.equal(1);
  });

  for (const dryRun of [[], ['--dry-run']])
    it(`fails if the project does not have a type, unless it is excluded ${dryRun.join('')}`, async () => {
      const gone = 'api::gone.gone';
      archive = await writeArchive(join(folder, 'archive'), {
        schemas: [schema('pages')],
        entities: [entity(PAGE, 1, { title: 'one' }), entity(gone, 1, {}), entity(gone, 2, {})],
      });
      const { status, stdout, stderr } = await run(...dryRun);
      expect(status).to.equal(1);
      expect(stdout).to.include('2 left out').and.include(`${gone} 1: there is no content type ${gone}`);
      expect(stderr + stdout).to.include('2 entries were left out');
      const more = dryRun.length > 0 ? dryRun : ['--mode', 'replace'];
      expect((await run('--exclude-content-types', gone, ...more)).status).to.equal(0);
    });

  it('replaces its own content without being asked twice', async () => {
    expect((await run()).status).to.equal(0);
    expect((await run('--mode', 'replace')).status).to.equal(0);
    expect(await opened.store.db.collection('pages').countDocuments()).to.equal(1);
  });

  it('refuses in a dry run what it would refuse', async () => {
    expect((await run()).status).to.equal(0);
    const messages: string[] = [];
    for (const options of [[], ['--dry-run']]) {
      const { status, stderr } = await run(...options);
      expect(status, stderr).to.equal(1);
      messages.push(stderr);
    }
    expect(messages[0]).to.include('There is already content in pages');
    expect(messages[1]).to.equal(messages[0]);
  });

  it('refuses in a dry run to overwrite schema files', async () => {
    const schemas = join(folder, 'schemas');
    await mkdir(join(schemas, 'content-types', 'page'), { recursive: true });
    await writeFile(join(schemas, 'content-types', 'page', 'schema.json'), '{}');
    for (const options of [[], ['--dry-run']]) {
      const { status, stderr } = await run('--schemas', schemas, ...options);
      expect(status).to.equal(1);
      expect(stderr).to.match(/schema\.json already exists, and schema files are not overwritten/);
    }
  });

  it('writes no schema files if the source turns out to be damaged', async () => {
    await mkdir(join(archive, 'links'), { recursive: true });
    const path = join(folder, 'cut.tar');
    await writeFile(path, Buffer.alloc(512, 'ustar'));
    archive = path;
    expect((await run()).status).to.equal(1);
    expect(await readdir(root)).to.not.include('content-types');
  });

  it('is refused beside another one, and says whose that is', async () => {
    const lock = await takeLock(importLock(opened.store.db));
    try {
      for (const options of [[], ['--restart'], ['--dry-run']]) {
        const { status, stderr } = await run(...options);
        expect(status).to.equal(1);
        expect(stderr).to.include(
          `Another import into this database is running, in process ${process.pid} on`,
        );
      }
      expect(await readdir(root)).to.not.include('content-types');
    } finally {
      await lock?.release();
    }
    expect((await run()).status).to.equal(0);
    expect(await opened.store.db.collection('pages').countDocuments()).to.equal(1);
  });

  it('says what happens, of how much, and what to do next', async () => {
    const dry = await run('--dry-run');
    expect(dry.stderr).to.include('Next: repeat the command without --dry-run, and with --verify');
    expect(dry.stderr).to.not.match(/storing|switching|finishing|creating|reading back|: 0/);
    const { stderr } = await run('--verify');
    expect(stderr).to.include('writing entries: 1 of 1 (100 %)').and.include('reading back: 1 of 1 (100 %)');
    expect(stderr).to.not.match(/pairing|switching|checking|: 0/);
    expect(stderr).to.match(/Next: "npx mangrove --root .* token create website"/);
  });

  it('exits with 1 if something is missing when it is read back', async () => {
    const source = await openArchiveSource(archive, null);
    const { raw } = source;
    if (raw.kind !== 'archive') throw new Error('an archive is one');
    const damaged = {
      ...source,
      raw: {
        ...raw,
        async *members() {
          await opened.store.db.collection('pages').updateMany({}, { $set: { title: 'two' } });
          yield* raw.members();
        },
      },
    };
    const options = { root, mode: null, selection: FULL_SELECTION, schemas: null, yes: false };
    const outcome = await runImport(damaged, { ...options, dryRun: false, verify: true, restart: false });
    expect(outcome.failed).to.equal(true);
    expect(outcome.text).to.include(`${PAGE} 1 in pages title: "one" is stored as "two"`);
    expect(outcome.next).to.match(/^Next: look at what differs/);
  });
});

describe('the progress of an import', () => {
  it('has totals and the time left, at most once a second, and every last line', () => {
    const lines: string[] = [];
    let now = 0;
    const report = importProgress(
      (line) => lines.push(line),
      () => now,
    );
    report({ phase: 'write', at: 0, total: 1000, share: 0 });
    for (let at = 100; at <= 1000; at += 100) {
      now += 500;
      report({ phase: 'write', at, total: 1000, share: at / 1000 });
    }
    report({ phase: 'check', at: 0, total: 0, share: null });
    report({ phase: 'files', at: 0, total: null, share: null });
    report({ phase: 'files', at: 1, total: null, share: 1 });
    report({ phase: 'finish', at: 0, total: null, share: null });
    report({ phase: 'switch', at: 0, total: 0, share: null });
    expect(lines).to.eql([
      'writing entries: 100 of 1000 (10 %)',
      'writing entries: 300 of 1000 (30 %)',
      'writing entries: 500 of 1000 (50 %), about 3 s left',
      'writing entries: 700 of 1000 (70 %), about 2 s left',
      'writing entries: 900 of 1000 (90 %)',
      'writing entries: 1000 of 1000 (100 %)',
      'storing files: 1',
      'finishing',
    ]);
  });
});
