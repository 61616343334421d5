/** Code of a Strapi project that does what nobody should: the server answers, and goes on. A process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { until } from '../../packages/engine/test/support/until.js';
import { nested } from '../../src/strapi/nested.js';
import { compiled } from '../support/compiled.js';
import { typeFile } from '../support/schemas.js';
import { writeFiles } from '../support/write-files.js';

const UNREADABLE = '{ get message() { throw 1; }, get code() { throw 2; }, get stack() { throw 3; } }';
const CIRCLE = '(() => { const a = {}; a.a = a; return a; })()';

/** The body of a handler of `ctx` (`find` is the core action), and the status that it is answered with. */
const HANDLERS: Readonly<Record<string, readonly [code: string, status: number]>> = {
  throwsNull: ['throw null;', 500],
  throwsText: ["throw 'text';", 500],
  throwsUnreadable: [`throw ${UNREADABLE};`, 500],
  throwsProxy: ['throw new Proxy({}, { get() { throw 1; }, getPrototypeOf() { throw 2; } });', 500],
  throwsCircle: [`throw new errors.ApplicationError('circle', ${CIRCLE});`, 500],
  throwsBigInt: ["throw new errors.ApplicationError('large', { n: 1n });", 500],
  throwsStatus: ["throw Object.assign(new Error('tea'), { status: 99999 });", 500],
  returnsCircle: [`return ${CIRCLE};`, 500],
  returnsFunction: ['return () => 1;', 500],
  setsSymbol: ["ctx.body = Symbol('body');", 500],
  setsStream: ["ctx.body = require('node:stream').Readable.from(['a']);", 200],
  setsBuffer: ["ctx.body = Buffer.from('a');", 200],
  answersTwice: ['ctx.send({ a: 1 }); ctx.badRequest(); ctx.send({ a: 2 });', 200],
  never: ['await new Promise(() => {});', 503],
  rejectsLater: ["setTimeout(() => Promise.reject(new Error('later')), 5); return 1;", 200],
  throwsLater: ['setTimeout(() => { throw null; }, 5); return 1;', 200],
  throwsUnreadableLater: [`setTimeout(() => { throw ${UNREADABLE}; }, 5); return 1;`, 200],
  doesNotAwait: ["strapi.documents('api::note.note').update({ documentId: 1 }); return 1;", 200],
  queryIsNull: ['ctx.query = null; return find(ctx);', 200],
  queryIsList: ["ctx.query = [{ filters: { secret: 'x' } }]; return find(ctx);", 200],
  queryHasPrototype: ["ctx.query = Object.create({ fields: ['secret'] }); return find(ctx);", 400],
  queryIsCircle: ['const a = {}; a.$and = [a]; ctx.query.filters = a; return find(ctx);', 500],
  userIsReplaced: [
    "ctx.state.user = { id: 1 }; ctx.query = { filters: { secret: 'x' } }; return find(ctx);",
    400,
  ],
  stateIsReplaced: ["ctx.state = {}; ctx.query = { filters: { secret: 'x' } }; return find(ctx);", 400],
  stateIsUsed: [
    "Object.assign(ctx.state, { query: 1, budget: 2, identity: { id: 1 }, session: 's', read: 3, service: 4, requestId: 5 }); return find(ctx);",
    200,
  ],
  validatesNoPages: ['await this.validateQuery({ query: { page: 1, limit: 2 } }); return 1;', 200],
  contextIsCopied: ["return find({ ...ctx, query: { filters: { secret: 'x' } } });", 400],
  contextIsDerived: [
    "return find(Object.create(ctx, { query: { value: { filters: { secret: 'x' } } } }));",
    400,
  ],
  contextIsMade: ["return find({ query: { fields: 'secret' }, state: ctx.state });", 400],
  answersItself: [
    "ctx.respond = false; ctx.res.statusCode = 202; setTimeout(() => ctx.res.end('late'), 10);",
    202,
  ],
  // Later than `requestMs`.
  answersItselfLate: [
    'ctx.respond = false; ctx.res.statusCode = 203; setTimeout(() => ctx.res.end(), 2500);',
    203,
  ],
  answersItselfInParts: [
    "ctx.respond = false; ctx.res.writeHead(203); ctx.res.write('a'); ctx.res.end('b');",
    203,
  ],
  setsPrototype: [
    "strapi.config.set('__proto__.more', 1); strapi.config.set('constructor.prototype.more', 1); if ({}.more) throw 1; return 1;",
    200,
  ],
  deletesUndefined: ['return strapi.documents(NOTE).delete({ documentId: { $ne: null } });', 400],
  hangsBefore: [
    'strapi.db.lifecycles.subscribe({ models: [NOTE], beforeCount: () => new Promise(() => {}) }); return strapi.documents(NOTE).count();',
    503,
  ],
  hangsWithin: [
    "strapi.documents.use(({ action }, next) => action === 'findFirst' ? new Promise(() => {}) : next()); return strapi.documents(NOTE).findFirst();",
    503,
  ],
  hangsOutside: ['return 1;', 503],
  askedForCore: ["return strapi.db.query('strapi::core-store').findMany();", 501],
  askedForNothing: ["return strapi.db.query('api::none.none').findMany();", 500],
};
const POLICIES: Readonly<Record<string, readonly [code: string, status: number]>> = {
  isNull: ['() => null', 403],
  isObject: ['() => ({})', 403],
  isFalseLater: ['async () => false', 403],
  isFalseObject: ['() => new Boolean(false)', 403],
  isFunction: ['async () => async () => true', 403],
  rejectsFalse: ['() => Promise.reject(false)', 500],
  isNothing: ['() => undefined', 200],
  hangsAsPolicy: ['() => new Promise(() => {})', 503],
};
const MIDDLEWARES: Readonly<Record<string, readonly [code: string, status: number]>> = {
  goesOnTwice: ['async (ctx, next) => { await next(); await next(); }', 500],
  doesNotGoOn: ['() => undefined', 404],
  replacesState: ['async (ctx, next) => { ctx.state = {}; await next(); }', 200],
  hangsAround: ['async (ctx, next) => { await next(); await new Promise(() => {}); }', 503],
  failsAfter: ['async (ctx, next) => { try { await next(); } finally { throw null; } }', 500],
};

/** What is named when the time of a request is over. */
const HANGS: Readonly<Record<string, string>> = {
  never: 'api::note.odd.never',
  hangsBefore: 'beforeCount of api::note.note',
  hangsWithin: 'a document middleware in findFirst of api::note.note',
  hangsOutside: 'the middleware global::state',
  hangsAsPolicy: 'an inline policy',
  hangsAround: 'an inline middleware',
};

describe('code of a Strapi project that does what it should not', function () {
  this.timeout(180_000);
  let root: string;
  let child: ChildProcess;
  let log = '';
  let url = '';

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-strapi-odd-'));
    const named = (name: string) =>
      `{ method: 'GET', path: '/odd/${name}', handler: 'odd.${name}', config: { auth: false } }`;
    const guarded = (list: typeof POLICIES, option: string) =>
      Object.entries(list).map(
        ([name, [code]]) =>
          `{ method: 'GET', path: '/odd/${name}', handler: 'note.find', config: { ${option}: [${code}] } }`,
      );
    await writeFiles(root, {
      'config/server.js': `module.exports = { requestMs: 2000, cron: { enabled: true, tasks: {
        fails: { task() { throw ${UNREADABLE}; }, options: { rule: '* * * * * *' } } } } };`,
      'config/roles.js': "module.exports = { public: ['api::note.note.find'] };",
      'src/index.js': `module.exports = { register() {
        Object.defineProperty(Object.prototype, 'more', { value: undefined, writable: true, configurable: true });
        Object.prototype.own = function own() { return 1; };
        Object.prototype.label = 'x';
        Array.prototype.last = function last() { return this.at(-1); };
      } };`,
      'src/api/note/content-types/note/schema.json': typeFile('note', {
        title: { type: 'string' },
        secret: { type: 'string', private: true },
      }).content,
      'config/middlewares.js':
        "module.exports = [...['errors', 'security', 'cors', 'query', 'body', 'public', 'favicon'].map((name) => 'strapi::' + name), 'global::state'];",
      'src/middlewares/state.js': `module.exports = () => async (ctx, next) => {
        ctx.state = { own: true };
        if (ctx.path.endsWith('hangsOutside')) await new Promise(() => {});
        return next();
      };`,
      'src/api/note/services/circle.js': "require('./circle'); module.exports = () => ({});",
      'src/api/note/controllers/odd.js': `
        const { errors } = require('@strapi/utils');
        const NOTE = 'api::note.note';
        module.exports = require('@strapi/strapi').factories.createCoreController(NOTE, () => ({ ${Object.entries(
          HANDLERS,
        )
          .map(([name, [code]]) => `async ${name}(ctx) { const find = (of) => super.find(of); ${code} }`)
          .join(',\n')} }));`,
      'src/api/note/routes/note.js': `module.exports = { routes: [${[
        ...Object.keys(HANDLERS).map(named),
        "{ method: 'POST', path: '/odd/body', handler: (ctx) => ({ ...ctx.request.body }), config: { auth: false } }",
        ...guarded(POLICIES, 'policies'),
        ...guarded(MIDDLEWARES, 'middlewares'),
      ].join(',\n')}] };`,
    });
    child = spawn(process.execPath, [compiled('src/cli/main.ts'), '--root', root, 'serve'], {
      env: { ...process.env, MONGODB_URI: '', HOST: '127.0.0.1', PORT: '0', NODE_ENV: 'production' },
    });
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (text: Buffer) => {
        log += String(text);
      });
    const port = (): string | undefined => /"port":(\d+)/.exec(log)?.[1];
    await until(
      () => port() !== undefined,
      () => log,
      { over: () => child.exitCode !== null },
    );
    url = `http://127.0.0.1:${port()}/api/odd/`;
  });
  after(async () => {
    const ended = once(child, 'close');
    if (child.kill('SIGKILL')) await ended;
    await rm(root, { recursive: true, force: true });
  });

  for (const [name, [code, status]] of Object.entries({ ...HANDLERS, ...POLICIES, ...MIDDLEWARES }))
    it(`${status}: ${code}`, async () => {
      const response = await fetch(url + name);
      const text = await response.text();
      expect([response.status, text.includes('secret":')]).to.eql([status, false]);
      if (status >= 400) expect(JSON.parse(text).error.status).to.equal(status);
    });

  it('what it adds to all objects is in no body, and in the way of no package', async () => {
    const body = JSON.stringify({ data: { list: [1, { a: null }] } });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}body`, { method: 'POST', headers, body });
    expect([response.status, await response.text()]).to.eql([200, body]);
  });

  it('the process goes on, and has logged what failed when nobody waited', async () => {
    await until(
      () => log.split('"code-failed-late"').length > 3,
      () => log,
      { over: () => child.exitCode !== null },
    );
    expect(log).to.include('an error that cannot be read').and.to.include('later');
    expect([(await fetch(`${url}setsBuffer`)).status, child.exitCode]).to.eql([200, null]);
  });

  it('what hangs is named when the time of its request is over, once', async () => {
    const told = () => log.split('"code-timed-out"').length - 1;
    await until(
      () => told() >= Object.keys(HANGS).length,
      () => log,
      { over: () => child.exitCode !== null },
    );
    for (const [path, part] of Object.entries(HANGS))
      expect(log).to.include(`GET /api/odd/${path} has taken too long: ${part} has not ended`);
    expect(told()).to.equal(Object.keys(HANGS).length);
  });

  it('lifecycles that cause themselves end', async () => {
    let calls = 0;
    const again = (): Promise<unknown> =>
      nested({ uid: 'api::note.note', action: 'update' }, () => {
        calls += 1;
        return again();
      });
    expect(String(await again().catch((error: unknown) => error))).to.include(
      'have called one another 1000 times',
    );
    expect(calls).to.equal(1000);
  });
});
