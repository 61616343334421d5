import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import Koa from 'koa';
import type { App } from '../../src/http/context.js';
import { answerErrors } from '../../src/http/middleware/errors.js';
import { requestId } from '../../src/http/middleware/headers.js';
import { serveUploads } from '../../src/http/middleware/static-uploads.js';
import { listen, type RunningServer } from '../../src/http/server.js';
import { diskProvider } from '../../src/media/disk-provider.js';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

describe('http: serveUploads', () => {
  let folder: string;
  let server: RunningServer;

  /** Sends the path as it is: `fetch` would normalize it. */
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sent = request({ port: server.port, path, headers, method }, (answer) => {
        let body = '';
        answer.on('data', (part) => {
          body += part;
        });
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }));
      });
      sent.on('error', reject);
      sent.end();
    });

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-test-'));
    const uploads = join(folder, 'uploads');
    const provider = diskProvider(uploads);
    await writeFile(join(folder, 'secret.txt'), 'secret');
    await writeFile(join(folder, 'file'), '0123456789');
    for (const key of ['a.txt', 'ä b.txt', 'a.svg']) await provider.save(key, join(folder, 'file'));
    await writeFile(join(uploads, '.hidden'), 'x');
    const app: App = new Koa();
    app.use(requestId());
    app.use(answerErrors(() => undefined));
    app.use(serveUploads(provider, { maxAge: 60_000 }));
    server = await listen(app, { host: '127.0.0.1', port: 0 });
  });
  after(async () => {
    await server.drain(0);
    await rm(folder, { recursive: true, force: true });
  });

  it('sends a file with the headers that a cache needs', async () => {
    const { status, headers, body } = await get('/uploads/a.txt');
    expect([status, body]).to.deep.equal([200, '0123456789']);
    expect(headers).to.include({
      'accept-ranges': 'bytes',
      'cache-control': 'public, max-age=60',
      'content-length': '10',
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
    });
    expect(headers).not.to.have.any.keys('content-disposition');
    for (const conditional of [
      { 'If-None-Match': String(headers['etag']) },
      { 'If-Modified-Since': String(headers['last-modified']) },
    ])
      expect(await get('/uploads/a.txt', conditional)).to.include({ status: 304, body: '' });
  });

  it('answers HEAD with headers only', async () => {
    for (const range of [{}, { Range: 'bytes=2-4' }]) {
      const { status, headers, body } = await get('/uploads/a.txt', range, 'HEAD');
      expect([status, headers['content-length'], body]).to.deep.equal([200, '10', '']);
    }
  });

  it('sends ranges', async () => {
    const part = await get('/uploads/a.txt', { Range: 'bytes=2-4' });
    expect([part.status, part.body, part.headers['content-range']]).to.deep.equal([
      206,
      '234',
      'bytes 2-4/10',
    ]);
    const none = await get('/uploads/a.txt', { Range: 'bytes=10-' });
    expect([none.status, none.headers['content-range']]).to.deep.equal([416, 'bytes */10']);
    const older = await get('/uploads/a.txt', { Range: 'bytes=2-4', 'If-Range': 'W/"other"' });
    expect([older.status, older.body]).to.deep.equal([200, '0123456789']);
  });

  it('sends markup as a sandboxed download', async () => {
    const { headers } = await get('/uploads/a.svg');
    expect(headers['content-disposition']).to.equal('attachment');
    expect(headers['content-security-policy']).to.match(/sandbox$/);
  });

  it('decodes names', async () => {
    expect(await get(`/uploads/${encodeURIComponent('ä b.txt')}`)).to.include({ status: 200 });
  });

  for (const path of [
    '/uploads/',
    '/uploads/none.txt',
    '/uploads/../secret.txt',
    '/uploads/..%2fsecret.txt',
    '/uploads/..%5csecret.txt',
    '/uploads/%2e%2e%2fsecret.txt',
    '/uploads/.hidden',
    '/uploads/%00',
    '/uploads/%zz',
    `/uploads/${'x'.repeat(3000)}`,
    '/other/a.txt',
  ])
    it(`answers 404 to ${path.slice(0, 40)}`, async () => {
      expect(await get(path)).to.include({ status: 404 });
    });

  it('answers 404 to folders and passes other methods on', async () => {
    await symlink(folder, join(folder, 'uploads', 'loop'));
    expect(await get('/uploads/loop')).to.include({ status: 404 });
    expect(await get('/uploads/a.txt', {}, 'POST')).to.include({ status: 404 });
  });
});
