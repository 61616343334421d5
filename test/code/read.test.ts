import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ignoreCode } from '../../src/code/ignore.js';
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
        `${method} ${path} ${(scope ?? action).replace('api::dish.dish.', '')}${open ? ' open' : ''}`,
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
    it(`reads the routes of a core router and those beside it: ${what}`, async () => {
      const found = await read({
        [ROUTES]: `const router = ${ROUTER}('api::dish.dish', { only: ['find'] });\n${EXTRA}\n${code}`,
      });
      expect(routesOf(found)).to.eql(['get /dishs find', 'get /dishs/all find open']);
      expect(found.closings.map(({ at }) => place(at))).to.eql(['get /dishs/best']);
    });

  it('reads them in TypeScript', async () => {
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
    it(`closes what more than joins them: ${code}`, async () => {
      const closed = await closedIn({
        [ROUTES]: `const router = ${ROUTER}('api::dish.dish');\n${EXTRA}
          function join(a, b, f) { return { get routes() { return f(a.routes.concat(b)); } }; }\n${code}`,
      });
      expect(closed).to.eql(['api::dish.*']);
    });

  it('says nothing of files that only call the factories, whatever their language', async () => {
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

  it('follows constants and spreads of the file', async () => {
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
    it(`closes what cannot be told without running: ${text}`, async () => {
      expect((await closedIn({ [ROUTES]: text })).join()).to.match(/^api::dish\.(dish\.)?\*$/);
    });

  it('serves routes of its own that name a core action, and closes those that need code', async () => {
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

  it('leaves a type without routes where its folder has code and no router', async () => {
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
      `module.exports = { beforeCreate(event) { event.params.data.slug = 'x'; }, afterUpdate() {}, beforeFindMany() { limit(); } };`,
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
      ['create', 'plugin::users-permissions.*'],
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

  it('names policies, middlewares, plugins, jobs and migrations', async () => {
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

  it('leaves a src alone that is a program of its own, with no types in it', async () => {
    const program = {
      'src/index.ts': "export { serve } from './serve.js';",
      'src/serve.ts': 'export const serve = (): number => 1;',
    };
    expect(describeCode(await read(program))).to.eql([]);
    const strapi = { 'src/api/dish/services/dish.js': 'module.exports = {};' };
    expect((await read(strapi)).files.map(({ file }) => file)).to.include.members(Object.keys(program));
  });

  it('opens what the operator ignores, by policy, by file or as a whole', async () => {
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
