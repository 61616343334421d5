import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ConfigError } from '../../src/config/error.js';
import { loadConfig, makeConfig } from '../../src/config/load.js';
import type { Config } from '../../src/config/types.js';
import { messageOf } from '../../src/events/events.js';
import { writeFiles } from '../support/write-files.js';

/** Given secrets, so that nothing is written. */
const SECRETS = {
  JWT_SECRET: 'signs the tokens of these tests alone',
  API_TOKEN_SALT: 'salts the keys of these tests alone',
};

describe('config/load', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-config-'));
    await writeFile(join(root, 'package.json'), '{"type":"module"}');
  });
  afterEach(() => rm(root, { recursive: true }));

  const write = async (files: Readonly<Record<string, unknown>>): Promise<void> => {
    await writeFiles(root, files);
  };
  const load = (env: Readonly<Record<string, string>> = {}): Promise<Config> =>
    loadConfig(root, { ...SECRETS, ...env });
  const problems = async (env: Readonly<Record<string, string>> = {}): Promise<readonly string[]> => {
    const error = await load(env).catch((e: unknown) => e);
    if (!(error instanceof ConfigError)) throw error;
    return error.problems;
  };
  const at = (config: Config, path: string): unknown =>
    path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], config);

  /** One file's value and what it sets at one path of the config. */
  const settings: readonly (readonly [file: string, value: unknown, path: string, expected: unknown])[] = [
    ['api', { rest: { prefix: 'v1/' } }, 'rest.prefix', '/v1'],
    ['api', { rest: { prefix: '/' } }, 'rest.prefix', ''],
    ['api', { rest: { compat: 'v3' } }, 'rest.prefix', ''],
    ['api', { rest: { compat: 'v3', prefix: '/api' } }, 'rest.prefix', '/api'],
    ['api', { rest: { compat: 'v4' } }, 'rest.prefix', '/api'],
    ['api', { rest: { defaultLimit: '5' } }, 'rest.defaultLimit', 5],
    ['api', { rest: { maxLimit: -1 } }, 'rest.maxLimit', null],
    ['api', { rest: { maxLimit: null } }, 'rest.maxLimit', null],
    ['api', { rest: { defaultLimit: 5 } }, 'rest.maxLimit', 100],
    ['api', { rest: { componentIds: true } }, 'rest.componentIds', true],
    ['api', { documents: { stableIds: false } }, 'documents.stableIds', false],
    [
      'api',
      { responses: { privateAttributes: ['createdAt'] } },
      'responses.privateAttributes',
      ['createdAt'],
    ],
    ['api', { customFields: { 'global::map': 'json' } }, 'customFields', { 'global::map': 'json' }],
    ['api', { query: { maxJoins: 3 } }, 'query.maxJoins', 3],
    ['server', { port: '8080' }, 'server.port', 8080],
    ['server', { proxy: { koa: true } }, 'server.proxy', true],
    ['database', { uri: 'mongodb://db/x' }, 'database.uri', 'mongodb://db/x'],
    ['database', { maxTimeMS: 10 }, 'database.maxTimeMS', 10],
    ['admin', { apiToken: { salt: 'pepper' }, auth: { secret: 'x' } }, 'warnings', []],
    [
      'plugins',
      { 'users-permissions': { config: { ratelimit: { interval: { min: 5 } } } } },
      'plugins.usersPermissions.ratelimit.interval',
      300_000,
    ],
    ['plugins', { upload: { enabled: true, config: { sizeLimit: 9 } } }, 'plugins.upload.sizeLimit', 9],
    [
      'plugins',
      { i18n: { config: { defaultLocale: 'fr', locales: ['en', 'fr'] } } },
      'plugins.i18n.locales',
      ['fr', 'en'],
    ],
    [
      'plugins',
      { 'users-permissions': { config: { register: { allowedFields: ['nickname'] } } } },
      'plugins.usersPermissions.register.allowedFields',
      ['nickname'],
    ],
    [
      'plugins',
      { 'users-permissions': { config: { jwt: { expiresIn: '1h' } } } },
      'plugins.usersPermissions.jwt.expiresIn',
      '1h',
    ],
    ['roles', { public: ['api::a.a.find'] }, 'roles', { public: ['api::a.a.find'] }],
  ];
  for (const [file, value, path, expected] of settings)
    it(`config/${file} ${JSON.stringify(value)} sets ${path} to ${JSON.stringify(expected)}`, async () => {
      await write({ [`config/${file}.json`]: value });
      const config = await load();
      expect(at(config, path)).to.eql(expected);
      expect(config.warnings).to.eql([]);
    });

  const refused: readonly (readonly [file: string, value: unknown, problem: string])[] = [
    ['api', { rest: { defaultLimit: 0 } }, 'config/api.json › rest.defaultLimit: an integer from 1, not 0'],
    ['api', { rest: { withCount: 'yes' } }, 'config/api.json › rest.withCount: true or false, not "yes"'],
    ['api', { rest: { maxLimit: 1.5 } }, 'config/api.json › rest.maxLimit: an integer from 1, or -1 or null'],
    ['api', [], 'config/api.json: an object, not []'],
    [
      'api',
      { customFields: { 'global::map': 'point' } },
      'config/api.json › customFields: an object of attribute types such as "string" or "json", not {"global::map":"point"}',
    ],
    ['server', { port: 'http' }, 'config/server.json › port: an integer from 0 to 65535, not "http"'],
    ['server', { port: 65_536 }, 'config/server.json › port: an integer from 0 to 65535, not 65536'],
    [
      'database',
      { engine: 'sqlite' },
      'config/database.json › engine: one of embedded, mongod, not "sqlite"',
    ],
    [
      'plugins',
      { upload: { config: { provider: 3 } } },
      'config/plugins.json › upload.config.provider: one of local, gridfs',
    ],
    ['roles', { public: 'all' }, 'config/roles.json: roles by type'],
    ['middlewares', {}, 'config/middlewares.json: a list of middlewares'],
    [
      'middlewares',
      [
        'strapi::errors',
        'strapi::security',
        'strapi::cors',
        'strapi::query',
        'strapi::public',
        'strapi::favicon',
      ],
      'Missing required middlewares in configuration. Add the following middlewares: "strapi::body".',
    ],
  ];
  for (const [file, value, problem] of refused)
    it(`config/${file} ${JSON.stringify(value)} is refused`, async () => {
      await write({ [`config/${file}.json`]: value });
      const found = await problems();
      expect(found).to.have.length(1);
      expect(found[0]).to.include(problem);
    });

  it('leaves out a size of images that has no value', async () => {
    await write({
      'config/plugins.mjs':
        'export default { upload: { config: { breakpoints: { xlarge: undefined, small: 400 } } } };',
    });
    expect((await load()).plugins.upload.breakpoints).to.eql({ large: 1000, medium: 750, small: 400 });
  });

  it('reports every problem at once', async () => {
    await write({
      'config/api.json': { rest: { withCount: 1, strictParams: 1 } },
      'config/server.json': { port: -1 },
    });
    expect(await problems({ MANGROVE_ENGINE: 'x' })).to.have.length(4);
  });

  it('warns of unknown keys by the topmost one, but not of Strapi’s keys that have no effect here', async () => {
    await write({
      'config/api.json': { rest: { maxLimits: 3 }, foo: { bar: { baz: 1 } } },
      'config/server.json': { app: { keys: ['a'] }, webhooks: { defaultHeaders: {} }, prot: 1 },
      'config/plugins.json': {
        upload: { enabled: true, config: { provider: 'local', colour: 1 } },
        graphql: { config: {} },
      },
    });
    expect((await load()).warnings.map(messageOf)).to.eql([
      'config/api.json: unknown key rest.maxLimits',
      'config/api.json: unknown key foo',
      'config/server.json: unknown key prot',
      'config/plugins.json: unknown key upload.config.colour',
      'config/plugins.json: Mangrove does not have the plugin "graphql"; /graphql is not served',
    ]);
  });

  it('reports providers and plugins that are not available, and continues without them', async () => {
    await write({
      'config/plugins.json': {
        upload: { config: { provider: 'aws-s3', providerOptions: { s3: {} }, sizeLimit: 9 } },
        email: { config: { provider: 'sendgrid', providerOptions: { apiKey: 'k' } } },
        comments: { enabled: true },
        seo: { enabled: false },
      },
    });
    const { plugins, warnings } = await load();
    expect(plugins.upload).to.include({ provider: 'local', sizeLimit: 9 });
    expect(plugins.email.providerOptions).to.equal(null);
    expect(warnings.map((event) => /"([\w-]+)"/.exec(messageOf(event))?.[1])).to.eql([
      'aws-s3',
      'sendgrid',
      'comments',
    ]);
  });

  it('reads TypeScript and CommonJS in an ES module package, with their imports', async () => {
    await write({
      'config/limits.ts': 'export const limit: number = 7;',
      'config/api.ts': `import type { Core } from '@strapi/strapi';
import { limit } from './limits';
enum Mode { A = 'a' }
const config = ({ env }: Core.Config.Shared.ConfigParams): Core.Config.Api => ({
  rest: { defaultLimit: limit, maxLimit: env.int('MAX') as number },
  responses: { privateAttributes: [Mode.A, process.env.FROM_FILE!] } satisfies object,
});
export default config;`,
      'config/server.js': 'module.exports = ({ env }) => ({ port: env.int("P", 9) });',
      '.env': 'MAX=20\nFROM_FILE=b\n',
    });
    const config = await load();
    expect(config.rest).to.include({ defaultLimit: 7, maxLimit: 20 });
    expect(config.responses.privateAttributes).to.eql(['a', 'b']);
    expect(config.server.port).to.equal(9);
    expect(process.env).to.not.have.property('FROM_FILE');
  });

  it('names a package that is not installed, and uses the rest of the file', async () => {
    await write({
      'config/server.ts': `import tasks, { port } from 'not-installed/tasks';
const other = require('@acme/also-absent');
export default () => ({ port, url: \`\${other.make(1).host}\`, cron: { tasks }, host: '127.0.0.1' });`,
    });
    const { server, warnings } = await load();
    expect(server).to.include({ port: 1337, host: '127.0.0.1' });
    expect(warnings.map(messageOf)).to.eql([
      'config/server.ts: "not-installed/tasks" is not installed; values from it count as not set',
      'config/server.ts: "@acme/also-absent" is not installed; values from it count as not set',
    ]);
  });

  it('stops for a package that config/database needs, unless it describes a database of Strapi', async () => {
    await write({
      'config/database.cjs': `const { uri } = require('not-installed'); module.exports = { uri, name: 'blog' };`,
    });
    expect(await problems()).to.eql(['config/database.cjs: "not-installed" is not installed']);
    await write({
      'config/database.cjs': `const { parse } = require('not-installed');
        module.exports = { connection: { client: 'postgres', connection: parse('x') } };`,
    });
    expect((await load()).warnings.map(messageOf)).to.include(
      'config/database.cjs: "not-installed" is not installed; values from it count as not set',
    );
  });

  const required = ['errors', 'security', 'query', 'body', 'public', 'favicon'].map(
    (name) => `strapi::${name}`,
  );
  const middlewares: readonly (readonly [item: unknown, path: string, expected: unknown])[] = [
    ['strapi::cors', 'middlewares.cors.origin', ['*']],
    [
      { name: 'strapi::cors', config: { origin: 'https://a.example, https://b.example' } },
      'middlewares.cors.origin',
      ['https://a.example', 'https://b.example'],
    ],
    [{ name: 'strapi::cors', config: { enabled: false } }, 'middlewares.cors', null],
    [{ name: 'strapi::cors' }, 'middlewares.poweredBy', null],
  ];
  for (const [item, path, expected] of middlewares)
    it(`config/middlewares with ${JSON.stringify(item)} sets ${path}`, async () => {
      await write({ 'config/middlewares.json': [...required, item] });
      expect(at(await load(), path)).to.eql(expected);
    });

  it('reads options of the query and body middlewares, and warns of middlewares that Strapi does not have', async () => {
    await write({
      'config/middlewares.json': [
        ...required.filter((name) => !/query|body/.test(name)),
        'strapi::cors',
        { name: 'strapi::query', config: { arrayLimit: 500, strictNullHandling: true } },
        { name: 'strapi::body', config: { jsonLimit: '5mb', formidable: { maxFileSize: 7 } } },
        { name: 'strapi::compression', config: { threshold: 2048, br: false } },
        { name: 'strapi::secret-sauce' },
        { name: 'global::code' },
      ],
    });
    const config = await load();
    expect(config.query.arrayLimit).to.equal(500);
    expect(config.middlewares.body).to.include({ jsonLimit: '5mb', maxFileSize: 7, formLimit: '56kb' });
    expect(config.middlewares.compression).to.deep.equal({ threshold: 2048, br: false });
    expect(config.warnings).to.have.length(1);
    expect(config.warnings[0]).to.include({
      name: 'middleware-without-effect',
      middleware: 'strapi::secret-sauce',
    });
  });

  it('sends the output of a config file to stderr', async () => {
    await write({
      'config/api.ts': `console.log('at load'); export default () => { console.info('at call'); return {}; };`,
    });
    const printed: unknown[] = [];
    const { error, log } = console;
    console.error = (text: unknown) => printed.push(text);
    try {
      await load();
    } finally {
      console.error = error;
    }
    expect(printed).to.eql(['at load', 'at call']);
    expect(console.log).to.equal(log);
  });

  it('never calls a function in a setting: the default is used, and for origins none are allowed', async () => {
    const names = JSON.stringify(required);
    await write({
      'config/middlewares.js': `export default [...${names}, { name: 'strapi::cors', config: { origin: (ctx) => ctx.origin } }];`,
      'config/api.js': 'export default { rest: { defaultLimit: () => 7 } };',
    });
    const config = await load();
    expect(config.middlewares.cors?.origin).to.eql([]);
    expect(config.rest.defaultLimit).to.equal(25);
    expect(config.warnings.map(messageOf)).to.have.members([
      'config/middlewares.js › strapi::cors › origin: functions are not called; [] is used instead',
      'config/api.js › rest.defaultLimit: functions are not called; the default applies',
    ]);
  });

  it('leaves out origins that no Origin equals, as Strapi does, with a warning', async () => {
    const names = JSON.stringify(required);
    await write({
      'config/middlewares.js': `export default [...${names}, { name: 'strapi::cors', config: { origin: ['https://a.example', /b[.]example$/, undefined] } }];`,
    });
    const config = await load();
    expect(config.middlewares.cors?.origin).to.eql(['https://a.example']);
    expect(config.warnings.map(messageOf)).to.eql([
      'config/middlewares.js › strapi::cors › origin: /b[.]example$/ has no effect',
      'config/middlewares.js › strapi::cors › origin: undefined has no effect',
    ]);
  });

  const sources: Readonly<Record<string, string>> = {
    'api.js': 'export default ({ env }) => ({ rest: { defaultLimit: env.int("LIMIT", 7) } });',
    'api.mjs': 'export default { rest: { defaultLimit: 7 } };',
    'api.cjs': 'module.exports = async () => ({ rest: { defaultLimit: 7 } });',
    'api.json': '{"rest":{"defaultLimit":7}}',
  };
  for (const [name, text] of Object.entries(sources))
    it(`reads config/${name}`, async () => {
      await write({ [`config/${name}`]: text });
      expect((await load()).rest.defaultLimit).to.equal(7);
    });

  it('merges config/env/<NODE_ENV> over the base, and no other environment', async () => {
    await write({
      'config/api.json': { rest: { defaultLimit: 5, maxLimit: 50 } },
      'config/env/production/api.json': { rest: { maxLimit: 20 } },
      'config/env/test/api.json': { rest: { maxLimit: 1 } },
    });
    expect((await load({ NODE_ENV: 'production' })).rest).to.include({ defaultLimit: 5, maxLimit: 20 });
    expect((await load()).rest.maxLimit).to.equal(50);
  });

  it('gives the environment precedence over the files, and the process over .env', async () => {
    await write({
      'config/server.json': { port: 1, host: 'file' },
      '.env': 'PORT=2\nHOST=dotenv\nMONGODB_URI=mongodb://dot\n',
    });
    const config = await load({ PORT: '3' });
    expect(config.server).to.include({ port: 3, host: 'dotenv' });
    expect(config.database.uri).to.equal('mongodb://dot');
    expect(config.environment).to.equal('development');
  });

  it('treats an empty variable as unset', async () => {
    expect((await load({ MONGODB_URI: '', PORT: '' })).database.uri).to.equal(null);
  });

  const broken: Readonly<Record<string, string>> = {
    'api.json': '{',
    'api.js': 'throw new Error("no");',
    'api.mjs': 'export default ({ env }) => env.json("BAD")',
    'api.ts': 'export default {',
    'api.cjs': 'require("./not-there.js")',
  };
  for (const [name, text] of Object.entries(broken))
    it(`names the file: ${name}`, async () => {
      await write({ [`config/${name}`]: text });
      const [problem] = await problems({ BAD: '{' });
      expect(problem).to.match(
        name === 'api.mjs' ? /^Invalid json environment variable BAD: / : /^config\/api\./,
      );
    });

  it('makes folders absolute and freezes the config deeply', async () => {
    await write({ 'config/database.json': { dataDir: 'elsewhere' } });
    const config = await load();
    expect(config.database.dataDir).to.equal(join(root, 'elsewhere'));
    expect(config.server.publicDir).to.equal(join(root, 'public'));
    const change = config.rest as { prefix: string };
    expect(() => {
      change.prefix = '/x';
    }).to.throw(TypeError);
    expect(Object.isFrozen(config.plugins.i18n.locales)).to.equal(true);
  });

  it('builds a config from overrides alone, without files', () => {
    const config = makeConfig(root, {
      rest: { componentIds: true },
      plugins: { i18n: { defaultLocale: 'de' } },
    });
    expect(config.rest).to.include({ componentIds: true, defaultLimit: 25 });
    expect(config.plugins.i18n.locales).to.eql(['de', 'en']);
  });

  describe('secrets', () => {
    const MINE = 'a secret that is mine, and long enough';
    const file = () => join(root, '.data', 'secrets.json');

    it('are generated once, readable by their owner only, and reused', async () => {
      const first = (await loadConfig(root, {})).secrets;
      expect(first.jwtSecret).to.have.length.at.least(32);
      expect(first.apiTokenSalt).to.have.length.at.least(16);
      expect((await stat(file())).mode & 0o777).to.equal(0o600);
      expect((await loadConfig(root, {})).secrets).to.eql(first);
    });

    it('are the same in processes that start together', async () => {
      const all = await Promise.all(Array.from({ length: 8 }, () => loadConfig(root, {})));
      expect(new Set(all.map((config) => config.secrets.jwtSecret)).size).to.equal(1);
    });

    it('are used if they are set, without the file', async () => {
      expect((await load()).secrets).to.eql({
        jwtSecret: SECRETS.JWT_SECRET,
        apiTokenSalt: SECRETS.API_TOKEN_SALT,
      });
      expect(await stat(file()).catch(() => null)).to.equal(null);
      expect((await loadConfig(root, { JWT_SECRET: MINE })).secrets.jwtSecret).to.equal(MINE);
      expect(await readFile(file(), 'utf8')).not.to.include(MINE);
    });

    it('prevent the start if they can be guessed, and all of them are named', async () => {
      const weak = [
        'a',
        'tobemodified',
        'x'.repeat(64),
        'changeme'.repeat(8),
        randomBytes(12).toString('base64'),
      ];
      for (const secret of weak) {
        const error = await loadConfig(root, { JWT_SECRET: secret, API_TOKEN_SALT: secret }).catch((e) => e);
        expect(error, secret).to.be.instanceOf(ConfigError);
        expect(error.problems, secret).to.have.length(2);
        expect(error.message).to.include('JWT_SECRET can be guessed').and.not.include(secret.repeat(2));
      }
    });

    it('are accepted as generated by Strapi, with a warning if they are shorter than recommended', async () => {
      const warned = async (secret: string): Promise<number> =>
        (await loadConfig(root, { JWT_SECRET: secret, API_TOKEN_SALT: MINE })).warnings.length;
      for (let i = 0; i < 50; i++) expect(await warned(randomBytes(16).toString('base64'))).to.equal(1);
      expect(await warned(randomBytes(32).toString('base64'))).to.equal(0);
      expect(await warned(randomBytes(16).toString('hex'))).to.equal(0);
    });

    it('prevent the start if their file is damaged, and it is named', async () => {
      await write({ '.data/secrets.json': '{}' });
      const error = await loadConfig(root, {}).catch((e: unknown) => e);
      expect(error).to.be.instanceOf(ConfigError);
      expect((error as ConfigError).message)
        .to.include('secrets.json')
        .and.include('JWT_SECRET');
    });
  });
});
