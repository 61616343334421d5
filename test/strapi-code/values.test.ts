/** What code reads of `strapi` and of a request, as Strapi 5.54 has it for the same project. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Serving, startServing } from '../../src/serve/index.js';
import { typeFile } from '../support/schemas.js';
import { writeFiles } from '../support/write-files.js';
import { dropWhenDone, testDatabase } from './support.js';

const NOTE = 'api::note.note';
const RAW = '{"a":  [1, 2]}';

interface Row {
  /** The body of a function of `ctx`. */
  readonly reads: string;
  readonly is: unknown;
  readonly method?: string;
  readonly body?: string;
  readonly type?: string;
}

const ROWS: readonly Row[] = [
  {
    reads: "[strapi.config.get('environment'), strapi.config.environment]",
    is: ['production', 'production'],
  },
  {
    reads: "[strapi.config.get('server.url'), strapi.config.get('server.absoluteUrl')]",
    is: ['/shop', 'http://127.0.0.1:1337/shop'],
  },
  {
    reads: "[strapi.config.get('admin.url'), strapi.config.get('admin.absoluteUrl')]",
    is: ['/shop/admin', 'http://127.0.0.1:1337/shop/admin'],
  },
  {
    reads:
      "[strapi.config.get('server.proxy'), strapi.config.get('server.cron'), strapi.config.server.dirs.public]",
    is: [false, { enabled: true }, './public'],
  },
  { reads: "strapi.config.get('api.rest.prefix')", is: '/api' },
  { reads: "strapi.config.get('api.rest.defaultLimit')", is: 7 },
  { reads: "strapi.config.get('nothing', 'fallback')", is: 'fallback' },
  { reads: "strapi.config.get('plugin::users-permissions.jwt')", is: { expiresIn: '7d' } },
  { reads: "typeof strapi.config.get('plugin::users-permissions.jwtSecret')", is: 'string' },
  { reads: "strapi.plugin('users-permissions').config('register')", is: { allowedFields: ['nick'] } },
  { reads: "strapi.config.get('plugin::upload.sizeLimit')", is: 1_000_000_000 },
  { reads: "strapi.plugin('graphql') === undefined", is: true },
  { reads: 'Object.keys(strapi.policies)', is: ['global::open'] },
  { reads: 'Object.keys(strapi.middlewares)', is: ['global::stamp', 'plugin::users-permissions.rateLimit'] },
  { reads: `'id' in strapi.contentType('${NOTE}').attributes`, is: false },
  {
    reads: "await strapi.store({ type: 'plugin', name: 'users-permissions' }).get({ key: 'advanced' })",
    is: {
      unique_email: true,
      allow_register: true,
      email_confirmation: false,
      email_reset_password: null,
      email_confirmation_redirection: null,
      default_role: 'authenticated',
    },
  },
  { reads: "await strapi.store.get({ type: 'plugin', name: 'i18n', key: 'default_locale' })", is: 'en' },
  {
    reads: `[
      await strapi.store.set({ type: 'plugin', name: 'audit', key: 'types', value: ['a'] }),
      ...(await Promise.all(['plugin_audit_types', 'plugin_audit_none', 'plugin_i18n_default_locale'].map((key) =>
        strapi.db.query('strapi::core-store').findOne({ where: { key } })))),
    ].map((row) => row && row.value)`,
    is: [null, '["a"]', null, '"en"'],
  },
  {
    reads: `[
      (await strapi.db.entityManager.create('${NOTE}', { data: { title: 'one' } })).title,
      await strapi.db.entityManager.count('${NOTE}', { where: { title: 'one' } }),
      await strapi.db.entityManager.deleteMany('${NOTE}', { where: { title: 'one' } }),
    ]`,
    is: ['one', 1, { count: 1 }],
  },
  { reads: 'ctx.request.body', is: {} },
  { reads: 'ctx.request.body', method: 'DELETE', is: {} },
  {
    reads: "[ctx.request.body[Symbol.for('unparsedBody')], ctx.request.body]",
    body: RAW,
    is: [RAW, { a: [1, 2] }],
  },
  {
    reads: "ctx.request.body[Symbol.for('unparsedBody')]",
    body: 'a=1&b=2',
    type: 'application/x-www-form-urlencoded',
    is: 'a=1&b=2',
  },
  {
    reads: "Object.keys(strapi.plugin('users-permissions').controllers.user).sort()",
    is: ['count', 'create', 'destroy', 'find', 'findOne', 'me', 'update'],
  },
  {
    reads:
      "await strapi.controller('plugin::users-permissions.auth').register(ctx).then(() => ctx.body.user.username)",
    body: JSON.stringify({ username: 'ann', email: 'ann@mail.example', password: 'Secret-123' }),
    is: 'ann',
  },
  {
    reads: `await strapi.plugin('users-permissions').service('user')
      .add({ username: 'bob', email: 'bob@mail.example', password: 'Secret-123', provider: 'local' })
      .then(({ username, role }) => [username, role])`,
    is: ['bob', null],
  },
  {
    reads: `[
      await strapi.documents('${NOTE}').create({ data: { title: 5 } }).catch((error) => error),
      new (require('@strapi/utils').errors.NotFoundError)('gone', { at: 1 }),
    ]`,
    is: [
      {
        name: 'ValidationError',
        message: 'title must be a `string` type, but the final value was: `5`.',
        details: {
          errors: [
            {
              path: ['title'],
              message: 'title must be a `string` type, but the final value was: `5`.',
              name: 'ValidationError',
              value: 5,
            },
          ],
        },
      },
      { name: 'NotFoundError', message: 'gone', details: { at: 1 } },
    ],
  },
  {
    reads: `new (require('@strapi/utils').errors.YupValidationError)({
      message: '1 error occurred',
      inner: [{ path: 'parts[0].label', message: 'too short', name: 'ValidationError', value: 'a' }],
    })`,
    is: {
      name: 'ValidationError',
      message: '1 error occurred',
      details: {
        errors: [
          { path: ['parts', '0', 'label'], message: 'too short', name: 'ValidationError', value: 'a' },
        ],
      },
    },
  },
  {
    reads: `await (async () => {
      const store = strapi.store({ type: 'plugin', name: 'users-permissions' });
      await strapi.plugin('users-permissions').service('users-permissions').syncPermissions();
      await store.set({ key: 'grant', value: { google: { enabled: false, callback: '/connect' } } });
      const before = await store.get({ key: 'advanced' });
      const refused = await store.set({ key: 'advanced', value: { ...before, default_role: 1 } }).catch(({ name }) => name);
      await store.set({ key: 'advanced', value: { ...before, allow_register: false } });
      const register = strapi.controller('plugin::users-permissions.auth').register;
      const closed = await register(ctx).catch(({ message }) => message);
      await store.set({ key: 'advanced', value: before });
      return [refused, closed, (await store.get({ key: 'grant' })).google.callback];
    })()`,
    body: JSON.stringify({ username: 'cat', email: 'cat@mail.example', password: 'Secret-123' }),
    is: ['ApplicationError', 'Register action is currently disabled', '/connect'],
  },
];

describe("what a Strapi project's code reads", function () {
  this.timeout(180_000);
  let root: string;
  let serving: Serving;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-strapi-values-'));
    await writeFiles(root, {
      'package.json': { name: 'values', dependencies: { '@strapi/strapi': '5.54.0' } },
      'config/server.js':
        "module.exports = { host: '127.0.0.1', port: 1337, url: '/shop', cron: { enabled: true }, app: { keys: ['one'] } };",
      'config/api.js': 'module.exports = { rest: { defaultLimit: 7 } };',
      'config/plugins.js': `module.exports = { 'users-permissions': { config: {
        jwt: { expiresIn: '7d' }, register: { allowedFields: ['nick'] } } } };`,
      'src/policies/open.js': 'module.exports = () => true;',
      'src/middlewares/stamp.js': 'module.exports = () => (ctx, next) => next();',
      'src/api/note/content-types/note/schema.json': typeFile('note', { title: { type: 'string' } }).content,
      'src/api/note/routes/note.js': `module.exports = { routes: ${JSON.stringify(
        ROWS.map(({ method, body }, at) => ({
          method: method ?? (body === undefined ? 'GET' : 'POST'),
          path: `/reads/${at}`,
          handler: `note.reads${at}`,
          config: { auth: false },
        })),
      )} };`,
      'src/api/note/controllers/note.js': `module.exports = { ${ROWS.map(
        ({ reads }, at) => `async reads${at}(ctx) { ctx.body = { is: ${reads} }; }`,
      ).join(',\n')} };`,
    });
    serving = await startServing({ root, overrides: testDatabase() });
  });
  after(async () => {
    await dropWhenDone(serving);
    await rm(root, { recursive: true, force: true });
  });

  for (const [at, { reads, is, method, body, type = 'application/json' }] of ROWS.entries())
    it(`${method ?? ''} ${reads.replace(/\s+/g, ' ')}`.trim(), async () => {
      const response = await fetch(`http://127.0.0.1:${serving.port}/api/reads/${at}`, {
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        ...(body !== undefined && { body, headers: { 'content-type': type } }),
      });
      expect(await response.json()).to.eql({ is });
    });
});
