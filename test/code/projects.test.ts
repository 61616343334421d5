/** Projects of the shapes that Strapi's generators and their users produce, checked with `mangrove check`. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { runCheck } from '../../src/cli/run-check.js';
import { compiled } from '../support/compiled.js';
import { mangrove } from '../support/run-command.js';
import { writeFiles } from '../support/write-files.js';

type Files = Readonly<Record<string, string | object>>;

const type = (name: string, attributes: object, more: object = {}): object => ({
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name, description: '' },
  options: { draftAndPublish: true },
  pluginOptions: {},
  attributes,
  ...more,
});

const MIDDLEWARES = [
  'logger',
  'errors',
  'security',
  'cors',
  'poweredBy',
  'query',
  'body',
  'session',
  'favicon',
];

/** TypeScript with ES modules, helpers next to the configuration, packages that are not installed. */
const TYPESCRIPT: Files = {
  'package.json': { name: 'shop', dependencies: { '@strapi/strapi': '5.40.0' } },
  '.env': 'HOST=127.0.0.1\nAPP_KEYS=one,two\nJWT_SECRET=long-enough-for-a-test\n',
  'config/server.ts': `import jobs from './cron-tasks';
    export default ({ env }) => ({
      host: env('HOST', '0.0.0.0'), port: env.int('PORT', 1337), url: env('PUBLIC_URL'), proxy: { koa: true },
      app: { keys: env.array('APP_KEYS') }, cron: { enabled: env.bool('CRON', false), tasks: jobs },
      webhooks: { populateRelations: false }, http: { serverOptions: { requestTimeout: 60_000 } },
    });`,
  'config/cron-tasks.ts': `export default { nightly: { task: ({ strapi }) => {}, options: { rule: '0 3 * * *' } } };`,
  'config/database.ts': `import path from 'path';
    import { fileURLToPath } from 'url';
    import { parse } from 'pg-connection-string';
    const here = path.dirname(fileURLToPath(import.meta.url));
    export default ({ env }) => {
      const client = env('DATABASE_CLIENT', 'sqlite');
      const { host, port } = parse(env('DATABASE_URL'));
      const connections = { sqlite: { connection: { filename: path.join(here, '..', '.tmp/data.db') } }, postgres: { connection: { host, port } } };
      return { connection: { client, ...connections[client], acquireConnectionTimeout: env.int('TIMEOUT', 60000) } };
    };`,
  'config/plugins.ts': `import { mail } from './plugins/mail';
    import type { Env } from '../types/env';
    const bucket = (env) => (env('AWS_BUCKET') ? { provider: 'aws-s3', providerOptions: { params: { Bucket: env('AWS_BUCKET') } } } : undefined);
    export default ({ env }: { env: Env }) => {
      console.info('no bucket');
      return {
        upload: { config: bucket(env) ?? { sizeLimit: 250 * 1024 * 1024 } },
        'users-permissions': { config: { jwtSecret: env('JWT_SECRET'), jwt: { expiresIn: '30d' }, register: { allowedFields: ['name'] } } },
        email: mail(env), sentry: { enabled: true, config: { dsn: env('SENTRY_DSN') } }, 'local-one': { enabled: true, resolve: './src/plugins/local-one' },
      };
    };`,
  'config/plugins/mail.ts': `import { logger } from '../../src/utils/logging';
    export const mail = (env) => { logger.warn('no mail'); return { config: env('MAIL_KEY') ? { provider: 'mailgun' } : null }; };`,
  'src/utils/logging.ts': `import winston from 'winston'; export const logger = winston.createLogger({ level: 'info' });`,
  'config/middlewares.ts': `export default [${MIDDLEWARES.filter((one) => !['cors', 'body'].includes(one))
    .map((one) => `'strapi::${one}'`)
    .join(', ')}, 'strapi::public',
    { name: 'strapi::cors', config: { origin: (ctx): string => ctx.request.header.origin } },
    { name: 'strapi::body', config: { formLimit: '256mb', jsonLimit: '256mb', formidable: { maxFileSize: 250 * 1024 * 1024 } } }];`,
  'config/admin.ts': `export default ({ env }) => ({ auth: { secret: env('ADMIN_JWT_SECRET') }, apiToken: { salt: env('API_TOKEN_SALT') },
    preview: { enabled: true, config: { async handler(uid, { documentId }) { return (await strapi.documents(uid).findOne({ documentId })).slug; } } } });`,
  'src/components/seo/meta.json': {
    collectionName: 'components_seo_metas',
    info: { displayName: 'Meta', icon: 'search' },
    options: {},
    attributes: { title: { type: 'string', maxLength: 60 } },
    config: {},
  },
  'src/api/page/content-types/page/schema.json': type(
    'page',
    {
      slug: { type: 'uid', required: true, default: 'page', regex: '^[a-z]+$' },
      meta: { type: 'component', component: 'seo.meta', repeatable: false },
      zone: { type: 'dynamiczone', components: ['seo.meta'] },
      text: { type: 'customField', customField: 'plugin::ckeditor5.CKEditor', options: { preset: 'rich' } },
      parent: { type: 'relation', relation: 'manyToOne', target: 'api::page.page', inversedBy: 'children' },
      children: { type: 'relation', relation: 'oneToMany', target: 'api::page.page', mappedBy: 'parent' },
      owner: {
        type: 'relation',
        relation: 'manyToOne',
        target: 'plugin::users-permissions.user',
        inversedBy: 'pages',
      },
    },
    { pluginOptions: { i18n: { localized: true } } },
  ),
  'src/api/page/controllers/page.ts': `import { factories } from '@strapi/strapi'; export default factories.createCoreController('api::page.page');`,
  'src/api/page/services/page.ts': `import { factories } from '@strapi/strapi'; export default factories.createCoreService('api::page.page');`,
  'src/api/page/routes/page.ts': `import { factories } from '@strapi/strapi';
    export default factories.createCoreRouter('api::page.page', { only: ['find', 'findOne'], config: { find: { auth: false } } });`,
  'src/api/page/routes/01-own.ts': `export default { routes: [{ method: 'GET', path: '/pages/tree', handler: 'page.tree', config: { policies: ['global::is-owner'] } }] };`,
  'src/extensions/users-permissions/content-types/user/schema.json': type(
    'user',
    {
      username: { type: 'string', minLength: 3, unique: true, configurable: false, required: true },
      name: { type: 'string' },
      pages: { type: 'relation', relation: 'oneToMany', target: 'api::page.page', mappedBy: 'owner' },
    },
    { collectionName: 'up_users', options: { draftAndPublish: false, timestamps: true } },
  ),
  'src/policies/is-owner.ts': `export default (policyContext) => Boolean(policyContext.state.user);`,
  'src/plugins/local-one/strapi-server.js': `module.exports = require('./server');`,
  'src/index.ts': `export default { register() {}, bootstrap({ strapi }) { strapi.db.lifecycles.subscribe({ models: ['api::page.page'], afterCreate() { notify(); } }); } };`,
};

/** JavaScript with CommonJS, as generated by Strapi 4. */
const JAVASCRIPT: Files = {
  'config/server.js': `const tasks = require('./cron-tasks');
    module.exports = ({ env }) => ({ host: env('HOST', '0.0.0.0'), port: env.int('PORT', 1337), app: { keys: env.array('APP_KEYS') }, cron: { enabled: true, tasks } });`,
  'config/cron-tasks.js': `module.exports = { '*/5 * * * *': ({ strapi }) => {} };`,
  'config/middlewares.js': `module.exports = ({ env }) => [${[...MIDDLEWARES, 'public'].map((one) => `'strapi::${one}'`).join(', ')}, { name: 'global::audit', config: {} }];`,
  'config/plugins.js': `module.exports = ({ env }) => ({ graphql: { enabled: true, config: { endpoint: '/graphql', depthLimit: 7 } },
    email: { config: { provider: 'nodemailer', providerOptions: { host: env('SMTP_HOST', 'localhost'), port: env.int('SMTP_PORT', 587) }, settings: { defaultFrom: 'a@b.example' } } } });`,
  'src/api/order/content-types/order/schema.json': type(
    'order',
    {
      number: { type: 'biginteger', unique: true },
      state: { type: 'enumeration', enum: ['open', 'closed'] },
    },
    { options: { increments: true, timestamps: true, draftAndPublish: false, comment: '' } },
  ),
  'src/api/order/routes/order.js': `'use strict';
    const { createCoreRouter } = require('@strapi/strapi').factories;
    module.exports = createCoreRouter('api::order.order', { except: ['delete'], config: { create: { policies: ['global::is-owner'] } } });`,
  'src/api/order/content-types/order/lifecycles.js': `module.exports = { async beforeCreate(event) { event.params.data.number = Date.now(); } };`,
  'src/extensions/users-permissions/strapi-server.js': `module.exports = (plugin) => {
    plugin.controllers.user.updateMe = async (ctx) => {};
    plugin.routes['content-api'].routes.push({ method: 'PUT', path: '/user/me', handler: 'user.updateMe', config: { prefix: '', policies: [] } });
    return plugin; };`,
  'src/index.js': `'use strict'; module.exports = { register(/* { strapi } */) {}, bootstrap(/* { strapi } */) {} };`,
};

/**
 * Path aliases next to a base that is not installed, folders with a different case from Strapi's names, sizes with a
 * fraction.
 */
const ALIASES: Files = {
  'package.json': { name: 'blog', dependencies: { '@strapi/strapi': '5.40.0' } },
  'tsconfig.json': `{
    // Strapi's own base
    "extends": "@strapi/typescript-utils/tsconfigs/server",
    "compilerOptions": { "outDir": "dist", "baseUrl": ".", "paths": { "@lib/*": ["./src/lib/*"] }, },
  }`,
  'src/lib/limits.ts': `export const limits = { json: '7mb' } as const; export enum Kind { One = 'one' }`,
  'config/middlewares.ts': `import { Kind, limits } from '@lib/limits';
    export default () => [${[...MIDDLEWARES.filter((one) => one !== 'body'), 'public']
      .map((one) => `'strapi::${one}'`)
      .join(', ')},
      { name: 'strapi::body', config: { jsonLimit: Kind.One && limits.json, formidable: { maxFileSize: 2.3 * 1024 * 1024 } } }];`,
  'src/api/blogPost/content-types/blogPost/schema.json': {
    ...type('blog-post', { title: { type: 'string' } }),
    collectionName: 'blog_posts',
  },
  'src/api/blogPost/routes/blogPost.ts': `import { factories } from '@strapi/strapi';
    export default factories.createCoreRouter('api::blog-post.blog-post', { config: { find: { policies: ['global::x'] } } });`,
};

describe('real-world projects', () => {
  let folder: string;
  let root: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-projects-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const check = async (name: string, files: Files) => {
    root = join(folder, name);
    await writeFiles(root, files);
    const { status, stdout, stderr } = await mangrove('--root', root, 'check', '--json');
    return {
      status,
      stderr,
      report: JSON.parse(stdout) as { ok: boolean; warnings: string[]; events: object[] },
      stdout,
    };
  };

  /** What `check --run` finds of the code. */
  const loaded = async (): Promise<string> => {
    const problems = await runCheck(root, { file: compiled('src/cli/check-process.ts') });
    return problems.map(({ because }) => because).join('\n');
  };

  it('TypeScript, ES modules, helpers and missing packages', async () => {
    const { status, report } = await check('typescript', TYPESCRIPT);
    expect(report.warnings.join('\n')).to.match(/"pg-connection-string" is not installed/);
    expect([status, report.ok]).to.eql([0, true]);
    for (const message of [
      /"winston" is not installed/,
      /does not have the plugin "sentry"/,
      /origin: functions are not called; \[\] is used instead/,
    ])
      expect(report.warnings.join('\n')).to.match(message);
    const { status: failed, stderr } = await mangrove('--root', root, 'check', '--run');
    // Its own route names an action that the controller does not have, and its plugin requires a file that is missing.
    expect(failed).to.equal(1);
    expect(stderr).to.include('src/plugins/local-one/strapi-server.js cannot be loaded: Cannot find module');
  });

  it('JavaScript, CommonJS', async () => {
    const { status, report } = await check('javascript', JAVASCRIPT);
    expect([status, report.ok]).to.eql([0, true]);
    expect(report.warnings.join('\n')).to.match(/does not have the plugin "graphql"/);
    expect(report.events).to.have.length(report.warnings.length);
    expect(report.events).to.deep.include.members([
      {
        event: 'plugin-missing',
        file: 'config/plugins.js',
        plugin: 'graphql',
        meaning: '/graphql is not served',
        msg: report.warnings.find((line) => line.includes('graphql')),
      },
    ]);
    const problems = await loaded();
    expect(problems).to.include('the middleware global::audit does not exist');
    expect(problems).to.include('the policy global::is-owner does not exist');
  });

  it('path aliases, folders in camel case', async () => {
    const { status, report } = await check('aliases', ALIASES);
    expect([status, report]).to.eql([0, { ...report, ok: true, warnings: [] }]);
    expect(await loaded()).to.include('the policy global::x does not exist');
  });

  it('grants of routes that its code declares are not taken for typos', async () => {
    const { report } = await check('granted', {
      'config/roles.js': "module.exports = { public: ['api::own.own.anything'] };",
      'src/api/own/routes/own.js': `module.exports = {
        routes: [{ method: 'GET', path: '/anything', handler: 'own.anything' }],
      };`,
    });
    expect(report.warnings).to.deep.equal([]);
  });

  it('distinguishes a Strapi 3 project from others', async () => {
    root = join(folder, 'old');
    await mkdir(join(root, 'api', 'dish', 'models'), { recursive: true });
    await writeFile(join(root, 'api', 'dish', 'models', 'dish.settings.json'), '{}');
    const { status, stdout, stderr } = await mangrove('--root', root, 'check');
    expect(status).to.equal(1);
    expect(stdout + stderr).to.match(/This one is of Strapi 3: bring its content in with mangrove import/);
  });
});
