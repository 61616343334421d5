import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ignoreCode } from '../../src/code/ignore.js';
import { readProjectCode } from '../../src/code/read.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { writeFiles } from '../support/write-files.js';

const router = (uid: string, options = ''): string =>
  `module.exports = require('@strapi/strapi').factories.createCoreRouter('${uid}'${options});`;

/** Code next to the content types of the conformance fixture. */
const FILES: Readonly<Record<string, string>> = {
  'src/api/category/routes/category.js': router('api::category.category', ", { only: ['find'] }"),
  'src/api/memo/routes/memo.js': router(
    'api::memo.memo',
    ", { config: { find: { auth: false }, create: { policies: ['global::never'] } } }",
  ),
  'src/api/memo/routes/more.js':
    "module.exports = { routes: [{ method: 'GET', path: '/memos/best', handler: 'memo.best' }] };",
  'src/api/chef/routes/chef.js': router('api::chef.chef'),
  'src/api/chef/routes/01-own.js':
    "module.exports = { routes: [{ method: 'ALL', path: '/chefs/:id?', handler: 'chef.own' }] };",
  'src/api/person/routes/person.js': router('api::person.person'),
  'src/api/person/routes/01-own.js': `module.exports = { prefix: '/v2', routes: [
    { method: 'ALL', path: '/people/:name', handler: 'person.byName', config: { prefix: '' } }] };`,
  'src/api/article/routes/article.js': 'module.exports = { routes: make() };',
};

describe('a project with code', () => {
  let server: TestServer;
  let root: string;
  const serve = async (ignored: readonly string[] = []): Promise<void> => {
    server = await startTestServer(
      {},
      { code: async ({ schema }) => ignoreCode(await readProjectCode(root, schema), ignored) },
    );
  };
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-served-'));
    await writeFiles(root, FILES);
  });
  after(() => rm(root, { recursive: true }));
  afterEach(() => server.close());

  const ask = async (method: string, path: string, token = ''): Promise<string> => {
    const response = await fetch(`${server.url}/api${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      ...(/GET|HEAD/.test(method) ? {} : { body: '{"data":{"title":"x"}}' }),
    });
    const body = (await response.json().catch(() => ({}))) as { error?: { details?: { code?: string } } };
    return [response.status, body.error?.details?.code].filter(Boolean).join(' ');
  };
  const keyOf = async (): Promise<string> =>
    (await server.project.access.tokens.create({ name: 'all', type: 'full-access' })).key;

  it('has exactly the routes that its routers declare', async () => {
    await serve();
    const key = await keyOf();
    expect(await ask('GET', '/categories', key)).to.equal('200');
    expect(await ask('POST', '/categories', key)).to.equal('405');
    expect(await ask('GET', '/categories/x', key)).to.equal('404');
    expect(await ask('GET', '/memos')).to.equal('200');
    expect(await ask('GET', '/memos/best', key)).to.equal('403 code-not-run');
    expect(await ask('POST', '/memos', key)).to.equal('403 code-not-run');
    expect(await ask('POST', '/memos')).to.equal('403 code-not-run');
    expect(await ask('GET', '/memos/x')).to.equal('403');
  });

  it('closes routes shadowed by a custom route with a pattern, with any method or with a prefix', async () => {
    await serve();
    const key = await keyOf();
    for (const [method, path] of [
      ['GET', '/chefs'],
      ['GET', '/chefs/x'],
      ['POST', '/chefs'],
      ['GET', '/people/x'],
      ['DELETE', '/people/x'],
      ['GET', '/articles'],
      ['HEAD', '/articles'],
    ] as const)
      expect(`${path} ${await ask(method, path, key)}`).to.match(/ 403( code-not-run)?$/);
    expect(await ask('GET', '/people', key)).to.equal('200');
  });

  it('serves what the operator ignores to callers with the grant', async () => {
    await serve(['global::never']);
    expect(await ask('POST', '/memos')).to.equal('403');
    expect(await ask('POST', '/memos', await keyOf())).to.match(/^(201|400)$/);
    expect(await ask('GET', '/memos/best')).to.equal('403 code-not-run');
  });
});
