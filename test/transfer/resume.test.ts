/** A killed import resumes where it stopped; with mode replace, readers see the old content or the new. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { openStore } from '../../src/store/client.js';
import { ImportError } from '../../src/transfer/source/error.js';
import { openArchiveSource } from '../../src/transfer/strapi/source.js';
import { compiled } from '../support/compiled.js';
import { type TestStore, testStore } from '../support/engine.js';
import { has } from '../support/engines/lacks.js';
import { entity, importAll, link, siblings, targetIn, writeArchive } from '../support/transfer.js';
import { bodyOf, commandOf, startProxy } from '../support/wire-proxy.js';
import { LABEL, PAGE, resumeSchema } from './resume-schema.js';

const IMPORTER = compiled('test/transfer/importer.ts');
const LIVE = '2022-01-03T00:00:00.000Z';
const DOCUMENTS = 510;

/** Enough for several batches. */
const SOME = 210;

const pages = (titled: string, documents: number): object[] =>
  Array.from({ length: documents }, (_, n) => [
    entity(PAGE, 2 * n + 1, { title: `${titled} ${n}`, locale: 'en', publishedAt: n % 3 ? LIVE : null }),
    entity(PAGE, 2 * n + 2, { title: `${titled} ${n} fr`, locale: 'fr', publishedAt: LIVE }),
  ]).flat();

const archive = (titled: string, documents = DOCUMENTS) => ({
  entities: [...pages(titled, documents), entity(LABEL, 1, { name: 'a' }), entity(LABEL, 2, { name: 'b' })],
  links: Array.from({ length: documents }, (_, n) => [
    siblings(PAGE, 2 * n + 2, 2 * n + 1),
    link('manyToMany', [PAGE, 2 * n + 1, 1], 'labels', [LABEL, (n % 2) + 1, n + 1], 'pages'),
    link('manyToMany', [PAGE, 2 * n + 1, 2], 'labels', [LABEL, 9999], 'pages'),
  ]).flat(),
});

describe('an import', function () {
  this.timeout(180_000);
  let folder: string;
  let whole: TestStore;
  const names = ['pages', 'pages.drafts', 'labels'];
  const contentOf = async ({ store }: TestStore) => {
    const lists: unknown[] = [];
    for (const name of names) {
      const found = await store.db.collection(name).find({}).sort({ id: 1 }).toArray();
      lists.push(found.map(({ _id, _rev, ...rest }) => rest));
    }
    return lists;
  };
  const source = (titled = 'page') => openArchiveSource(join(folder, titled), null);

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-resume-'));
    for (const titled of ['page', 'other']) await writeArchive(join(folder, titled), archive(titled));
    await writeArchive(join(folder, 'some'), archive('some', SOME));
    await writeArchive(join(folder, 'few'), { entities: pages('few', 4) });
    whole = await testStore();
    await importAll(await source(), targetIn(whole.store, resumeSchema, folder));
  });
  after(async () => {
    await whole?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs the importer until it has saved this step, and kills it there. */
  async function killAt(opened: TestStore, step: string): Promise<void> {
    const args = [IMPORTER, opened.uri, opened.name, join(folder, 'page'), folder, step];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = new Promise((resolve) => child.on('exit', resolve));
    child.stdout.once('data', () => child.kill('SIGKILL'));
    await exited;
    expect(child.signalCode, `killed at ${step}`).to.equal('SIGKILL');
  }

  for (const step of ['stage 1000', 'assign 1000', 'write 0', 'write 600', 'check 0'])
    it(`that was killed at ${step} resumes, and has the same result as an uninterrupted one`, async () => {
      const opened = await testStore();
      try {
        await killAt(opened, step);
        const target = targetIn(opened.store, resumeSchema, folder);
        if (step === 'write 600') {
          const refused = await importAll(await source('other'), target).catch((error: unknown) => error);
          expect(refused, 'of another source, until then').to.be.instanceOf(ImportError);
        }
        const from: string[] = [];
        const report = await importAll(await source(), target, {
          verify: true,
          onResume: ({ phase, at }) => from.push(`${phase} ${at}`),
        });
        expect(from).to.eql([step]);
        expect(report.verified?.differences).to.deep.equal([]);
        expect(await contentOf(opened)).to.deep.equal(await contentOf(whole));
        expect(report.entries[PAGE]).to.deep.equal({
          read: 2 * DOCUMENTS,
          written: 2 * DOCUMENTS,
          leftOut: 0,
        });
        expect(report.links).to.deep.equal({ read: 2 * DOCUMENTS, written: DOCUMENTS, leftOut: DOCUMENTS });
        expect(report.problems).to.have.length(DOCUMENTS);
        const left = await opened.store.db.listCollections({}, { nameOnly: true }).toArray();
        expect(left.filter(({ name }) => /import|next/.test(name))).to.deep.equal([]);
      } finally {
        await opened.close();
      }
    });

  /** Imports an archive, as a process that is killed at its nth `command` on collections with this prefix. */
  async function killedAt(
    opened: TestStore,
    nth: number,
    command: string,
    prefix: string,
    titled: string,
  ): Promise<boolean> {
    let count = 0;
    const proxy = await startProxy(opened.uri, (message) => {
      if (commandOf(message) === command && String(bodyOf(message)[command]).startsWith(prefix)) count += 1;
      return count >= nth ? { ok: 0, code: 8000, errmsg: 'killed' } : 0;
    });
    const store = await openStore({ uri: proxy.uri, name: opened.name });
    const target = targetIn(store, resumeSchema, folder);
    await importAll(await source(titled), target, { verify: true }).catch(() => undefined);
    await store.close();
    await proxy.close();
    return count >= nth;
  }

  it('gives no number twice, wherever within a batch it was killed', async () => {
    const opened = await testStore();
    try {
      const target = targetIn(opened.store, resumeSchema, folder);
      const ids = async (): Promise<unknown[]> => {
        const found = ['pages', 'pages.drafts'].map((name) =>
          opened.store.db.collection(name).find().toArray(),
        );
        return (await Promise.all(found)).flat().map(({ id }) => id);
      };
      let kills = 0;
      for (let nth = 2; nth < 7; nth += 1) {
        for (const name of names) await opened.store.db.collection(name).deleteMany({});
        await importAll(await source('few'), target);
        if (await killedAt(opened, nth, 'insert', 'pages', 'some')) kills += 1;
        await importAll(await source('some'), target);
        const all = await ids();
        expect(new Set(all).size, `insert ${nth}`).to.equal(all.length);
      }
      expect(kills).to.be.above(2);
    } finally {
      await opened.close();
    }
  });

  it('that was killed when it removed its working data does not compare with what is left of it', async () => {
    const opened = await testStore();
    try {
      let kills = 0;
      while (await killedAt(opened, kills + 1, 'drop', 'mangrove.import.', 'few')) {
        const target = targetIn(opened.store, resumeSchema, folder);
        const { verified } = await importAll(await source('few'), target, { verify: true });
        expect(verified?.differences, `drop ${kills + 1}`).to.deep.equal([]);
        kills += 1;
      }
      expect(kills).to.be.above(2);
    } finally {
      await opened.close();
    }
  });

  it('stops at a full disk, and continues with the files from there; a name that cannot be stored is reported', async () => {
    const opened = await testStore();
    try {
      const uploads = Object.fromEntries(['a', 'b', 'c', '.hidden'].map((key) => [key, key]));
      await writeArchive(join(folder, 'files'), { ...archive('page', SOME), uploads });
      const target = targetIn(opened.store, resumeSchema, folder);
      const { provider } = target;
      let saves = 0;
      const save: typeof provider.save = async (key, path) => {
        saves += 1;
        if (saves === 3) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
        await provider.save(key, path);
      };
      const full = importAll(await source('files'), { ...target, provider: { ...provider, save } });
      expect(await full.catch(String)).to.include('ENOSPC');
      const report = await importAll(await source('files'), target);
      expect(report.files).to.include({ read: 4, written: 3 });
      const lost = report.problems.filter(({ what, kept }) => what === 'file' && !kept);
      expect(lost.map(({ at }) => at)).to.eql(['.hidden']);
    } finally {
      await opened.close();
    }
  });

  it('with mode replace shows every reader the old content or the new', async () => {
    const opened = await testStore();
    try {
      const target = targetIn(opened.store, resumeSchema, folder);
      await importAll(await source(), target);
      const seen = new Set<string>();
      let ended = false;
      const reading = (async () => {
        while (!ended) {
          const all = await opened.store.db
            .collection('pages')
            // In one command: a cursor that continues while its collection is replaced ends early on some servers.
            .find({}, { projection: { title: 1 }, batchSize: 10_000 })
            .toArray()
            .catch((error: { code?: unknown }) => {
              // A cursor that is open while its collection is replaced is killed (QueryPlanKilled): it shows neither.
              if (error.code === 175) return null;
              throw error;
            });
          await wait(10);
          if (all === null) continue;
          seen.add(`${new Set(all.map(({ title }) => String(title).split(' ')[0])).size} of ${all.length}`);
          for (const { title } of all.slice(0, 1)) seen.add(String(title).split(' ')[0] ?? '');
        }
      })();
      await importAll(await source('other'), target, { mode: 'replace', verify: true });
      ended = true;
      await reading;
      const live = (await contentOf(whole))[0] as unknown[];
      if (!has('a rename in one step')) seen.delete('0 of 0');
      expect([...seen].filter((text) => / of /.test(text))).to.deep.equal([`1 of ${live.length}`]);
      expect(await opened.store.db.collection('pages').countDocuments({ title: /^other/ })).to.equal(
        live.length,
      );
      expect(await opened.store.db.collection('pages.drafts').countDocuments({ title: /^page/ })).to.equal(0);
    } finally {
      await opened.close();
    }
  });
});
