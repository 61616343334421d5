import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { until } from '../../packages/engine/test/support/until.js';
import { openStore } from '../../src/store/client.js';
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
    const port = await freePort();
    url = `http://127.0.0.1:${port}/api`;
    child = spawn(
      process.execPath,
      [compiled('src/cli/main.ts'), '--root', root, 'dev', '--port', String(port), '--types', 'content.d.ts'],
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

  it('serves a new attribute, and updates the generated types', async () => {
    const made = await fetch(`${url}/notes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ data: { title: 'kept', size: '12' } }),
    });
    expect(made.status).to.equal(201);
    expect((await get('/notes?fields=subtitle')).status).to.equal(400);
    const output = await edit({ [SCHEMA]: schema({ title: text, size: text, subtitle: text }) });
    expect(output).to.include(`${SCHEMA} changed`).and.include('content.d.ts written');
    expect(await readFile(join(root, 'content.d.ts'), 'utf8')).to.match(/subtitle: string \| null/);
    const { status, body } = await get('/notes?fields=title,subtitle');
    expect(status).to.equal(200);
    expect(body['data']).to.have.length(1);
    expect((body['data'] as object[])[0]).to.include({ title: 'kept', subtitle: null });
  });

  it('reloads code and settings', async () => {
    await edit({ '.env': 'LIMIT=7\n', 'src/index.ts': code('two').replace('/hello', '/goodbye') });
    expect((await get('/goodbye')).body).to.eql({ answer: 'two' });
    const { meta } = (await get('/notes')).body as { meta: { pagination: object } };
    expect(meta.pagination).to.include({ pageSize: 7 });
  });

  it('reports what is broken, and serves again once it is fixed', async () => {
    const waits = 'Nothing is served\\. Waiting until files change';
    const output = await edit({ [SCHEMA]: '{ "kind": ' }, new RegExp(waits));
    expect(output).to.include(`${SCHEMA}: JSON that can be read`);
    const broken = code('three').replace('export default', 'throw new Error("oh");\nexport default');
    await edit(
      { [SCHEMA]: schema({ title: text, size: text, subtitle: text }), 'src/index.ts': broken },
      new RegExp(`src/index\\.ts: oh\\n${waits}`),
    );
    const exits = code('three').replace('export default', 'process.exit(0);\nexport default');
    await edit({ 'src/index.ts': exits }, new RegExp(waits));
    await edit({ 'src/index.ts': code('three') });
    expect((await get('/hello')).body).to.eql({ answer: 'three' });
  });

  it('reports the step that stored content needs, and serves it after the migration', async () => {
    const waits = /Nothing is served\. Waiting until files change/;
    const changed = schema({ headline: text, size: { type: 'integer' }, subtitle: text });
    expect(await edit({ [SCHEMA]: changed }, waits)).to.include(
      "{ renameAttribute: 'title', of: 'api::note.note', to: 'headline' }",
    );
    printed = '';
    expect((await mangrove('--root', root, 'migrate', 'create')).status).to.equal(0);
    await untilPrinted(/migrations\/\S+ changed[\s\S]*Waiting until files change/);
    const { status, stderr } = await mangrove('--root', root, 'migrate', 'up');
    expect(status, stderr).to.equal(0);
    await edit({ '.env': 'LIMIT=8\n' });
    const { body } = await get('/notes?fields=headline,size');
    expect((body['data'] as object[])[0]).to.include({ headline: 'kept', size: 12 });
  });

  it('stops completely on Ctrl-C, with exit code 0', async () => {
    child.kill('SIGINT');
    expect(await once(child, 'exit')).to.eql([0, null]);
    expect(await fetch(`${url}/hello`).catch(() => 'gone')).to.equal('gone');
  });
});
