import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { until } from '../../packages/engine/test/support/until.js';
import { loadConfig } from '../../src/config/load.js';
import { openDatabase } from '../../src/database.js';
import { openStore } from '../../src/store/client.js';
import { removeRun, writeRun } from '../../src/store/leases/migrations.js';
import { compiled } from '../support/compiled.js';
import { freePort } from '../support/free-port.js';
import { mangrove } from '../support/run-command.js';
import { typeFile } from '../support/schemas.js';
import { linkMangrove, writeFiles } from '../support/write-files.js';

const text = { type: 'string' };
const schema = (attributes: Readonly<Record<string, object>>): string =>
  JSON.stringify(typeFile('note', attributes).content);
const code = (answer: string): string =>
  `import { defineProject } from 'mangrove';
   export default defineProject({ routes: [{ method: 'GET', path: '/hello', action: null, handler: () => ({ answer: '${answer}' }) }] });`;
const SCHEMA = 'content-types/note/schema.json';

/** `mangrove dev` in a project with one type, whose files a developer edits one after the other. */
describe('mangrove dev', function () {
  this.timeout(240_000);
  const name = `dev_${process.pid}_${Date.now().toString(36)}`;
  let root: string;
  let child: ChildProcess;
  let printed = '';
  let url = '';

  const get = async (path: string): Promise<{ status: number; body: Record<string, unknown> }> => {
    const response = await fetch(url + path);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  /** Waits for output that matches, and returns it. */
  const untilPrinted = async (pattern: RegExp): Promise<string> => {
    const over = (): boolean => child.exitCode !== null;
    await until(
      () => pattern.test(printed),
      () => `${printed}; not ${pattern}`,
      { over },
    );
    return printed;
  };
  /** Puts each file in its place in one step, so that no half of it is seen, however slow the machine; returns the output up to `pattern`. */
  const edit = async (files: Readonly<Record<string, string>>, pattern = /served again on port \d+/) => {
    printed = '';
    const unwatched = join(root, 'written');
    await writeFiles(unwatched, files);
    for (const path of Object.keys(files)) await rename(join(unwatched, path), join(root, path));
    return untilPrinted(pattern);
  };

  /** Runs an action while the database records a running migration. */
  const whileMigrating = async (work: () => Promise<unknown>): Promise<void> => {
    const { database: settings } = await loadConfig(root, process.env);
    const database = await openDatabase({ database: settings });
    const store = await openStore({ ...settings, uri: database.uri });
    await writeRun(store.db, {
      _id: '0000_other',
      state: 'running',
      step: 0,
      before: '{}',
      shape: '{}',
      startedAt: new Date(),
    });
    await work();
    await removeRun(store.db, '0000_other');
    await store.close();
    await database.close();
  };

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-dev-'));
    await writeFiles(root, {
      [SCHEMA]: schema({ title: text, size: text }),
      'config/database.json': { name },
      'config/roles.json': { public: ['find', 'create'].map((action) => `api::note.note.${action}`) },
      'config/api.js': "export default ({ env }) => ({ rest: { defaultLimit: env.int('LIMIT', 25) } });",
      'src/index.ts': code('one'),
      'package.json': { type: 'module' },
    });
    await linkMangrove(root);
    await mangrove('--root', root, 'types', '--out', 'content.d.ts');
    const port = await freePort();
    url = `http://127.0.0.1:${port}/api`;
    child = spawn(
      process.execPath,
      [compiled('src/cli/main.ts'), '--root', root, 'dev', '--port', String(port)],
      {
        env: { ...process.env, HOST: '127.0.0.1', LOG_LEVEL: 'warn' },
      },
    );
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (part: Buffer) => {
        printed += String(part);
      });
    await untilPrinted(/^Mangrove serves http/m);
  });
  after(async () => {
    if (child.exitCode === null) child.kill('SIGKILL');
    if (process.env['MONGODB_URI']) {
      const store = await openStore({ uri: process.env['MONGODB_URI'], name });
      await store.db.dropDatabase();
      await store.close();
    }
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  });

  it('serves and reports a new attribute, and updates the generated types', async () => {
    const made = await fetch(`${url}/notes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ data: { title: 'kept', size: '12' } }),
    });
    expect(made.status).to.equal(201);
    expect((await get('/notes?fields=subtitle')).status).to.equal(400);
    const output = await edit({ [SCHEMA]: schema({ title: text, size: text, subtitle: text }) });
    expect(output).to.include(`${SCHEMA} changed`).and.include('+ api::note.note.subtitle: string');
    expect(output).to.include('content.d.ts written');
    expect(await readFile(join(root, 'content.d.ts'), 'utf8')).to.match(/subtitle: string \| null/);
    const { status, body } = await get('/notes?fields=title,subtitle');
    expect(status).to.equal(200);
    expect(body['data']).to.have.length(1);
    expect((body['data'] as object[])[0]).to.include({ title: 'kept', subtitle: null });
  });

  it('reloads code and settings; reports added and removed routes', async () => {
    const output = await edit({
      '.env': 'LIMIT=7\n',
      'src/index.ts': code('two').replace('/hello', '/goodbye'),
    });
    expect((await get('/goodbye')).body).to.eql({ answer: 'two' });
    expect(output).to.match(
      /\+ GET \/api\/goodbye: open to everyone\n\s+- GET \/api\/hello: open to everyone/,
    );
    const { meta } = (await get('/notes')).body as { meta: { pagination: object } };
    expect(meta.pagination).to.include({ pageSize: 7 });
  });

  it('reports what is broken, keeps serving the previous state, and recovers once it is fixed', async () => {
    const output = await edit({ [SCHEMA]: '{ "kind": ' }, /stays up\. Waiting until files change/);
    expect(output).to.include(`${SCHEMA}: JSON that can be read`);
    expect((await get('/goodbye')).status).to.equal(200);
    const broken = code('three').replace('export default', 'throw new Error("oh");\nexport default');
    await edit(
      { [SCHEMA]: schema({ title: text, size: text, subtitle: text }), 'src/index.ts': broken },
      /src\/index\.ts: oh\nThe previous version stays up/,
    );
    expect((await get('/goodbye')).status).to.equal(200);
    const exits = code('three').replace('export default', 'process.exit(0);\nexport default');
    await edit({ 'src/index.ts': exits }, /exited before it was served\.\nThe previous version stays up/);
    expect((await get('/goodbye')).status).to.equal(200);
    await edit({ 'src/index.ts': code('three') });
    expect((await get('/hello')).body).to.eql({ answer: 'three' });
  });

  it('keeps a new version that is taking over when the next change is broken', async () => {
    const slow = code('four').replace(
      'routes: [',
      "routes: [{ method: 'GET', path: '/slow', action: null, handler: () => new Promise(() => {}) }, ",
    );
    await edit({ 'src/index.ts': slow });
    const held = get('/slow').catch(() => null);
    await wait(200);
    // The old version stops while its last request is still open, and the next change comes.
    const gone = (): Promise<boolean> =>
      get('/hello').then(
        () => false,
        () => true,
      );
    const changed = edit({ 'src/index.ts': code('five') }, /src\/index\.ts: oh\n/);
    await until(gone, () => printed);
    await writeFiles(root, { 'src/index.ts': `throw new Error("oh");\n${code('six')}` });
    expect(await changed).to.match(/src\/index\.ts: oh\nThe previous version stays up/);
    expect((await get('/hello')).body).to.eql({ answer: 'five' });
    await held;
    await edit({ 'src/index.ts': code('three') });
  });

  it('reports a change that stored content does not match, with the required step, and serves it after the migration', async () => {
    const output = await edit(
      { [SCHEMA]: schema({ headline: text, size: { type: 'integer' }, subtitle: text }) },
      /Waiting until the content is migrated/,
    );
    expect(output).to.include('~ api::note.note.size: string → integer');
    expect(output).to.include("{ renameAttribute: 'title', of: 'api::note.note', to: 'headline' }");
    expect((await get('/notes?fields=title')).status).to.equal(200);
    printed = '';
    expect((await mangrove('--root', root, 'migrate', 'create')).status).to.equal(0);
    await untilPrinted(/migrations\/\S+ changed[\s\S]*Waiting until the content is migrated/);
    // A run is recorded before it is complete: whoever checks meanwhile keeps waiting.
    do {
      printed = '';
      await wait(1000);
    } while (printed !== '');
    await whileMigrating(() => wait(700));
    expect(printed).to.equal('');
    const { status, stderr } = await mangrove('--root', root, 'migrate', 'up');
    expect(status, stderr).to.equal(0);
    await untilPrinted(/served again on port/);
    const { body } = await get('/notes?fields=headline,size');
    expect((body['data'] as object[])[0]).to.include({ headline: 'kept', size: 12 });
  });

  it('stops completely on Ctrl-C, with exit code 0', async () => {
    child.kill('SIGINT');
    expect(await once(child, 'exit')).to.eql([0, null]);
    expect(await fetch(`${url}/hello`).catch(() => 'gone')).to.equal('gone');
  });
});
