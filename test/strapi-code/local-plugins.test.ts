/** Plugins of the project itself, as config/plugins names them: their server part runs. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Serving, startServing } from '../../src/serve/index.js';
import { objectAt } from '../../src/values/plain-object.js';
import { typeFile } from '../support/schemas.js';
import { writeFiles } from '../support/write-files.js';
import { dropWhenDone, testDatabase } from './support.js';

const BOAT = {
  kind: 'collectionType',
  info: { singularName: 'boat', pluralName: 'boats', displayName: 'Boat' },
  options: { draftAndPublish: true },
  attributes: {
    name: { type: 'string', required: true },
    code: { type: 'string' },
    notes: { type: 'relation', relation: 'oneToMany', target: 'api::note.note', mappedBy: 'boat' },
  },
};

/** A plugin as Strapi's generator lays it out, in one file. */
const FLEET = `const { factories } = require('@strapi/strapi');
module.exports = ({ env }) => ({
  register({ strapi }) { globalThis.fleetHooks = ['register ' + strapi.plugin('fleet').config('size')]; },
  async bootstrap({ strapi }) {
    globalThis.fleetHooks.push('bootstrap');
    await strapi.documents('plugin::fleet.boat').create({ data: { name: 'Ada' }, status: 'published' });
  },
  config: { default: { size: 1, ports: { home: 'Rome' } }, validator() {} },
  contentTypes: { boat: {
    schema: require('./boat.json'),
    lifecycles: { beforeCreate({ params }) { params.data.code = 'B-' + params.data.name; } },
  } },
  controllers: {
    boat: factories.createCoreController('plugin::fleet.boat'),
    info: ({ strapi }) => ({
      async index(ctx) {
        const { pluginName } = ctx.state.route.info;
        ctx.body = { pluginName, ...strapi.config.get('plugin::fleet'), names: await strapi.plugin('fleet').service('fleet').names() };
      },
      admin() {},
    }),
  },
  services: {
    boat: factories.createCoreService('plugin::fleet.boat'),
    fleet: ({ strapi }) => ({
      names: async () => (await strapi.db.query('plugin::fleet.boat').findMany({ where: { publishedAt: { $notNull: true } } })).map(({ name }) => name),
    }),
  },
  policies: { never: () => false },
  middlewares: {
    mark: () => async (ctx, next) => { await next(); ctx.set('x-mark', 'fleet'); },
    everywhere: () => async (ctx, next) => { ctx.set('x-everywhere', 'fleet'); await next(); },
  },
  routes: {
    'content-api': () => ({ type: 'content-api', routes: [
      { method: 'GET', path: '/', handler: 'info.index', config: { auth: false, middlewares: ['plugin::fleet.mark'] } },
      { method: 'GET', path: '/refused', handler: 'info.index', config: { auth: false, policies: ['never'] } },
      { method: 'GET', path: '/granted', handler: 'info.index' },
    ] }),
    boats: factories.createCoreRouter('plugin::fleet.boat', { config: { find: { auth: false } } }),
    admin: { type: 'admin', routes: [{ method: 'GET', path: '/panel', handler: 'info.admin', config: { auth: false } }] },
  },
});`;

const PLUGIN = {
  'config/plugins.js': `module.exports = {
    fleet: { enabled: true, resolve: './src/plugins/fleet', config: { size: 2 } } };`,
  'src/plugins/fleet/strapi-server.js': FLEET,
  'src/plugins/fleet/boat.json': BOAT,
};

describe('plugins of the project', function () {
  this.timeout(180_000);
  let root: string;
  let serving: Serving | undefined;
  let url: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-local-plugins-'));
  });
  afterEach(async () => {
    await dropWhenDone(serving);
    serving = undefined;
    await rm(root, { recursive: true, force: true });
  });
  const start = async (files: Record<string, string | object>) => {
    await writeFiles(root, {
      'src/api/note/content-types/note/schema.json': typeFile('note', {
        title: { type: 'string' },
        boat: { type: 'relation', relation: 'manyToOne', target: 'plugin::fleet.boat', inversedBy: 'notes' },
        rank: { type: 'customField', customField: 'plugin::fields.rank' },
      }).content,
      'src/api/note/routes/note.js': `module.exports = require('@strapi/strapi').factories.createCoreRouter('api::note.note');`,
      ...files,
    });
    serving = await startServing({
      root,
      overrides: testDatabase({
        roles: { public: ['plugin::fleet.boat.create', 'plugin::fleet.boat.find', 'api::note.note.create'] },
      }),
    });
    url = `http://127.0.0.1:${serving.port}/api`;
  };
  const ask = async (path: string, data?: object) => {
    const response = await fetch(
      url + path,
      data && {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ data }),
      },
    );
    const body: unknown = JSON.parse(await response.text());
    return { status: response.status, headers: response.headers, body };
  };

  it('have routes, controllers, services, policies, middlewares and configuration', async () => {
    await start({
      ...PLUGIN,
      'config/middlewares.js': `module.exports = ['errors', 'security', 'cors', 'query', 'body', 'public', 'favicon']
        .map((name) => 'strapi::' + name).concat('plugin::fleet.everywhere');`,
    });
    expect(Object(globalThis).fleetHooks).to.eql(['register 2', 'bootstrap']);
    const { status, headers, body } = await ask('/fleet');
    expect([status, body]).to.eql([
      200,
      { pluginName: 'fleet', size: 2, ports: { home: 'Rome' }, names: ['Ada'] },
    ]);
    expect([headers.get('x-mark'), headers.get('x-everywhere')]).to.eql(['fleet', 'fleet']);
    const refused = await ask('/fleet/refused');
    expect([refused.status, objectAt(refused.body, 'error')['name']]).to.eql([403, 'PolicyError']);
    expect((await ask('/fleet/granted')).status).to.equal(403);
    expect((await ask('/fleet/panel')).status).to.equal(404);
    expect(serving?.project.code.events).to.deep.include({
      name: 'admin-routes-left-out',
      plugin: 'plugin::fleet',
      count: 1,
    });
  });

  it('have content types, which others refer to', async () => {
    await start(PLUGIN);
    const made = await ask('/fleet/boats', { name: 'Bea' });
    expect(made.status).to.equal(201);
    const boat = objectAt(made.body, 'data');
    expect(boat).to.include({ name: 'Bea', code: 'B-Bea' });
    expect(
      (await ask('/notes?populate=boat', { title: 'n', boat: boat['documentId'] })).body,
    ).to.have.nested.property('data.boat.name', 'Bea');
    expect((await ask('/fleet/boats?sort=name')).body).to.have.nested.property('data.length', 2);
    // As in Strapi, they have no routes but those of the plugin.
    expect((await ask('/boats')).status).to.equal(404);
    expect((await ask('/fleet/boats', {})).body).to.have.nested.property('error.name', 'ValidationError');
  });

  it('have types that a file in extensions describes anew, as Strapi stores what its content-type builder changes', async () => {
    await start({
      ...PLUGIN,
      'src/extensions/fleet/content-types/boat/schema.json': {
        ...BOAT,
        collectionName: 'fleet_boats',
        options: { draftAndPublish: false },
        attributes: {
          ...BOAT.attributes,
          name: { type: 'string', minLength: 3 },
          owners: {
            type: 'relation',
            relation: 'manyToMany',
            target: 'plugin::users-permissions.user',
            inversedBy: 'boats',
          },
        },
      },
      'src/extensions/users-permissions/content-types/user/schema.json': {
        attributes: {
          boats: {
            type: 'relation',
            relation: 'manyToMany',
            target: 'plugin::fleet.boat',
            mappedBy: 'owners',
          },
        },
      },
    });
    const type = serving?.project.schema.contentTypes.get('plugin::fleet.boat');
    expect(type).to.include({ collectionName: 'fleet_boats', draftAndPublish: false });
    expect([...(type?.attributes.keys() ?? [])]).to.include('owners');
    expect((await ask('/fleet/boats', { name: 'ab' })).body).to.have.nested.property(
      'error.message',
      'name must be at least 3 characters',
    );
    expect((await ask('/fleet/boats', {})).status).to.equal(201);
  });

  it('register custom fields, whose attributes have their type', async () => {
    await start({
      'config/plugins.js': `module.exports = { fields: { enabled: true, resolve: './src/plugins/fields' } };`,
      'src/plugins/fields/strapi-server.js': `module.exports = { register: ({ strapi }) =>
        strapi.customFields.register({ name: 'rank', plugin: 'fields', type: 'integer' }) };`,
    });
    expect((await ask('/notes', { rank: '4' })).body).to.have.nested.property('data.rank', 4);
    expect((await ask('/notes', { rank: {} })).status).to.equal(400);
  });

  it('run from their source, and that of the project, if nothing is built, and are what an extension makes of them', async () => {
    await start({
      'config/plugins.js': `module.exports = { hello: { enabled: true, resolve: './src/plugins/hello' },
        off: { enabled: false, resolve: './src/plugins/off' } };`,
      'src/plugins/hello/package.json': {
        exports: {
          './strapi-server': { source: './server/src/index.ts', require: './dist/server/index.js' },
        },
      },
      'src/plugins/hello/server/src/index.ts': `import routes from './routes';
        import { words } from './words.js';
        export default { routes, controllers: { hello: { hi: (ctx: { body: unknown }): void => { ctx.body = { hi: words }; } } } };`,
      'src/words/index.ts': `export const words: readonly string[] = ['a'];`,
      'src/plugins/hello/server/src/words.js': `module.exports = require('../../../../../dist/src/words');`,
      'src/plugins/hello/server/src/routes.ts': `export default { 'content-api': { type: 'content-api', routes: [
        { method: 'GET', path: '/hi', handler: 'hello.hi', config: { auth: false } },
        { method: 'GET', path: '/more', handler: 'hello.more', config: { auth: false } } ] } };`,
      'src/extensions/hello/strapi-server.js': `module.exports = (plugin) => {
        plugin.controllers.hello.more = (ctx) => { ctx.body = { more: 1 }; };
        return plugin;
      };`,
      'src/plugins/off/strapi-server.js': `throw new Error('switched off');`,
      'src/plugins/unnamed/strapi-server.js': `throw new Error('not in config/plugins');`,
    });
    expect((await ask('/hello/hi')).body).to.eql({ hi: ['a'] });
    expect((await ask('/hello/more')).body).to.eql({ more: 1 });
  });
});
