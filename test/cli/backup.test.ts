import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEngine } from '@mangrove/engine';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { until } from '../../packages/engine/test/support/until.js';
import { makeConfig } from '../../src/config/load.js';
import { providerOf } from '../../src/media/index.js';
import { startServing } from '../../src/serve/index.js';
import { openStore } from '../../src/store/client.js';
import { mangrove } from '../support/run-command.js';
import { typeFile } from '../support/schemas.js';

describe('cli: backup and restore, and copies of uploads', function () {
  this.timeout(180_000);
  let root: string;
  const given = process.env['MONGODB_URI'];
  const engine = () => startEngine({ dataDir: join(root, '.data', 'embedded') });
  const run = (...args: string[]) => mangrove('--root', root, ...args);

  before(async () => {
    delete process.env['MONGODB_URI'];
    root = await mkdtemp(join(tmpdir(), 'mangrove-backup-'));
    await mkdir(join(root, 'content-types', 'note'), { recursive: true });
    const { content } = typeFile('note', { title: { type: 'string' } });
    await writeFile(join(root, 'content-types', 'note', 'schema.json'), JSON.stringify(content));
    await mkdir(join(root, 'public', 'uploads'), { recursive: true });
    await writeFile(join(root, 'public', 'uploads', 'photo_1.png'), 'pixels');
  });
  after(async () => {
    if (given !== undefined) process.env['MONGODB_URI'] = given;
    await rm(root, { recursive: true });
  });

  it('backup during writes captures a single moment: of two documents, the second never without the first', async () => {
    const running = await engine();
    const client = await MongoClient.connect(running.uri);
    const notes = client.db('mangrove').collection<{ _id: number }>('notes');
    let writing = true;
    let last = 0;
    const written = (async () => {
      while (writing) await notes.insertOne({ _id: ++last });
    })();
    await until(
      async () => (await notes.countDocuments()) >= 20,
      () => `${last} notes`,
    );
    const { status, stderr } = await run('backup', join(root, 'first'));
    writing = false;
    await written;
    expect(status, stderr).to.equal(0);
    expect(await run('backup', join(root, 'first'))).to.include({ status: 1 });
    await notes.deleteMany({});
    await writeFile(join(root, 'public', 'uploads', 'photo_1.png'), 'other');
    await client.close();
    await running.close();

    expect((await run('restore', join(root, 'first'))).status).to.equal(0);
    const restored = await engine();
    const again = await MongoClient.connect(restored.uri);
    const ids = (await again.db('mangrove').collection('notes').find().sort({ _id: 1 }).toArray()).map(
      ({ _id }) => Number(_id),
    );
    await again.close();
    await restored.close();
    expect(ids.length).to.be.within(20, last);
    expect(ids).to.eql(ids.map((_, at) => at + 1));
    expect(await readFile(join(root, 'public', 'uploads', 'photo_1.png'), 'utf8')).to.equal('pixels');
    // The previous data is kept next to it.
    expect((await readdir(join(root, '.data'))).some((name) => name.startsWith('embedded.before-'))).to.equal(
      true,
    );
  });

  it('restore while a server runs: requests wait and then see the backup; a backup that cannot be served is refused', async () => {
    process.env['MANGROVE_DATA'] = join(root, 'served-data');
    await mkdir(join(root, 'config'), { recursive: true });
    await writeFile(
      join(root, 'config', 'roles.json'),
      JSON.stringify({ public: ['api::note.note.find', 'api::note.note.create'] }),
    );
    const serving = await startServing({
      root,
      restores: true,
      overrides: { server: { port: 0, host: '127.0.0.1' }, middlewares: { logger: { level: 'silent' } } },
    });
    const url = `http://127.0.0.1:${serving.port}/api/notes`;
    const post = async (title: string): Promise<number> => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ data: { title } }),
      });
      expect(response.status).to.equal(201);
      return ((await response.json()) as { data: { id: number } }).data.id;
    };
    const titles = async (): Promise<string[]> => {
      const response = await fetch(`${url}?sort=id&filters[title][$notNull]=true`);
      expect(response.status).to.equal(200);
      return ((await response.json()) as { data: { title: string }[] }).data.map(({ title }) => title);
    };
    const changesOf = async (uid: string): Promise<string[]> => {
      const joined = await startEngine({ dataDir: join(root, 'served-data', 'embedded') });
      const client = await MongoClient.connect(joined.uri);
      const events = await client.db('mangrove').collection('mangrove.outbox').find({ uid }).toArray();
      await client.close();
      await joined.close();
      return events.map(({ event }) => String(event));
    };
    try {
      const firstId = await post('before');
      expect((await run('backup', join(root, 'served'))).status).to.equal(0);
      await post('after');
      let asking = true;
      const seen: string[] = [];
      const requests = (async () => {
        while (asking) seen.push(String(await titles()));
      })();
      const { status, stderr } = await run('restore', join(root, 'served'));
      expect(status, stderr).to.equal(0);
      expect(await titles()).to.eql(['before']);
      asking = false;
      await requests;
      expect([...new Set(seen)]).to.eql(['before,after', 'before']);
      expect(await post('again')).to.be.above(firstId);
      expect(await titles()).to.eql(['before', 'again']);
      const changes = await changesOf('api::note.note');
      expect(changes, 'once').to.eql(['entry.create', 'entries.replace', 'entry.create']);

      await rm(join(root, 'served', 'embedded', 'data', 'data.mdb'));
      await writeFile(join(root, 'served', 'embedded', 'data', 'data.mdb'), 'nonsense'.repeat(2000));
      const refused = await run('restore', join(root, 'served'));
      expect(refused.status).to.equal(1);
      expect(refused.stderr).to.include('keeps the current data');
      expect(await titles()).to.eql(['before', 'again']);
    } finally {
      delete process.env['MANGROVE_DATA'];
      await serving.stop();
    }
  });

  it('restore refuses a folder that is not a complete backup', async () => {
    await mkdir(join(root, 'broken', 'embedded'), { recursive: true });
    expect(await run('restore', join(root, 'broken'))).to.include({ status: 1 });
  });

  it('backup of a MongoDB server says what to use instead', async () => {
    process.env['MONGODB_URI'] = 'mongodb://127.0.0.1:1/';
    const { status, stderr } = await run('backup', join(root, 'second'));
    delete process.env['MONGODB_URI'];
    expect(status).to.equal(1);
    expect(stderr).to.include('mongodump');
  });

  it('copy --uploads copies files on disk into the other database or a folder; without it, reports where they remain', async () => {
    const other = given === undefined ? await startEngine({ dataDir: join(root, 'other') }) : null;
    const uri = given ?? other?.uri ?? '';
    const name = `backup_${process.pid}`;
    const copy = (...more: string[]) => run('copy', '--to', uri, '--db', name, '--overwrite', ...more);
    expect((await copy()).stderr).to.include('1 uploads of 6 bytes stay in');
    expect((await copy('--uploads', 'gridfs', '--dry-run')).stderr).to.include('would be copied to gridfs');
    expect((await copy('--uploads', 'gridfs')).status).to.equal(0);
    const store = await openStore({ uri, name });
    const config = makeConfig(root, { plugins: { upload: { provider: 'gridfs' } } });
    expect((await providerOf({ config, store }).find('photo_1.png'))?.size).to.equal(6);
    await store.db.dropDatabase();
    await store.close();
    await copy('--uploads', join(root, 'elsewhere'));
    expect(await readdir(join(root, 'elsewhere'))).to.eql(['photo_1.png']);
    const last = await openStore({ uri, name });
    await last.db.dropDatabase();
    await last.close();
    await other?.close();
  });
});
