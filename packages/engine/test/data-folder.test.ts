import { chmodSync, mkdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { type Document, MongoClient } from 'mongodb';
import { DataFolderError, startEngine } from '../src/index.js';
import { failure, removeFolder, temporaryFolder } from './support/engine.js';
import { endProcess, startProcess } from './support/processes.js';

const NOBODY = 65534;

/** Runs as a user to whom permissions apply, even if the tests run as root. */
async function withoutPrivileges<T>(run: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return run();
  process.seteuid?.(NOBODY);
  try {
    return await run();
  } finally {
    process.seteuid?.(0);
  }
}

describe('embedded engine: data folder', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => removeFolder(folder));

  const put = async (uri: string, document: Document): Promise<void> => {
    const client = await MongoClient.connect(uri);
    try {
      await client.db('d').collection('c').insertOne(document);
    } finally {
      await client.close();
    }
  };

  const all = async (uri: string): Promise<Document[]> => {
    const client = await MongoClient.connect(uri);
    const rows = await client.db('d').collection('c').find().sort({ _id: 1 }).toArray();
    await client.close();
    return rows;
  };

  it('keeps everything across a restart', async () => {
    const first = await startEngine({ dataDir: folder });
    await put(first.uri, { _id: 1 as never, a: 1 });
    await first.close();
    const second = await startEngine({ dataDir: folder });
    expect(await all(second.uri)).to.deep.equal([{ _id: 1, a: 1 }]);
    await second.close();
  });

  it('also runs in a separate thread, with the same errors', async function () {
    this.timeout(180_000);
    const engine = await startEngine({ dataDir: folder, thread: true });
    await put(engine.uri, { _id: 1 as never });
    expect(await all(engine.uri)).to.deep.equal([{ _id: 1 }]);
    const socketPath = decodeURIComponent(engine.uri.slice('mongodb://'.length, engine.uri.indexOf('/?')));
    expect(socketPath).to.equal(join(folder, 'engine.sock'));
    await engine.close();
    writeFileSync(join(folder, 'data', 'data.mdb'), 'not a database'.repeat(2000));
    const error = await failure(startEngine({ dataDir: folder, thread: true }));
    expect(error).to.be.instanceOf(DataFolderError);
    expect(error.message).to.match(/its data file is damaged/);
  });

  it('listens on a unix socket that only its owner can access', async () => {
    const engine = await startEngine({ dataDir: folder });
    expect(statSync(join(folder, 'engine.sock')).mode & 0o777).to.equal(0o600);
    await engine.close();
  });

  it('listens in a separate folder if the data folder is open to others or its path is long', async () => {
    const open = join(folder, 'open');
    const long = join(folder, 'a'.repeat(120));
    for (const path of [open, long]) mkdirSync(path, { mode: 0o700 });
    chmodSync(open, 0o755);
    for (const dataDir of [open, long]) {
      const engine = await startEngine({ dataDir });
      const socket = decodeURIComponent(engine.uri.replace(/^mongodb:\/\/([^/]+)\/.*$/, '$1'));
      expect(socket.length).to.be.below(100);
      expect(socket.startsWith(folder)).to.equal(false);
      expect(statSync(dirname(socket)).mode & 0o777).to.equal(0o700);
      await put(engine.uri, { _id: 1 as never });
      await engine.close();
    }
  });

  it('listens on a port of the loopback interface only', async () => {
    const engine = await startEngine({ dataDir: folder, port: 0 });
    expect(engine.uri).to.match(
      /^mongodb:\/\/mangrove:[\w-]{32}@127\.0\.0\.1:\d+\/\?directConnection=true&connectTimeoutMS=0&/,
    );
    await put(engine.uri, { _id: 1 as never });
    const bare = engine.uri.replace(/\/\/[^@]*@/, '//').replace(/&authMechanism.*/, '');
    expect((await failure(put(bare, { _id: 2 as never }))).code).to.equal(13);
    const wrong = engine.uri.replace(/:[\w-]{32}@/, ':guessed@');
    expect((await failure(put(wrong, { _id: 2 as never }))).code).to.equal(18);
    await engine.close();
    expect((await failure(startEngine({ dataDir: folder, host: '0.0.0.0', port: 0 }))).message).to.match(
      /loopback only/,
    );
  });

  it('reports a port in use clearly, and releases the folder', async () => {
    const engine = await startEngine({ dataDir: folder, port: 0 });
    const port = Number(new URL(engine.uri.replace('mongodb:', 'http:')).port);
    const other = temporaryFolder();
    expect((await failure(startEngine({ dataDir: other, port }))).message).to.match(/EADDRINUSE/);
    const again = await startEngine({ dataDir: other });
    expect(again.owned).to.equal(true);
    await again.close();
    await engine.close();
    removeFolder(other);
  });

  it('has one owner: a second process uses the first, and takes over when that is killed', async function () {
    this.timeout(180_000);
    const first = await startProcess(folder);
    const second = await startEngine({ dataDir: folder });
    expect({ uri: second.uri, owned: second.owned }).to.deep.equal({ uri: first.uri, owned: false });
    await put(second.uri, { _id: 1 as never });
    await second.close();
    expect((await all(first.uri ?? '')).length).to.equal(1);
    await endProcess(first.child, 'SIGKILL');
    const third = await startEngine({ dataDir: folder });
    expect(third.owned).to.equal(true);
    expect((await all(third.uri)).length).to.equal(1);
    await third.close();
  });

  it('has one owner when several processes start together', async function () {
    this.timeout(180_000);
    const started = await Promise.all([1, 2, 3].map(() => startProcess(folder)));
    expect(started.filter(({ owned }) => owned).length).to.equal(1);
    expect(new Set(started.map(({ uri }) => uri)).size).to.equal(1);
    await Promise.all(started.map(({ child }) => endProcess(child, 'SIGKILL')));
  });

  it('reports a damaged data file', async () => {
    const engine = await startEngine({ dataDir: folder });
    await put(engine.uri, { _id: 1 as never });
    await engine.close();
    writeFileSync(join(folder, 'data', 'data.mdb'), 'not a database, whatever it was before'.repeat(500));
    const error = await failure(startEngine({ dataDir: folder }));
    expect(error).to.be.instanceOf(DataFolderError);
    expect(error.message).to.match(/^The data folder .* cannot be used: its data file is damaged/);
  });

  it('reports a truncated data file', async () => {
    const engine = await startEngine({ dataDir: folder });
    await put(engine.uri, { _id: 1 as never });
    await engine.close();
    truncateSync(join(folder, 'data', 'data.mdb'), 5000);
    expect(await failure(startEngine({ dataDir: folder }))).to.be.instanceOf(DataFolderError);
  });

  it('reports missing permissions', async () => {
    const locked = join(folder, 'locked');
    mkdirSync(locked);
    chmodSync(folder, 0o755);
    chmodSync(locked, 0o500);
    const error = await withoutPrivileges(() => failure(startEngine({ dataDir: locked })));
    chmodSync(locked, 0o700);
    expect(error).to.be.instanceOf(DataFolderError);
    expect(error.message).to.match(/may not be read and written by this user/);
  });

  it('reports that it is a file', async () => {
    writeFileSync(join(folder, 'file'), 'x');
    const error = await failure(startEngine({ dataDir: join(folder, 'file') }));
    expect(error.message).to.match(/cannot be used: it is a file/);
    expect((await failure(startEngine({ dataDir: join(folder, 'file', 'below') }))).message).to.match(
      /a part of its path is a file/,
    );
  });

  it('needs no additional disk space for another owner', async () => {
    const sizes: number[] = [];
    for (let round = 0; round < 12; round++) {
      const engine = await startEngine({ dataDir: folder });
      await engine.close();
      sizes.push(statSync(join(folder, 'owner', 'data.mdb')).size);
    }
    expect(new Set(sizes).size, String(sizes)).to.equal(1);
  });

  it('rejects what does not fit on the disk, and nothing is damaged', async function () {
    this.timeout(180_000);
    const limited = await startProcess(folder, "trap '' XFSZ; ulimit -f 4000");
    const client = await MongoClient.connect(limited.uri ?? '', { retryWrites: false });
    const c = client.db('d').collection<Document>('c');
    const stored: number[] = [];
    let error: Error | undefined;
    for (let _id = 0; _id < 500 && error === undefined; _id++) {
      try {
        await c.insertOne({ _id: _id as never, text: 'x'.repeat(40_000) });
        stored.push(_id);
      } catch (thrown) {
        error = thrown as Error;
      }
    }
    expect(error?.message).to.match(/the disk is full or failing/);
    expect(await c.countDocuments()).to.equal(stored.length);
    expect(await c.findOne({ _id: 0 as never })).to.include({ _id: 0 });
    await client.close();
    await endProcess(limited.child, 'SIGKILL');
    const engine = await startEngine({ dataDir: folder });
    expect((await all(engine.uri)).map((row) => row['_id'])).to.deep.equal(stored);
    await put(engine.uri, { _id: -1 as never });
    const after = await MongoClient.connect(engine.uri);
    expect((await after.db('d').command({ validate: 'c' }))['valid']).to.equal(true);
    await after.close();
    await engine.close();
  });
});
