/** How the code of a project is loaded, and what happens if it cannot be. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { until } from '../../packages/engine/test/support/until.js';
import { runCheck } from '../../src/cli/run-check.js';
import { type Serving, startServing } from '../../src/serve/index.js';
import { compiled } from '../support/compiled.js';
import { typeFile } from '../support/schemas.js';
import { writeFiles } from '../support/write-files.js';
import { dropWhenDone, testDatabase } from './support.js';

const ROUTES = `import { factories } from '@strapi/strapi';
  export default factories.createCoreRouter('api::note.note', { config: { find: { auth: false } } });`;

describe('loading the code of a Strapi project', function () {
  this.timeout(180_000);
  let root: string;
  let serving: Serving | undefined;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-strapi-loading-'));
    await writeFiles(root, {
      'src/api/note/content-types/note/schema.json': typeFile('note', { title: { type: 'string' } }).content,
      'src/api/note/routes/note.ts': ROUTES,
    });
  });
  afterEach(async () => {
    await dropWhenDone(serving);
    serving = undefined;
    await rm(root, { recursive: true, force: true });
  });
  const start = async (files: Record<string, string | object>, ignore: readonly string[] = []) => {
    await writeFiles(root, files);
    serving = await startServing({ root, overrides: testDatabase({ code: { ignore: [...ignore] } }) });
    return `http://127.0.0.1:${serving.port}`;
  };

  it('TypeScript, ES modules and path aliases share their modules', async () => {
    const url = await start({
      'tsconfig.json': '{ "compilerOptions": { "paths": { "@lib/*": ["./src/lib/*"] } } }',
      'src/lib/counter.ts': 'export const counter: { value: number } = { value: 0 };',
      'src/index.ts': `import { counter } from '@lib/counter';
        export default { register() {}, bootstrap() { counter.value = 41; } };`,
      'src/api/note/controllers/note.ts': `import { factories } from '@strapi/strapi';
        import type { Core } from '@strapi/strapi';
        import { counter } from '@lib/counter';
        export default factories.createCoreController('api::note.note', ({ strapi }: { strapi: Core.Strapi }) => ({
          async find(ctx) { counter.value += 1; return { value: counter.value, own: await super.find(ctx) }; },
        }));`,
    });
    const body: object = JSON.parse(await (await fetch(`${url}/api/notes`)).text());
    expect(body).to.deep.include({ value: 42 });
    expect(body).to.have.nested.property('own.data').that.eqls([]);
  });

  it('files that end in tsx are code, too, also with JSX', async () => {
    const url = await start({
      'tsconfig.json': '{ "compilerOptions": { "jsx": "react-jsx" } }',
      'node_modules/react/package.json': '{ "name": "react" }',
      'node_modules/react/jsx-runtime.js':
        "exports.jsx = (type, { children }) => ['<', type, '>', children, '</', type, '>'].join(''); exports.jsxs = exports.jsx;",
      'src/emails/welcome.tsx': 'export const welcome = (name: string) => <p>{name}</p>;',
      'src/api/note/middlewares/stamp.tsx': `export default () => async (ctx: any, next: any) => {
        await next();
        ctx.body.stamp = 'stamped';
      };`,
      'src/api/note/controllers/note.ts': `import { welcome } from '../../../emails/welcome';
        export default { find(ctx) { ctx.body = { mail: <string>welcome('Ann') }; } };`,
      'src/api/note/routes/note.ts': `export default { routes: [{ method: 'GET', path: '/notes', handler: 'note.find',
        config: { auth: false, middlewares: ['api::note.stamp'] } }] };`,
    });
    expect(await (await fetch(`${url}/api/notes`)).json()).to.eql({ mail: '<p>Ann</p>', stamp: 'stamped' });
  });

  const INDEX = `{
    register({ strapi }) { globalThis.indexRan = ['register', typeof strapi.documents]; },
    bootstrap() { globalThis.indexRan.push('bootstrap'); },
    destroy() { globalThis.indexRan.push('destroy'); },
  }`;
  for (const [what, file, type, text] of [
    ['module.exports', 'index.js', 'commonjs', `module.exports = ${INDEX};`],
    ['export default', 'index.js', 'module', `export default ${INDEX};`],
    ['export default', 'index.js', 'commonjs', `export default ${INDEX};`],
    [
      'exports.default of a compiled module',
      'index.js',
      'commonjs',
      `'use strict';
      Object.defineProperty(exports, '__esModule', { value: true });
      exports.default = ${INDEX};`,
    ],
    ['module.exports', 'index.cjs', 'module', `module.exports = ${INDEX};`],
    ['export default', 'index.mjs', 'commonjs', `export default ${INDEX};`],
    [
      'export default',
      'index.ts',
      'commonjs',
      `import type { Core } from '@strapi/strapi';
      const app = ${INDEX.replace('{ strapi })', '{ strapi }: { strapi: Core.Strapi })')};
      export default app;`,
    ],
    ['export default', 'index.ts', 'module', `const app: object = ${INDEX}; export default app;`],
    ['export =', 'index.ts', 'commonjs', `const app: object = ${INDEX}; export = app;`],
  ] as const)
    it(`an object is the ${what} of src/${file} in a package of type ${type}`, async () => {
      Object.assign(globalThis, { indexRan: null });
      await start({ 'package.json': { type }, [`src/${file}`]: text });
      await serving?.stop();
      serving = undefined;
      expect(Object(globalThis).indexRan).to.eql(['register', 'function', 'bootstrap', 'destroy']);
    });

  it('CommonJS files and createRequire load TypeScript files, as their compiled form is JavaScript in Strapi', async () => {
    await writeFiles(root, {
      'src/lib/parts/one.ts': 'const one: number = 1; export default one;',
      'src/lib/two.ts': `import { factories } from '@strapi/strapi';
        export const two: string = typeof factories.createCoreRouter;`,
      'src/lib/parts.ts': `import { readdirSync } from 'node:fs';
        import { createRequire } from 'node:module';
        const load = createRequire(__filename);
        export const parts: unknown[] = readdirSync(__dirname + '/parts').map((name) => load(__dirname + '/parts/' + name).default);`,
      'src/api/note/controllers/note.js': `const { two } = require('../../../lib/two');
        const { parts } = require('../../../lib/parts.ts');
        if (two !== 'function' || parts[0] !== 1) throw new Error('other modules');
        module.exports = { find: () => ({ two, parts }) };`,
      'src/api/note/routes/note.ts': `import { factories } from '@strapi/strapi';
        export default factories.createCoreRouter('api::note.note', { only: ['find'] });`,
    });
    // In a process of its own: the one that runs the tests compiles TypeScript for everyone.
    const { NODE_OPTIONS: _, ...env } = process.env;
    const command = [compiled('src/cli/main.ts'), '--root', root, 'check', '--run'];
    const { status, stderr } = spawnSync(process.execPath, command, { env, encoding: 'utf8' });
    expect(status, stderr).to.equal(0);
  });

  it('check --run ends code that never finishes loading', async () => {
    await writeFiles(root, {
      'src/api/note/controllers/note.js':
        'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000); module.exports = {};',
    });
    const problems = await runCheck(root, { file: compiled('src/cli/check-process.ts'), maxMs: 500 });
    expect(problems).to.eql([{ file: '', because: 'the code was still loading after 0.5 seconds' }]);
  });

  it('check --run names the file that cannot be made', async () => {
    await writeFiles(root, { 'src/api/note/services/queue.js': 'module.exports = class Queue {};' });
    const [problem] = await runCheck(root, { file: compiled('src/cli/check-process.ts') });
    expect(problem?.because).to.match(/^src\/api\/note\/services\/queue\.js: Class constructor Queue/);
  });

  it('what the files of a project print does not mix with the data of a command', async () => {
    await writeFiles(root, { 'config/server.js': `console.log('read'); module.exports = {};` });
    const command = [compiled('src/cli/main.ts'), '--root', root, 'routes', 'list', '--json'];
    const { stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' });
    expect(JSON.parse(stdout)).to.be.an('array');
    expect(stderr).to.match(/^read$/m);
  });

  it('tasks of config/server and of cron.add run; server.use and middlewares by path wrap requests', async () => {
    const url = await start({
      'config/server.js': `module.exports = { cron: { enabled: true, tasks: {
        often: { task: ({ strapi }) => { globalThis.strapiRan = [...(globalThis.strapiRan ?? []), strapi.dirs.app.root]; }, options: { rule: '* * * * * *' } },
        over: { task: () => { globalThis.strapiOver = true; }, options: { rule: '* * * * * *', end: new Date(0) } },
      } } };`,
      'config/middlewares.json': [
        ...['errors', 'security', 'cors', 'query', 'body', 'public', 'favicon'].map(
          (name) => `strapi::${name}`,
        ),
        { resolve: './src/around.js', config: { text: 'by path' } },
        { resolve: 'src/name.js' },
      ],
      'src/name.js': `module.exports = () => async (ctx, next) => { await next(); ctx.set('x-name', ctx.params.name ?? ''); };`,
      'src/api/note/routes/own.js':
        "module.exports = { routes: [{ method: 'GET', path: '/files/file.:name', handler: (ctx) => ctx.send(ctx.params), config: { auth: false } }] };",
      'src/around.js': `module.exports = ({ text }) => async (ctx, next) => { await next(); ctx.set('x-around', text); };`,
      'src/index.js': `module.exports = { register({ strapi }) {
        strapi.server.use(async (ctx, next) => { await next(); ctx.set('x-used', '1'); });
        strapi.cron.add({ once: { task() { globalThis.strapiOnce = (globalThis.strapiOnce ?? 0) + 1; }, options: new Date(Date.now() + 8000) } });
        strapi.cron.add({ added: { task() { globalThis.strapiAdded = true; }, options: { rule: '* * * * * *' } } });
      } };`,
    });
    const { headers } = await fetch(`${url}/api/notes`);
    expect([headers.get('x-used'), headers.get('x-around')]).to.eql(['1', 'by path']);
    const file = await fetch(`${url}/api/files/file.mp3`);
    expect([file.headers.get('x-name'), await file.text()]).to.eql(['mp3', '{"name":"mp3"}']);
    await until(
      () => Object(globalThis).strapiAdded === true && Object(globalThis).strapiRan?.includes(root),
      () => 'the jobs did not run',
    );
    await until(
      () => Object(globalThis).strapiOnce === 1,
      () => 'the job that runs once did not run',
    );
    expect(Object(globalThis).strapiOver).to.equal(undefined);
  });

  it('server.use of register comes before config/middlewares, that of bootstrap after them', async () => {
    const url = await start({
      'src/index.js': `const seen = (name) => async (ctx, next) => {
        if (ctx.querystring === name) return ctx.send({ by: name }, 503);
        return next();
      };
      module.exports = {
        register({ strapi }) { strapi.server.use(seen('register')); },
        bootstrap({ strapi }) { strapi.server.use(seen('bootstrap')); },
      };`,
    });
    const post = async (query: string, body: string) => {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${url}/api/notes?${query}`, { method: 'POST', headers, body });
      return [answer.status, Object(await answer.json()).by];
    };
    expect(await post('register', '{bad')).to.eql([503, 'register']);
    expect(await post('bootstrap', '{bad')).to.eql([400, undefined]);
    expect(await post('bootstrap', '{}')).to.eql([503, 'bootstrap']);
  });

  it('a route that has asked in vain once is closed, whatever its code does then', async () => {
    const url = await start({
      'src/api/note/routes/a.js': `module.exports = { routes: [
        { method: 'GET', path: '/once', handler: 'note.once', config: { auth: false } },
      ] };`,
      'src/api/note/controllers/note.js':
        'module.exports = { once: (ctx) => (ctx.query.ask ? strapi.db.connection.raw : { fine: true }) };',
    });
    const statusOf = async (path: string) => (await fetch(`${url}/api${path}`)).status;
    expect([await statusOf('/once'), await statusOf('/once?ask=1'), await statusOf('/once')]).to.eql([
      200, 501, 501,
    ]);
  });

  for (const enabled of [true, false])
    it(`the tasks of config/server run if cron.enabled is true; it is ${enabled}`, async () => {
      await start({
        'config/server.js': `module.exports = { cron: { enabled: ${enabled}, tasks: {
          often: { task: () => {}, options: { rule: '* * * * * *' } },
        } } };`,
      });
      const jobs = serving?.project.code.running?.jobs() ?? {};
      expect(Object.keys(jobs)).to.eql(enabled ? ['often'] : []);
    });

  it('a policy without the name of its API is one of the route’s own', async () => {
    const url = await start({
      'src/policies/may.js': 'module.exports = () => true;',
      'src/policies/all.js': 'module.exports = () => true;',
      'src/api/note/policies/may.js': 'module.exports = () => false;',
      'src/api/note/controllers/note.js': 'module.exports = { read: () => 1 };',
      'src/api/note/routes/a.js': `module.exports = { routes: ['may', 'global::may', 'all'].map((policy, at) => (
        { method: 'GET', path: '/read/' + at, handler: 'note.read', config: { auth: false, policies: [policy] } })) };`,
    });
    const statuses = [0, 1, 2].map(async (at) => (await fetch(`${url}/api/read/${at}`)).status);
    expect(await Promise.all(statuses)).to.eql([403, 200, 403]);
  });

  it('global policies and middlewares have the names of their files; those of an API are in kebab case', async () => {
    const url = await start({
      'src/policies/isOpen.js': `module.exports = (ctx) => ctx.request.query.closed === undefined;`,
      'src/middlewares/addStamp.js': `module.exports = () => async (ctx, next) => { await next(); ctx.set('x-stamp', 'global'); };`,
      'src/api/note/middlewares/addMark.js': `module.exports = () => async (ctx, next) => { await next(); ctx.set('x-mark', 'api'); };`,
      'src/api/note/routes/note.ts': `import { factories } from '@strapi/strapi';
        export default factories.createCoreRouter('api::note.note', { config: { find: {
          auth: false, policies: ['global::isOpen'], middlewares: ['global::addStamp', 'api::note.add-mark'],
        } } });`,
    });
    const { status, headers } = await fetch(`${url}/api/notes`);
    expect([status, headers.get('x-stamp'), headers.get('x-mark')]).to.eql([200, 'global', 'api']);
    expect((await fetch(`${url}/api/notes?closed`)).status).to.equal(403);
  });

  it('JavaScript in a project in TypeScript runs only if its tsconfig.json allows it', async () => {
    const files = {
      'package.json': { dependencies: { '@strapi/strapi': '5.54.0' } },
      'tsconfig.json': '{ "compilerOptions": { "outDir": "dist" }, }',
      'src/index.js': `throw new Error('not compiled');`,
      'src/api/note/routes/more.js': `module.exports = { routes: [
        { method: 'GET', path: '/more', handler: () => ({ more: true }), config: { auth: false } },
      ] };`,
    };
    const statuses = async (url: string): Promise<readonly number[]> =>
      Promise.all(['notes', 'more'].map(async (path) => (await fetch(`${url}/api/${path}`)).status));
    expect(await statuses(await start(files))).to.eql([200, 404]);
    expect(serving?.project.code.events).to.deep.include({
      name: 'code-not-compiled',
      files: ['src/api/note/routes/more.js', 'src/index.js'],
    });
    await dropWhenDone(serving);
    const allowed = {
      'tsconfig.base.json': '{ "compilerOptions": { "allowJs": true } }',
      'tsconfig.json': '{ "extends": "./tsconfig.base" }',
      'src/index.js': 'module.exports = {};',
    };
    expect(await statuses(await start({ ...files, ...allowed }))).to.eql([200, 200]);
  });

  it('code may attach WebSockets to the HTTP server: other requests are answered, and a stop ends them', async () => {
    const url = await start({
      'src/index.js': `module.exports = { register({ strapi }) {
        const { httpServer } = strapi.server;
        httpServer.on('upgrade', (request, socket) => {
          socket.write('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: own\\r\\n\\r\\nhello');
        });
        // As Socket.IO does.
        const others = httpServer.listeners('request');
        httpServer.removeAllListeners('request');
        httpServer.on('request', (request, response) => {
          if (request.url === '/own') response.end('own');
          else for (const other of others) other.call(httpServer, request, response);
        });
      } };`,
    });
    expect(await (await fetch(`${url}/own`)).text()).to.equal('own');
    expect((await fetch(`${url}/api/notes`)).status).to.equal(200);
    const request = get(url, { headers: { connection: 'Upgrade', upgrade: 'own' } });
    const [, socket, head]: [IncomingMessage, Socket, Buffer] = (await once(request, 'upgrade')) as never;
    const [text] = head.length > 0 ? [head] : await once(socket, 'data');
    expect(String(text)).to.equal('hello');
    const closed = once(socket, 'close');
    await serving?.stop();
    await closed;
    serving = undefined;
  });

  it('code may trust a proxy, by strapi.server.app', async () => {
    const url = await start({
      'src/index.js': 'module.exports = { register({ strapi }) { strapi.server.app.proxy = true; } };',
      'src/api/note/controllers/note.js': 'module.exports = { find: (ctx) => ({ ip: ctx.ip }) };',
    });
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    expect(await (await fetch(`${url}/api/notes`, { headers })).json()).to.eql({ ip: '203.0.113.7' });
  });

  it('entityService.findPage pages through rows: drafts and published versions, or those of a status', async () => {
    const url = await start({
      'src/api/page/content-types/page/schema.json': Object(
        typeFile('page', { title: { type: 'string' } }, { draftAndPublish: true }).content,
      ),
      'src/api/note/controllers/note.js': `const pages = 'api::page.page';
        const titled = ({ results, pagination }) => ({ titles: results.map(({ title }) => title), pagination });
        module.exports = { async find() {
          for (const title of ['a', 'b']) await strapi.documents(pages).create({ data: { title }, status: 'published' });
          await strapi.documents(pages).create({ data: { title: 'c' } });
          const asked = { filters: { title: { $ne: 'a' } }, fields: ['title'], sort: 'title:desc' };
          return {
            rows: titled(await strapi.entityService.findPage(pages, { ...asked, page: 1, pageSize: 2 })),
            published: titled(await strapi.entityService.findPage(pages, { ...asked, status: 'published' })),
            drafts: titled(await strapi.entityService.findPage(pages, { ...asked, status: 'draft' })),
          };
        } };`,
    });
    expect(await (await fetch(`${url}/api/notes`)).json()).to.eql({
      rows: { titles: ['c', 'b'], pagination: { page: 1, pageSize: 2, pageCount: 2, total: 3 } },
      published: { titles: ['b'], pagination: { page: 1, pageSize: 10, pageCount: 1, total: 1 } },
      drafts: { titles: ['c', 'b'], pagination: { page: 1, pageSize: 10, pageCount: 1, total: 2 } },
    });
  });

  it('a route requires the grants that Strapi computes for it', async () => {
    const route = (path: string, handler: string, auth: string) =>
      `{ method: 'GET', path: '/${path}', handler: '${handler}', config: ${auth} }`;
    const url = await start({
      'config/roles.js': `module.exports = { public: ['api::note.note.find', 'shared'] };`,
      'src/api/other/routes/other.js': `module.exports = { routes: [
        ${route('borrowed', 'api::note.note.find', '{}')},
        ${route('borrowed-too', 'api::note.note.find', '{ auth: {} }')},
        ${route('borrowed-open', 'api::note.note.find', '{ auth: false }')},
      ] };`,
      'src/api/note/routes/note.ts': `export default { routes: [
        ${route('own', 'api::note.note.find', '{}')},
        ${route('short', 'note.find', '{ auth: { scope: [] } }')},
        ${route('one', 'note.findOne', "{ auth: { scope: 'shared' } }")},
        ${route('none', 'note.find', '{ auth: true }')},
      ] };`,
    });
    const paths = ['borrowed', 'borrowed-too', 'borrowed-open', 'own', 'short', 'one', 'none'];
    const statuses = await Promise.all(paths.map(async (path) => (await fetch(`${url}/api/${path}`)).status));
    expect(statuses).to.eql([403, 403, 200, 200, 200, 404, 401]);
  });

  it('a row whose id is not a number is none', async () => {
    const url = await start({
      'src/api/note/controllers/note.js': `module.exports = { async find() {
        const uid = 'api::note.note';
        const rows = strapi.db.query(uid);
        const { id, documentId } = await rows.create({ data: { title: 'a' } });
        const found = [];
        for (const none of [Number(documentId), documentId, '']) {
          const where = { id: none };
          found.push(await rows.findOne({ where }), await rows.update({ where, data: { title: 'b' } }), await rows.delete({ where }));
          found.push(await rows.count({ where }), await strapi.entityService.findOne(uid, none));
        }
        const ids = { where: { id: [documentId, String(id)] } };
        return [...found, await rows.count(ids), (await strapi.documents(uid).findMany({ populate: [] })).length];
      } };`,
    });
    const none = [null, null, null, 0, null];
    expect(await (await fetch(`${url}/api/notes`)).json()).to.eql([...none, ...none, ...none, 1, 1]);
  });

  it('an object is no message of an answer', async () => {
    const url = await start({
      'src/api/note/controllers/note.js': `module.exports = { find: (ctx) => ctx.badRequest({ error: 'x' }) };`,
    });
    expect(await (await fetch(`${url}/api/notes`)).json()).to.have.nested.property(
      'error.message',
      'Bad Request',
    );
  });

  it('an error as the message of an answer keeps its name, and its status if it has one', async () => {
    const url = await start({
      'src/api/note/controllers/note.js': `module.exports = { find(ctx) {
        const error = Object.assign(new TypeError('no'), ctx.query.own ? { status: 404 } : {});
        return ctx.badRequest(error, { a: 1 });
      } };`,
    });
    for (const [query, status] of [
      ['', 400],
      ['?own=1', 404],
    ] as const) {
      const answer = await fetch(`${url}/api/notes${query}`);
      const error = { status, name: 'TypeError', message: 'no', details: { a: 1 } };
      expect([answer.status, await answer.json()]).to.eql([status, { data: null, error }]);
    }
  });

  it('strapi.log writes the members of objects as fields, wherever they are', async () => {
    const lines: unknown[][] = [];
    const url = await start({
      'src/api/note/controllers/note.js': `module.exports = { find(ctx) {
        strapi.log.error('text', { a: 1 }, 'more');
        strapi.log.warn({ b: 2 }, 'text');
        strapi.log.info('list', [1, { c: 3 }], 4);
        strapi.log.debug(new TypeError('wrong').message);
        return {};
      } };`,
    });
    const { logger } = serving?.project.events ?? {};
    for (const level of ['debug', 'info', 'warn', 'error'] as const)
      Object.assign(Object(logger), { [level]: (...given: unknown[]) => lines.push([level, ...given]) });
    expect((await fetch(`${url}/api/notes`)).status).to.equal(200);
    expect(lines).to.eql([
      ['error', { a: 1 }, 'text more'],
      ['warn', { b: 2 }, 'text'],
      ['info', 'list [ 1, { c: 3 } ] 4'],
      ['debug', 'wrong'],
    ]);
  });

  it('a file that cannot be loaded closes what needs it', async () => {
    const url = await start({
      'src/api/note/controllers/note.ts': `import nothing from 'not-installed'; export default { find: nothing };`,
    });
    expect((await fetch(`${url}/api/notes`)).status).to.equal(403);
    expect((await fetch(`${url}/_health`)).status).to.be.below(400);
  });

  for (const [what, files, name] of [
    [
      'register',
      { 'src/index.js': 'module.exports = { register({ strapi }) { strapi.hooks.x(); } };' },
      'src/index.js',
    ],
    [
      'bootstrap',
      { 'src/index.js': 'module.exports = { bootstrap({ strapi }) { strapi.webhookRunner.run(); } };' },
      'src/index.js',
    ],
    [
      'a setting of a plugin, written by bootstrap,',
      {
        'src/index.js': `module.exports = { async bootstrap({ strapi }) {
          const settings = strapi.store({ type: 'plugin', name: 'users-permissions', key: 'email' });
          await settings.set({ value: { ...(await settings.get()), reset_password: {} } });
        } };`,
      },
      'src/index.js',
    ],
    [
      'an extension',
      {
        'src/extensions/upload/strapi-server.js': `module.exports = () => { throw new Error('broken'); };`,
      },
      'src/extensions/upload/strapi-server.js',
    ],
    [
      'a plugin of the project',
      {
        'src/plugins/own/strapi-server.js': `module.exports = { register({ strapi }) { strapi.admin.services; } };`,
        'config/plugins.js': `module.exports = { own: { enabled: true, resolve: './src/plugins/own' } };`,
      },
      'src/plugins/own/strapi-server.js',
    ],
    [
      'a plugin of the project that has not been built',
      {
        'src/plugins/own/package.json': '{ "exports": { "./strapi-server": "./dist/server/index.js" } }',
        'config/plugins.js': `module.exports = { own: { enabled: true, resolve: './src/plugins/own' } };`,
      },
      'src/plugins/own/dist/server/index.js',
    ],
    [
      'the configuration of a plugin of the project, which its validator refuses, and which',
      {
        'src/plugins/own/strapi-server.js': `module.exports = { config: { default: () => ({ size: 1 }),
          validator({ size, more }) { if (size !== 1 || more) throw new Error('too much'); } } };`,
        'config/plugins.js': `module.exports = {
          own: { enabled: true, resolve: './src/plugins/own', config: { more: true } } };`,
      },
      'src/plugins/own/strapi-server.js',
    ],
  ] as const)
    it(`${what} that cannot run stops the start, unless code.ignore names it`, async () => {
      const failed = await start(files).catch(String);
      expect(failed).to.include(name).and.include('code.ignore');
      const url = await start(files, [name]);
      expect((await fetch(`${url}/api/notes`)).status).to.equal(200);
    });

  it('a middleware that is not found stops the start, unless code.ignore names it', async () => {
    const files = {
      'config/middlewares.json': [
        ...['errors', 'security', 'cors', 'query', 'body', 'public', 'favicon'].map(
          (name) => `strapi::${name}`,
        ),
        'global::nothing',
      ],
    };
    expect(await start(files).catch(String)).to.include('the middleware global::nothing does not exist');
    expect((await fetch(`${await start(files, ['global::nothing'])}/api/notes`)).status).to.equal(200);
  });
});
