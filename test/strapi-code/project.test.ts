/** A Strapi project whose code uses each thing that runs, compared with what a real Strapi 5.54 answered (record.mjs). */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type Serving, startServing } from '../../src/serve/index.js';
import { examine } from '../../src/store/doctor/doctor.js';
import { asAnswer } from '../../src/strapi/errors.js';
import { REFUSED, SERVICES, SUPPORTED } from '../../src/strapi/names.js';
import { strapiPackages } from '../../src/strapi/utils.js';
import { mangrove } from '../support/run-command.js';
import { writeFiles } from '../support/write-files.js';
import { exchange, type Row } from './exchange.js';
import { dropWhenDone, testDatabase } from './support.js';

const PROJECT = fileURLToPath(new URL('./project', import.meta.url));

describe("a Strapi project's code", function () {
  this.timeout(180_000);
  let root: string;
  let serving: Serving;
  const overrides = testDatabase();

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-strapi-code-'));
    await cp(PROJECT, root, { recursive: true });
    serving = await startServing({ root, overrides });
  });
  after(async () => {
    await dropWhenDone(serving);
    await rm(root, { recursive: true, force: true });
  });
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${serving.port}${path}`);
    const { error }: { error?: { message: string } } = JSON.parse(await response.text());
    return { status: response.status, code: response.headers.get('x-error-code'), message: error?.message };
  };

  it('answers as Strapi does', async () => {
    const recorded: readonly Row[] = JSON.parse(
      await readFile(new URL('./recorded.json', import.meta.url), 'utf8'),
    );
    const rows = await exchange(`http://127.0.0.1:${serving.port}`);
    expect(rows.length).to.be.above(70);
    for (const [at, row] of rows.entries()) expect(row, row.request).to.eql(recorded[at]);
  });

  it('closes a route whose code asks for what is not supported, by name, and only that route', async () => {
    const message = 'strapi.db.connection is not supported by Mangrove';
    for (const _ of [1, 2]) {
      const { status, code, message: told } = await get('/api/probe/unsupported');
      expect([status, code, told]).to.eql([501, 'strapi-api-unsupported', message]);
    }
    const session = await get('/api/probe/session');
    expect([session.status, session.message]).to.eql([501, 'ctx.session is not supported by Mangrove']);
    expect((await get('/api/probe/service')).status).to.equal(200);
  });

  it('a route that caught the error is closed too', async () => {
    const first = await get('/api/probe/caught');
    expect([first.status, first.code]).to.eql([501, 'strapi-api-unsupported']);
    expect((await get('/api/probe/caught')).status).to.equal(501);
  });

  it('doctor lists the routes that have answered 501', async () => {
    await get('/api/probe/unsupported');
    const { store, schema } = serving.project;
    const found = await examine(store, schema, ['code']);
    expect(found.map(({ level, text }) => `${level}: ${text}`)).to.include(
      'warning: GET /probe/unsupported answers 501: strapi.db.connection is not supported by Mangrove',
    );
  });

  it('what routes have asked for is forgotten by the first process of a start, not by one that joins it', async () => {
    await get('/api/probe/unsupported');
    const { store, schema } = serving.project;
    const noted = async () => (await examine(store, schema, ['code'])).length;
    const before = await noted();
    expect(before).to.be.above(0);
    for (const [joins, left] of [
      [true, before],
      [false, 0],
    ] as const) {
      const { stop } = await startServing({ root, overrides, joins });
      expect(await noted()).to.equal(left);
      await stop();
    }
    Object.assign(globalThis, { strapi: serving.project.code.running?.strapi });
  });

  it('has each name that docs/strapi-code.md lists, and throws for the others', () => {
    const strapi = serving.project.code.running?.strapi;
    const at = (path: string): unknown =>
      path.split('.').reduce<unknown>((value, name) => Object(value)[name], strapi);
    for (const name of Object.keys(SUPPORTED)) expect(at(name), name).not.to.equal(undefined);
    // This project does not have GraphQL.
    for (const [plugin, services] of Object.entries(SERVICES).filter(([name]) => name !== 'graphql'))
      for (const [name, says] of Object.entries(services))
        for (const [, method = ''] of says.matchAll(/`(\w+)`/g)) {
          const service: unknown = Object(strapi).plugin(plugin).service(name);
          expect(Object(service)[method], `${plugin} ${name} ${method}`).to.be.a('function');
        }
    for (const name of REFUSED['']) expect(() => at(name), name).to.throw('is not supported by Mangrove');
    for (const name of REFUSED.db) expect(() => at(`db.${name}`), name).to.throw(`strapi.db.${name} is not`);
    const absent = 'content-manager';
    expect(() => Object(strapi).plugin(absent)).to.throw(`strapi.plugin('${absent}') is not`);
    expect(Object(strapi).plugin('graphql')).to.equal(undefined);
    expect(at('somethingElse')).to.equal(undefined);
  });

  it('has what `@strapi/utils` exports, or throws for it, and what needs nothing of Strapi from the installed one', async () => {
    const names: readonly string[] = JSON.parse(
      await readFile(new URL('./utils.json', import.meta.url), 'utf8'),
    );
    expect(names.length).to.be.above(50);
    const utils = Object(strapiPackages(root, () => serving.project.schema)['@strapi/utils']);
    const has = (name: string): boolean => {
      try {
        return utils[name] !== undefined;
      } catch (error) {
        return String(error).includes(`@strapi/utils.${name} is not supported by Mangrove`);
      }
    };
    expect(names.filter((name) => !has(name))).to.eql([]);
    expect(() => utils.yup.object()).to.throw('@strapi/utils.yup is not supported by Mangrove');
    const folder = await mkdtemp(join(tmpdir(), 'mangrove-strapi-utils-'));
    await writeFiles(folder, {
      'node_modules/@strapi/utils/index.js': `class ApplicationError extends Error {
        constructor(message, details = {}) { super(message); this.name = 'ApplicationError'; this.details = details; } }
        class ValidationError extends ApplicationError { name = 'ValidationError'; }
        module.exports = { errors: { ApplicationError }, strings: { nameToSlug: () => 'of-it', isEqual: 1 }, yup: { validate() { throw new ValidationError('of yup', { of: 1 }); } } };`,
    });
    const { yup, strings } = Object(strapiPackages(folder, () => serving.project.schema)['@strapi/utils']);
    expect([strings.nameToSlug('a b'), strings.isEqual(1, '1')]).to.eql(['of-it', true]);
    expect(() => strings.nothing).to.throw('@strapi/utils.strings.nothing is not supported by Mangrove');
    expect(() => utils.strings.nameToSlug('a b')).to.throw('@strapi/utils.strings.nameToSlug is not');
    const thrown = (): unknown => {
      try {
        return yup.validate();
      } catch (error) {
        return asAnswer(error);
      }
    };
    expect(thrown()).to.deep.include({ status: 400, name: 'ValidationError', details: { of: 1 } });
    await rm(folder, { recursive: true });
  });

  it('check lists what its files name that is not supported; --run loads them', async () => {
    await writeFile(join(root, 'config', 'typescript.ts'), 'export default () => ({ autogenerate: true });');
    const plain = await mangrove('--root', root, 'check');
    expect(plain.status, plain.stderr).to.equal(0);
    expect(plain.stderr).not.to.include('config/own.js');
    expect(plain.stderr).not.to.include('config/typescript');
    expect(plain.stderr).to.match(
      /src\/api\/probe\/controllers\/probe\.js:\d+: strapi\.db\.connection is not supported/,
    );
  });

  it('routes list shows the routes of the code', async () => {
    const { stdout } = await mangrove('--root', root, 'routes', 'list', '--json');
    expect(JSON.parse(stdout)).to.deep.include.members([
      { method: 'GET', path: '/api/articles/popular', action: 'api::article.article.popular' },
      { method: 'GET', path: '/api/v2/authors', action: null },
    ]);
    expect(stdout).not.to.include('"/api/authors"');
  });
});

describe('code.run: false', function () {
  this.timeout(180_000);
  let root: string;
  let serving: Serving;
  const start = async (ignore: readonly string[]): Promise<void> => {
    serving = await startServing({
      root,
      overrides: testDatabase({ code: { run: false, ignore: [...ignore] } }),
    });
  };
  const statusOf = async (path: string): Promise<number> =>
    (await fetch(`http://127.0.0.1:${serving.port}${path}`)).status;

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-strapi-code-'));
    await cp(PROJECT, root, { recursive: true });
    await writeFile(join(root, 'src', 'marker.js'), '');
    await writeFile(
      join(root, 'src/api/home/controllers/home.js'),
      "'use strict';\n/** home controller */\nconst { createCoreController } = require('@strapi/strapi').factories;\n\nmodule.exports = createCoreController('api::home.home');\n",
    );
    await writeFile(
      join(root, 'src/api/home/routes/home.js'),
      "const { createCoreRouter } = require('@strapi/strapi').factories;\nmodule.exports = createCoreRouter('api::home.home');\n",
    );
    await writeFile(
      join(root, 'config/roles.js'),
      "module.exports = { public: ['api::home.home.find', 'api::note.note.find', 'api::article.article.find'] };",
    );
  });
  afterEach(() => dropWhenDone(serving));
  after(() => rm(root, { recursive: true, force: true }));

  it('closes every route if code would run before every route', async () => {
    delete Object(globalThis).fixtureRegistered;
    await start([]);
    expect(await statusOf('/api/home')).to.equal(403);
    expect(Object(globalThis).fixtureRegistered).to.equal(undefined);
  });

  it('serves untouched core routes alone, and those that the operator opens', async () => {
    await start([
      ...['src/index.js', 'global::stamp'],
      ...['upload', 'users-permissions'].map((plugin) => `src/extensions/${plugin}/strapi-server.js`),
    ]);
    // Nothing is stored, so an open route of a single type is a 404.
    expect(await statusOf('/api/home')).to.equal(404);
    expect(await statusOf('/api/notes')).to.equal(403);
    expect(await statusOf('/api/articles')).to.equal(403);
    expect(await statusOf('/api/articles/popular')).to.equal(403);
  });
});
