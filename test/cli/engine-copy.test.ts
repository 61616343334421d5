import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEngine } from '@mangrove/engine';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { compiled } from '../support/compiled.js';
import { mangrove } from '../support/run-command.js';
import { typeFile } from '../support/schemas.js';

const MAIN = compiled('src/cli/main.ts');
const DOCUMENTS = 12_000;

/** Starts an engine process; resolves with its first line of output. */
async function startAlone(args: readonly string[]): Promise<{ child: ChildProcess; line: string }> {
  const child = spawn(process.execPath, [MAIN, 'engine', ...args]);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, line: String(line).trim() };
}

describe('cli: engine and copy', function () {
  this.timeout(180_000);
  let root: string;
  /** The target: the deployment under test, otherwise the engine of the first test. The project uses its own engine. */
  const given = process.env['MONGODB_URI'];
  let uri = given ?? '';
  let engine: ChildProcess | undefined;
  const name = `copied_${process.pid}`;
  const copy = (...more: string[]) => mangrove('copy', '--root', root, '--to', uri, '--db', name, ...more);

  before(async () => {
    delete process.env['MONGODB_URI'];
    root = await mkdtemp(join(tmpdir(), 'mangrove-copy-'));
    await mkdir(join(root, 'content-types', 'note'), { recursive: true });
    const { content } = typeFile('note', { title: { type: 'string' } });
    await writeFile(join(root, 'content-types', 'note', 'schema.json'), JSON.stringify(content));
    const source = await startEngine({ dataDir: join(root, '.data', 'embedded') });
    const client = await MongoClient.connect(source.uri);
    const notes = client.db('mangrove').collection('notes');
    await notes.insertMany(Array.from({ length: DOCUMENTS }, (_, id) => ({ id, title: `Note ${id}` })));
    await notes.createIndex({ id: 1 }, { unique: true });
    await client.close();
    await source.close();
  });
  after(async () => {
    if (given !== undefined) {
      process.env['MONGODB_URI'] = given;
      const client = await MongoClient.connect(uri);
      await client.db(name).dropDatabase();
      await client.close();
    }
    engine?.kill('SIGKILL');
    await rm(root, { recursive: true });
  });

  it('engine serves a folder on a loopback port, and a second one on the same folder reports the first', async () => {
    const data = join(root, 'alone');
    const { child, line } = await startAlone(['--data', data, '--port', '0', '--json']);
    engine = child;
    const started = JSON.parse(line) as { uri: string; owned: boolean };
    expect(started.uri).to.match(/^mongodb:\/\/mangrove:[\w-]+@127\.0\.0\.1:\d+\//);
    expect(started.owned).to.equal(true);
    const second = await mangrove('engine', '--data', data);
    expect(second.status).to.equal(0);
    expect(second.stdout.trim()).to.equal(started.uri);
    expect(second.stderr).to.match(/Another process is already serving this folder/);
    if (uri === '') uri = started.uri;
  });

  it('engine serves on a socket that only its user can access, and exits with 0 on SIGTERM', async () => {
    const data = join(root, 'socket');
    const { child, line } = await startAlone(['--data', data]);
    expect(line).to.include(encodeURIComponent(join(data, 'engine.sock')));
    expect((await stat(join(data, 'engine.sock'))).mode & 0o777).to.equal(0o600);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).to.deep.equal([0, null]);
  });

  it('engine treats an invalid port as incorrect usage, and reports an unusable folder in one sentence', async () => {
    const usage = await mangrove('engine', '--data', root, '--port', '70000');
    expect(usage.status).to.equal(2);
    expect(usage.stderr).to.match(/an integer from 0 to 65535/);
    const file = join(root, 'content-types', 'note', 'schema.json');
    const refused = await mangrove('engine', '--data', file);
    expect(refused.status).to.equal(1);
    expect(refused.stderr.trim().split('\n')).to.have.length(1);
    expect(refused.stderr).to.match(/cannot be used: it is a file/);
  });

  it('copy --dry-run lists what exists and writes nothing', async () => {
    const { status, stdout } = await copy('--dry-run');
    expect(status).to.equal(0);
    expect(stdout)
      .to.match(/notes +12000 +1/)
      .and.include('Would copy 1 collection, 12000 documents');
    const planned = JSON.parse((await copy('--dry-run', '--json')).stdout) as { collections: object[] };
    expect(planned.collections).to.deep.equal([
      { name: 'notes', documents: DOCUMENTS, indexes: 1, occupied: false },
    ]);
  });

  it('copy copies every document and index, with progress on stderr; refuses a target that contains documents', async () => {
    const { status, stdout, stderr } = await copy();
    expect([status, stdout]).to.deep.equal([
      0,
      `Copied 1 collection, ${DOCUMENTS} documents, 1 index. Set MONGODB_URI to serve from there.\n`,
    ]);
    expect(stderr.trim().split('\n')).to.deep.equal(['notes: 10000 so far', 'notes: 12000 documents']);
    const client = await MongoClient.connect(uri);
    const notes = client.db(name).collection('notes');
    expect(await notes.countDocuments()).to.equal(DOCUMENTS);
    expect((await notes.indexes()).map((index) => [index.name, index.unique === true])).to.deep.include([
      'id_1',
      true,
    ]);
    await client.close();
    const again = await copy();
    expect(again.status).to.equal(1);
    expect(again.stderr).to.match(/already contains documents in notes; --overwrite replaces them/);
    expect((await copy('--overwrite')).status).to.equal(0);
  });

  it('copy treats a missing address as incorrect usage, and reports an unreachable one in one line', async () => {
    expect((await mangrove('copy', '--root', root)).status).to.equal(2);
    const nobody = 'mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=200';
    const { status, stderr } = await mangrove('copy', '--root', root, '--to', nobody);
    expect(status).to.equal(1);
    expect(stderr).to.match(/^The database does not respond/m);
    const help = await mangrove('copy', '--help');
    expect(help.status).to.equal(0);
    expect(help.stdout).to.include('--dry-run');
  });
});
