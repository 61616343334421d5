import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Serving, startServing } from '../../src/serve/index.js';
import { typeFile } from '../support/schemas.js';
import { linkMangrove, writeFiles } from '../support/write-files.js';

/** The example of docs/project.md, unchanged, served. */
describe('docs/project.md, and the welcome page', function () {
  this.timeout(180_000);
  let root: string;
  const running: Serving[] = [];
  const start = async (environment: string): Promise<Serving> => {
    const serving = await startServing({
      root,
      env: { NODE_ENV: environment },
      overrides: {
        database: {
          uri: process.env['MONGODB_URI'] || null,
          name: `project_${process.pid}_${environment}`,
          dataDir: join(root, `.data-${environment}`),
        },
        server: { port: 0, host: '127.0.0.1' },
        middlewares: { logger: { level: 'silent' } },
      },
    });
    running.push(serving);
    return serving;
  };
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-project-'));
    const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(await readFile('docs/project.md', 'utf8')) ?? [];
    const files: Readonly<Record<string, string>> = {
      'content-types/article/schema.json': JSON.stringify(
        typeFile('article', { title: { type: 'string' } }, { draftAndPublish: true }).content,
      ),
      'config/roles.json': JSON.stringify({
        public: ['find', 'delete', 'latest'].map((name) => `api::article.article.${name}`),
      }),
      'src/index.ts': code,
      'package.json': '{ "type": "module" }',
    };
    await writeFiles(root, files);
    await linkMangrove(root);
  });
  after(async () => {
    for (const { project, stop } of running) {
      await project.store.db.dropDatabase();
      await stop();
    }
    await rm(root, { recursive: true });
  });

  it('each part of the example does what it says', async () => {
    const { port, project } = await start('development');
    const url = `http://127.0.0.1:${port}/api/articles`;
    const made = await project
      .documents('api::article.article')
      .create({ data: { title: 'one' }, status: 'published' });
    const latest = await fetch(`${url}/latest`);
    expect(latest.status).to.equal(200);
    expect(latest.headers.get('x-served-by')).to.equal('articles');
    expect(((await latest.json()) as { data: { title: string }[] }).data[0]?.title).to.equal('one');
    const refused = await fetch(`${url}/${String(made['documentId'])}`, { method: 'DELETE' });
    expect(refused.status).to.equal(403);
    expect(await project.store.db.collection('mangrove.jobs').countDocuments()).to.equal(1);
  });

  it('/ lists which types are served to whom; in production there is no such page', async () => {
    const [development] = running;
    const page = await fetch(`http://127.0.0.1:${development?.port}/`);
    expect([page.status, page.headers.get('content-type')]).to.eql([200, 'text/html; charset=utf-8']);
    const text = await page.text();
    expect(text).to.include('<a href="/api/articles">/api/articles</a></td><td>public</td>');
    expect(text).to.include('npx mangrove token create me');
    const production = await start('production');
    expect((await fetch(`http://127.0.0.1:${production.port}/`)).status).to.equal(404);
  });
});
