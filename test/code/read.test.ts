import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ignoreCode, withoutReplaced } from '../../src/code/ignore.js';
import { readProjectCode } from '../../src/code/read.js';
import type { Closed, ProjectCode } from '../../src/code/types.js';
import { describeCode } from '../../src/serve/describe-code.js';
import { schemaOf, typeFile } from '../support/schemas.js';
import { writeFiles } from '../support/write-files.js';

const schema = schemaOf(
  typeFile('dish', { name: { type: 'string' } }),
  typeFile('about', { text: { type: 'string' } }, { kind: 'singleType' }),
);
const ROUTER = "require('@strapi/strapi').factories.createCoreRouter";
const ROUTES = 'src/api/dish/routes/dish.js';

const place = (at: Closed): string =>
  'everything' in at
    ? '*'
    : 'action' in at
      ? at.action.replace('api::dish.dish.', '')
      : 'prefix' in at
        ? `${at.prefix}*`
        : `${at.method} ${at.path}`;

describe('code/read', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-code-'));
  });
  afterEach(() => rm(root, { recursive: true }));

  const read = async (files: Readonly<Record<string, string>>): Promise<ProjectCode> => {
    await writeFiles(root, files);
    return readProjectCode(root, schema);
  };
  const closedIn = async (files: Readonly<Record<string, string>>): Promise<readonly string[]> =>
    (await read(files)).closings.map(({ at }) => place(at));
  const routesOf = (code: ProjectCode): readonly string[] =>
    (code.routes.get('api::dish.dish') ?? []).map(
      ({ method, path, action, open, scope }) =>
        `${method} ${path} ${scope ?? action.replace('api::dish.dish.', '')}${open ? ' open' : ''}`,
    );

  const EXTRA = `const extra = [
    { method: 'GET', path: '/dishs/best', handler: 'dish.best' },
    { method: 'GET', path: '/dishs/all', handler: 'dish.find', config: { auth: false } },
  ];`;
  const JOINED: readonly (readonly [string, string])[] = [
    [
      'customRouter of a function',
      `const customRouter = (innerRouter, extraRoutes = []) => {
        let routes;
        return {
          get prefix() { return innerRouter.prefix; },
          get routes() { if (!routes) routes = innerRouter.routes.concat(extraRoutes); return routes; },
        };
      };
      module.exports = customRouter(router, extra);`,
    ],
    [
      'a declared function that spreads',
      `function join(a, b) { return { get routes() { return [...b, ...a.routes]; } }; }
      module.exports = join(router, extra);`,
    ],
    [
      'an object with a getter',
      `module.exports = {
        get prefix() { return router.prefix; },
        get routes() { return [...router.routes, ...extra]; },
      };`,
    ],
  ];
  for (const [what, code] of JOINED)
    it(`reads the routes of a core router and those added to it: ${what}`, async () => {
      const found = await read({
        [ROUTES]: `const router = ${ROUTER}('api::dish.dish', { only: ['find'] });\n${EXTRA}\n${code}`,
      });
      expect(routesOf(found)).to.eql(['get /dishs find', 'get /dishs/all find open']);
      expect(found.closings.map(({ at }) => place(at))).to.eql(['get /dishs/best']);
    });

  it('reads them from TypeScript', async () => {
    const found = await read({
      'src/api/dish/routes/dish.ts': `import { factories } from '@strapi/strapi';
        const router = factories.createCoreRouter('api::dish.dish', { only: ['find'] });
        ${EXTRA}
        const customRouter = (innerRouter: any, extraRoutes: object[] = []) => {
          let routes: object[] | undefined;
          return {
            get prefix() { return innerRouter.prefix; },
            get routes() {
              if (!routes) routes = innerRouter.routes.concat(extraRoutes);
              return routes;
            },
          };
        };
        export default customRouter(router, extra);`,
    });
    expect(routesOf(found)).to.eql(['get /dishs find', 'get /dishs/all find open']);
    expect(found.closings.map(({ at }) => place(at))).to.eql(['get /dishs/best']);
  });

  for (const code of [
    'module.exports = join(router, extra, (r) => r);',
    'module.exports = { get routes() { return [...router.routes, ...load()]; } };',
    'module.exports = { get routes() { return router.routes.filter((r) => r.x); } };',
    'module.exports = { get routes() { return router.routes.concat(extra.map((r) => r)); } };',
    'module.exports = { get routes() { return router.routes; }, type: kind() };',
    'module.exports = { get routes() { return [...extra]; } };',
  ])
    it(`closes routers that do more than concatenate routes: ${code}`, async () => {
      const closed = await closedIn({
        [ROUTES]: `const router = ${ROUTER}('api::dish.dish');\n${EXTRA}
          function join(a, b, f) { return { get routes() { return f(a.routes.concat(b)); } }; }\n${code}`,
      });
      expect(closed).to.eql(['api::dish.*']);
    });

  it('ignores files that only call the factories, in either language', async () => {
    const code = await read({
      [ROUTES]: `'use strict'; module.exports = ${ROUTER}('api::dish.dish');`,
      'src/api/dish/controllers/dish.ts': `import { factories } from '@strapi/strapi';
        export default factories.createCoreController('api::dish.dish');`,
      'src/api/dish/services/dish.ts': `import { factories } from '@strapi/strapi';
        const uid = 'api::dish.dish' as const;
        export default factories.createCoreService(uid);`,
      'src/index.ts': `export default { register(/* { strapi } */) {}, bootstrap({ strapi }: { strapi: any }) {} };`,
    });
    expect(describeCode(code)).to.eql([]);
    expect(routesOf(code)).to.eql([
      'get /dishs find',
      'get /dishs/:documentId findOne',
      'post /dishs create',
      'put /dishs/:documentId update',
      'delete /dishs/:documentId delete',
    ]);
    expect(code.routes.has('api::about.about')).to.equal(false);
  });

  const routers: readonly (readonly [
    options: string,
    routes: readonly string[],
    closed: readonly string[],
  ])[] = [
    ["{ only: ['find', 'findOne'] }", ['get /dishs find', 'get /dishs/:documentId findOne'], []],
    ["{ except: ['create', 'update', 'delete', 'findOne'] }", ['get /dishs find'], []],
    ['{ only: [] }', [], []],
    ["{ only: ['find'], config: { find: { auth: false } } }", ['get /dishs find open'], []],
    ["{ only: ['find'], prefix: '/v1' }", ['get /v1/dishs find'], []],
    ["{ only: ['find'], config: { find: { policies: [], middlewares: [] } } }", ['get /dishs find'], []],
    [
      "{ only: ['find'], config: { find: { auth: { scope: ['api::x.x.y'] } } } }",
      ['get /dishs api::x.x.y'],
      [],
    ],
    ["{ only: ['find'], config: { find: { policies: ['is-owner'] } } }", ['get /dishs find'], ['find']],
    ["{ only: ['find'], config: { find: { middlewares: ['global::x'] } } }", ['get /dishs find'], ['find']],
    ["{ only: ['find'], config: { find: { policies: [(ctx) => false] } } }", ['get /dishs find'], ['find']],
    ["{ only: ['find'], config: { find: { policies: mine() } } }", ['get /dishs find'], ['find']],
    ["{ only: ['find'], config: { find: { auth: { strategies: ['x'] } } } }", ['get /dishs find'], ['find']],
  ];
  for (const [options, routes, closed] of routers)
    it(`a core router with ${options}`, async () => {
      const code = await read({
        [ROUTES]: `import { factories } from '@strapi/strapi';\nexport default factories.createCoreRouter('api::dish.dish', ${options});`,
      });
      expect(routesOf(code)).to.eql(routes);
      expect(code.closings.map(({ at }) => place(at))).to.eql(closed);
    });

  it('follows constants and spreads within the file', async () => {
    const code = await read({
      [ROUTES]: `const { createCoreRouter } = require('@strapi/strapi').factories;
        const shut = { policies: ['global::never'] };
        const reads = ['find'];
        const options = { only: [...reads, 'create'], config: { create: { ...shut } } };
        module.exports = createCoreRouter('api::dish.dish', options);`,
    });
    expect(routesOf(code)).to.eql(['get /dishs find', 'post /dishs create']);
    expect(code.closings).to.have.length(1);
    expect(code.closings[0]?.names).to.eql(['global::never', ROUTES]);
  });

  for (const text of [
    `module.exports = ${ROUTER}('api::dish.dish', options());`,
    `module.exports = ${ROUTER}('api::dish.dish', { only: actions });`,
    `const inner = ${ROUTER}('api::dish.dish'); module.exports = withExtras(inner, []);`,
    'module.exports = { routes: [...require("./shared")] };',
    'export default ({ strapi }) => ({ routes: strapi.routes });',
    'export default {',
  ])
    it(`closes what cannot be determined without running it: ${text}`, async () => {
      expect((await closedIn({ [ROUTES]: text })).join()).to.match(/^api::dish\.(dish\.)?\*$/);
    });

  it('serves custom routes that call a core action, and closes those that need code', async () => {
    const code = await read({
      'src/api/dish/routes/01-custom.ts': `export default { routes: [
        { method: 'GET', path: '/menu', handler: 'dish.find' },
        { method: 'GET', path: '/menu/:slug', handler: 'api::dish.dish.findOne', config: { auth: false } },
        { method: 'POST', path: '/menu', handler: 'dish.create', config: { policies: ['chef'] } },
        { method: 'GET', path: '/dishs/best', handler: 'dish.best', config: { auth: false } },
        { method: 'POST', path: '/dishs/:id/rate', handler: async (ctx: any) => {} },
      ] } satisfies object;`,
    });
    expect(routesOf(code)).to.eql([
      'get /menu find',
      'get /menu/:documentId findOne open',
      'post /menu create',
    ]);
    expect(code.closings.map(({ at }) => place(at))).to.eql([
      'post /menu',
      'get /dishs/best',
      'post /dishs/:id/rate',
    ]);
  });

  it('leaves a type without routes if its folder has code but no router', async () => {
    const code = await read({ 'src/api/dish/controllers/dish.js': 'module.exports = {};' });
    expect(code.routes.get('api::dish.dish')).to.eql([]);
  });

  const closing: readonly (readonly [file: string, text: string, closed: readonly string[]])[] = [
    [
      'src/api/dish/controllers/dish.js',
      `module.exports = createCoreController('api::dish.dish', ({ strapi }) => ({ async find(ctx) { return super.find(ctx); }, best() {} }));`,
      ['find'],
    ],
    [
      'src/api/dish/services/dish.js',
      `module.exports = createCoreService('api::dish.dish', () => { return { findOne: async () => null }; });`,
      ['findOne'],
    ],
    [
      'src/api/dish/controllers/dish.ts',
      `export default factories.createCoreController('api::dish.dish', made());`,
      ['find', 'findOne', 'create', 'update', 'delete'],
    ],
    [
      'src/api/dish/content-types/dish/lifecycles.js',
      `const slugify = require('slugify');
       module.exports = { beforeCreate({ params }) { params.data.slug = slugify(params.data.name); }, afterUpdate() {}, beforeFindMany() { limit(); } };`,
      ['find', 'findOne'],
    ],
    [
      'src/api/dish/content-types/dish/lifecycles.ts',
      `export default { beforeDelete() { if (Math.random()) throw new Error('no'); }, afterFindOne(event) { delete event.result.x; } };`,
      ['delete', 'find', 'findOne'],
    ],
    [
      'src/extensions/users-permissions/strapi-server.js',
      `module.exports = (plugin) => {
        plugin.controllers.user.me = async (ctx) => {};
        plugin.routes['content-api'].routes.push({ method: 'GET', path: '/users/mine', handler: 'user.mine' });
        return plugin; };`,
      ['plugin::users-permissions.user.me', 'get /users/mine'],
    ],
    [
      'src/index.js',
      `module.exports = { register({ strapi }) { strapi.documents.use((c, next) => next()); } };`,
      ['*'],
    ],
    ['src/index.js', `module.exports = { async bootstrap({ strapi }) { await seed(strapi); } };`, []],
    [
      'src/index.ts',
      `export default { bootstrap({ strapi }) { strapi.db.lifecycles.subscribe({ models: ['api::dish.dish'], async afterCreate(event) { notify(event); } }); } };`,
      [],
    ],
    [
      'src/index.ts',
      `const models = ['api::dish.dish', 'plugin::users-permissions.user'];
       export default { bootstrap({ strapi }) { strapi.db.lifecycles.subscribe({ models, beforeCreate() { throw new Error('no'); } }); } };`,
      ['create', 'update', 'plugin::users-permissions.*'],
    ],
    [
      'src/index.ts',
      `export default { bootstrap({ strapi }) { strapi.db.lifecycles.subscribe({ afterFindMany(event) { hide(event); } }); } };`,
      ['*'],
    ],
    [
      'src/index.js',
      `module.exports = { bootstrap({ strapi }) { strapi.db.lifecycles.subscribe((event) => log(event)); } };`,
      ['*'],
    ],
    [
      'src/documentMiddlewares/page.ts',
      `export const use = ({ strapi }) => strapi.documents.use(only);`,
      ['*'],
    ],
    [
      'src/plugins/guard/server/register.js',
      `module.exports = ({ strapi }) => { strapi.server.use(guard); };`,
      ['*'],
    ],
  ];
  for (const [file, text, closed] of closing)
    it(`${file}: ${text.slice(0, 70)}`, async () => {
      const code = await read({ 'src/api/dish/content-types/dish/schema.json': '{}', [file]: text });
      expect(code.closings.map(({ at }) => place(at))).to.eql(closed);
      expect(code.files.map((one) => one.file)).to.eql([file]);
    });

  const LIFECYCLES = 'src/api/dish/content-types/dish/lifecycles.js';
  const SERVER = 'src/extensions/users-permissions/strapi-server.js';
  const CONTROLLER = 'src/api/dish/controllers/dish.js';
  const ALL = ['find', 'findOne', 'create', 'update', 'delete'];
  const USERS = ['plugin::users-permissions.*'];
  /** What a project might contain that a reader of its code could miss. */
  const hidden: readonly (readonly [
    what: string,
    files: Readonly<Record<string, string>>,
    closed: readonly string[],
  ])[] = [
    [
      'a method that filters the response of a core controller',
      {
        [CONTROLLER]: `module.exports = createCoreController('api::dish.dish', () => ({ async sanitizeOutput(data) { return hide(data); } }));`,
      },
      ALL,
    ],
    [
      'a method that filters what is written',
      {
        [CONTROLLER]: `module.exports = createCoreController('api::dish.dish', () => ({ validateInput() {} }));`,
      },
      ['create', 'update'],
    ],
    [
      'the parameters of every call of a service',
      {
        'src/api/dish/services/dish.js': `module.exports = createCoreService('api::dish.dish', { getFetchParams: () => ({ filters: { own: true } }) });`,
      },
      ALL,
    ],
    [
      'a controller with CommonJS members',
      { [CONTROLLER]: `exports.find = async (ctx) => {}; exports.helper = () => 1;` },
      ['find'],
    ],
    [
      'members that are added to the exported object',
      { [CONTROLLER]: `module.exports = {}; module.exports.find = async () => {};` },
      ALL,
    ],
    [
      'conditional exports',
      { [CONTROLLER]: `if (process.env.SAFE) module.exports = guarded(); else module.exports = {};` },
      ALL,
    ],
    ['a re-export from another file', { [CONTROLLER]: `export { default } from '../guarded';` }, ALL],
    [
      'a custom factory with the name of one of Strapi’s',
      {
        [CONTROLLER]: `import { createCoreController } from '../../../utils/guarded';
          export default createCoreController('api::dish.dish');`,
      },
      ALL,
    ],
    [
      'a name with a different case from the type’s',
      {
        'src/api/dish/controllers/Dish.ts': `export default factories.createCoreController('api::dish.dish', () => ({ find() {} }));`,
      },
      ['find'],
    ],
    [
      'conditional members',
      {
        [CONTROLLER]: `module.exports = createCoreController('api::dish.dish', () => { if (x) { return { find() {} }; } return {}; });`,
      },
      ALL,
    ],
    [
      'a router whose options are changed afterwards',
      {
        [ROUTES]: `const config = {}; config.find = { policies: ['global::never'] };
          module.exports = ${ROUTER}('api::dish.dish', { config });`,
      },
      ['api::dish.dish.*'],
    ],
    [
      'a router that other code may change',
      { [ROUTES]: `const router = ${ROUTER}('api::dish.dish'); guard(router); module.exports = router;` },
      ['api::dish.*'],
    ],
    [
      'routes changed by a loop',
      {
        [ROUTES]: `const routes = [{ method: 'GET', path: '/dishs', handler: 'dish.find' }];
          for (const route of routes) route.config = { policies: ['global::never'] };
          module.exports = { routes };`,
      },
      ['api::dish.*'],
    ],
    ['a router with another name', { [ROUTES]: `module.exports = ${ROUTER}(uid);` }, ['api::dish.*']],
    [
      'a write rejected by a function in the same file',
      {
        [LIFECYCLES]: `const check = (e) => { if (!e) throw new Error('no'); }; module.exports = { beforeCreate(e) { check(e); } };`,
      },
      ['create'],
    ],
    [
      'a write rejected by a function in another file',
      {
        'src/utils/check.js': `module.exports = (e) => { throw new Error('no'); };`,
        [LIFECYCLES]: `const check = require('../../../../utils/check'); module.exports = { async beforeUpdate(e) { await check(e); } };`,
      },
      ['update'],
    ],
    [
      'a write that depends on the caller',
      {
        [LIFECYCLES]: `module.exports = { beforeCreate(e) { e.params.data.owner = strapi.requestContext.get().state.user.id; } };`,
      },
      ['create'],
    ],
    [
      'a write that removes or sets fields of the body',
      {
        [LIFECYCLES]: `module.exports = { beforeCreate(e) { e.params.data.approved = false; }, beforeUpdate(e) { delete e.params.data.approved; } };`,
      },
      ['create', 'update'],
    ],
    [
      'a write that a custom service may reject',
      {
        [LIFECYCLES]: `module.exports = { async beforeDelete(e) { await strapi.service('api::dish.guard').check(e); } };`,
      },
      ['delete'],
    ],
    [
      'hooks that cannot be parsed',
      { [LIFECYCLES]: `module.exports = { beforeCreate( }` },
      ['api::dish.dish.*'],
    ],
    ['an extension in another place', { [SERVER]: `module.exports = require('./real');` }, USERS],
    [
      'an extension as a declared function',
      {
        [SERVER]: `export default function extend(plugin) { plugin.controllers.user.find = async () => {}; return plugin; }`,
      },
      ['plugin::users-permissions.user.find'],
    ],
    [
      'an extension that destructures the plugin',
      {
        [SERVER]: `module.exports = (plugin) => { const { controllers } = plugin; controllers.user.find = async () => {}; return plugin; };`,
      },
      USERS,
    ],
    [
      'an extension that merges objects',
      { [SERVER]: `module.exports = (plugin) => _.merge(plugin, { controllers: { user: { find() {} } } });` },
      USERS,
    ],
    [
      'an extension that returns another plugin',
      { [SERVER]: `module.exports = (plugin) => ({ ...plugin, controllers: {} });` },
      USERS,
    ],
    [
      'an extension that changes sign-in',
      {
        [SERVER]: `module.exports = (plugin) => { plugin.services.user = () => ({ fetchAuthenticatedUser() {} }); return plugin; };`,
      },
      ['*'],
    ],
    [
      'an extension that makes an attribute private',
      {
        [SERVER]: `module.exports = (plugin) => { plugin.contentTypes.user.schema.attributes.email.private = true; return plugin; };`,
      },
      ['*'],
    ],
    [
      'an extension that only adds an attribute, and calls the original',
      {
        [SERVER]: `module.exports = (plugin) => {
          plugin.contentTypes.user.schema.attributes.phone = { type: 'string' };
          const { length } = [];
          return plugin; };`,
      },
      [],
    ],
    [
      'an alias of the Document Service',
      {
        'src/index.js': `module.exports = { register({ strapi }) { const docs = strapi.documents; docs.use(guard); } };`,
      },
      ['*'],
    ],
    [
      'the Document Service taken from the container',
      {
        'src/index.js': `module.exports = { register({ strapi: app }) { app.get('documents').use(guard); } };`,
      },
      ['*'],
    ],
    [
      'Koa itself',
      { 'src/index.js': `module.exports = { register: ({ strapi }) => strapi.server.app.use(guard) };` },
      ['*'],
    ],
    [
      'a controller that is replaced at startup',
      {
        'src/index.ts': `export default { bootstrap({ strapi }) { const dish = strapi.controller('api::dish.dish'); dish.find = async () => {}; } };`,
      },
      ['*'],
    ],
    [
      'a controller that is extended at startup',
      {
        'src/index.ts': `export default { register({ strapi }) { strapi.get('controllers').extend('api::dish.dish', wrap); } };`,
      },
      ['*'],
    ],
    [
      'an attribute that is made private at startup',
      {
        'src/index.ts': `export default { register({ strapi }) { Object.assign(strapi.contentType('api::dish.dish').attributes.name, { private: true }); } };`,
      },
      ['*'],
    ],
    [
      'a filter on every response',
      {
        'src/index.ts': `export default { register({ strapi }) { strapi.sanitizers.get('content-api.output').push(hide); } };`,
      },
      ['*'],
    ],
    [
      'code outside src that src imports',
      {
        'src/index.js': `module.exports = require('../lib/server');`,
        'lib/server.js': `const guard = require('./guard'); module.exports = { register: guard };`,
        'lib/guard.js': `module.exports = ({ strapi }) => strapi.documents.use(() => {});`,
      },
      ['*'],
    ],
    [
      'an ordinary bootstrap function',
      {
        'src/index.ts': `export default { async bootstrap({ strapi }) {
          strapi.log.info('start'); strapi.io = createServer(strapi.server.httpServer); strapi.io.on('connection', greet);
          strapi.eventHub.on('entry.create', notify); strapi.cron.add({}); strapi.customFields.register({});
          const count = await strapi.documents('api::dish.dish').count(); if (count === 0) await strapi.service('api::dish.dish').create({});
          await strapi.store({ type: 'core' }).set({ key: 'x', value: 1 });
          await strapi.db.query('api::dish.dish').update({ where: {} }); app.use(express.json()); } };`,
      },
      [],
    ],
  ];
  for (const [what, files, closed] of hidden)
    it(`finds ${what}`, async () => {
      const code = await read({ 'src/api/dish/content-types/dish/schema.json': '{}', ...files });
      expect(code.closings.map(({ at }) => place(at))).to.eql(closed);
      expect(code.files.length + code.warnings.length).to.be.greaterThan(0);
    });

  it('reads a router returned by a function', async () => {
    const code = await read({
      [ROUTES]: `export default ({ strapi }) => ({ routes: [{ method: 'GET', path: '/menu', handler: 'dish.find' }] });`,
    });
    expect(routesOf(code)).to.eql(['get /menu find']);
  });

  it('leaves out routes that Strapi does not load', async () => {
    const code = await read({
      'src/api/dish/routes/dish.js': `module.exports = ${ROUTER}('api::dish.dish', { only: ['find'] });`,
      'src/api/dish/routes/old/dish.js': `module.exports = ${ROUTER}('api::dish.dish');`,
    });
    expect(routesOf(code)).to.eql(['get /dishs find']);
  });

  it('requires the same grant as Strapi if the action belongs to another API', async () => {
    const code = await read({
      'src/api/other/routes/other.js': `module.exports = { routes: [{ method: 'GET', path: '/menu', handler: 'api::dish.dish.find' }] };`,
    });
    expect(routesOf(code)).to.eql(['get /menu api::other.api::dish.dish.find']);
  });

  it('leaves out a type without a router if Strapi is installed, and reports it', async () => {
    const code = await read({
      'package.json': '{ "dependencies": { "@strapi/strapi": "5.0.0" } }',
      'src/api/dish/content-types/dish/schema.json': '{}',
    });
    expect(code.routes.get('api::dish.dish')).to.eql([]);
    expect(code.files.map(({ does }) => does).join()).to.match(/no router/);
  });

  it('lists the standard routes as closed if those in code cannot be determined', async () => {
    const code = await read({ [ROUTES]: 'export default { routes: make() };' });
    expect(routesOf(code)).to.have.length(5);
    expect(code.closings.map(({ at }) => place(at))).to.eql(['api::dish.*']);
  });

  it('opens a route whose policy is replaced by one of Mangrove’s', async () => {
    const code = await read({
      [ROUTES]: `module.exports = { routes: [
        { method: 'GET', path: '/dishs', handler: 'dish.find', config: { policies: ['global::is-owner'] } },
        { method: 'PUT', path: '/dishs/:id', handler: 'dish.update', config: { policies: ['global::is-owner'], middlewares: ['global::log'] } },
      ] };`,
    });
    const left = (...policies: readonly string[]): readonly string[] =>
      withoutReplaced(code, policies).closings.map(({ at, names }) => `${place(at)} ${names[0]}`);
    const middleware = 'put /dishs/:id global::log';
    expect(left('GET /dishs')).to.eql(['put /dishs/:id global::is-owner', middleware]);
    expect(left('GET /dishs', 'PUT /dishs/:id')).to.eql([middleware]);
    expect(left('*')).to.have.length(3);
  });

  it('lists policies, middlewares, plugins, jobs and migrations', async () => {
    const files = [
      'config/cron-tasks.ts',
      'database/migrations/2024.01.01.js',
      'src/api/dish/policies/is-owner.js',
      'src/middlewares/logger.ts',
      'src/plugins/map/server/index.js',
      'src/policies/global.js',
    ];
    const code = await read(Object.fromEntries(files.map((file) => [file, 'module.exports = () => true;'])));
    expect(code.files.map(({ file }) => file).sort()).to.eql(files);
  });

  it('ignores a src folder without types, which belongs to another program', async () => {
    const program = {
      'src/index.ts': "export { serve } from './serve.js';",
      'src/serve.ts': 'export const serve = (): number => 1;',
    };
    expect(describeCode(await read(program))).to.eql([]);
    const strapi = { 'src/api/dish/services/dish.js': 'module.exports = {};' };
    expect((await read(strapi)).files.map(({ file }) => file)).to.include.members(Object.keys(program));
  });

  it('opens what the operator ignores: a policy, a file or everything', async () => {
    const code = await read({
      [ROUTES]: `module.exports = ${ROUTER}('api::dish.dish', { config: { find: { policies: ['a', 'global::b'] }, create: { policies: ['a'] } } });`,
    });
    const left = (ignored: true | readonly string[]): readonly string[] =>
      ignoreCode(code, ignored).closings.map(({ at, names }) => `${place(at)} ${names[0]}`);
    expect(left(['api::dish.a'])).to.eql(['find global::b']);
    expect(left([ROUTES])).to.eql([]);
    expect(left(true)).to.eql([]);
    expect(left(['a'])).to.have.length(3);
  });
});
