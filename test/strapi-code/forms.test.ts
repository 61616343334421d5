/** Forms that a project's code receives: what bounds them, and when their files are removed. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { until } from '../../packages/engine/test/support/until.js';
import { type Serving, startServing } from '../../src/serve/index.js';
import { typeFile } from '../support/schemas.js';
import { writeFiles } from '../support/write-files.js';
import { dropWhenDone, testDatabase } from './support.js';

const ENDLESS = `--x\r
Content-Disposition: form-data; name="files"; filename="a.txt"\r
Content-Type: text/plain\r
\r
`;

describe("files of a form in a Strapi project's code", function () {
  this.timeout(180_000);
  const { TMPDIR } = process.env;
  let root: string;
  let temporary: string;
  let serving: Serving;
  let url: string;

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-strapi-forms-'));
    temporary = join(root, 'temporary');
    await mkdir(temporary);
    process.env['TMPDIR'] = temporary;
    await writeFiles(root, {
      'src/api/note/content-types/note/schema.json': typeFile('note', { title: { type: 'string' } }).content,
      'src/api/note/routes/note.js': `module.exports = { routes: [
        { method: 'POST', path: '/form', handler: 'note.form', config: { auth: false } },
        { method: 'POST', path: '/closed', handler: 'note.form' },
      ] };`,
      'src/api/note/controllers/note.js': `module.exports = { async form(ctx) {
        const { filepath } = ctx.request.files.files;
        globalThis.formFiles.push([filepath, require('node:fs').existsSync(filepath)]);
        if (ctx.query.wait) await new Promise(() => {});
        if (ctx.query.fail) throw new TypeError('failed');
        return {};
      } };`,
      'config/middlewares.json': [
        ...['errors', 'security', 'cors', 'query'].map((name) => `strapi::${name}`),
        { name: 'strapi::body', config: { formidable: { maxFileSize: 1000 } } },
        ...['public', 'favicon'].map((name) => `strapi::${name}`),
      ],
    });
    serving = await startServing({ root, overrides: testDatabase() });
    url = `http://127.0.0.1:${serving.port}/api`;
  });
  beforeEach(() => Object.assign(globalThis, { formFiles: [] }));
  after(async () => {
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
    await dropWhenDone(serving);
    await rm(root, { recursive: true, force: true });
  });
  const received = (): readonly [path: string, existed: boolean][] => Object(globalThis).formFiles;
  const formOf = (bytes: number): FormData => {
    const form = new FormData();
    form.append('files', new Blob(['x'.repeat(bytes)]), 'a.txt');
    return form;
  };
  const send = async (path: string, bytes = 10, signal?: AbortSignal): Promise<number> =>
    (await fetch(url + path, { method: 'POST', body: formOf(bytes), signal: signal ?? null })).status;
  const nothingIsLeft = () =>
    until(
      async () => (await readdir(temporary)).length === 0,
      () => 'there are still files',
    );

  for (const [path, status] of [
    ['/form', 200],
    ['/form?fail=1', 500],
  ] as const)
    it(`are there while the code runs, and gone after the answer (${status})`, async () => {
      expect(await send(path)).to.equal(status);
      const [[file, existed] = ['', false]] = received();
      expect(existed).to.equal(true);
      await nothingIsLeft();
      expect(existsSync(file)).to.equal(false);
    });

  it('are gone when the client leaves code that never ends', async () => {
    const leaving = new AbortController();
    const answer = send('/form?wait=1', 10, leaving.signal).catch(String);
    await until(
      () => received().length > 0,
      () => 'the code does not run',
    );
    expect(await readdir(temporary)).to.have.length(1);
    leaving.abort();
    expect(await answer).to.include('AbortError');
    await nothingIsLeft();
  });

  it('are gone when the client leaves before it has sent them, and the code does not run', async () => {
    const sending = request(`${url}/form`, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
    });
    sending.on('error', () => undefined);
    sending.write(`${ENDLESS}some text`);
    await until(
      async () => (await readdir(temporary)).length === 1,
      () => 'nothing is received',
    );
    sending.destroy();
    await nothingIsLeft();
    expect(received()).to.eql([]);
  });

  it('beyond the limit are a 413, without a credential a 403; the code does not run', async () => {
    expect(await send('/form', 1001)).to.equal(413);
    expect(await send('/closed')).to.equal(403);
    expect(received()).to.eql([]);
    await nothingIsLeft();
  });
});
