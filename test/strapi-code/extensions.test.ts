/** Extensions of plugins: what runs, and what is closed by what they change. How Strapi answers is in project.test.ts. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Serving, startServing } from '../../src/serve/index.js';
import { examine } from '../../src/store/doctor/doctor.js';
import { objectAt } from '../../src/values/plain-object.js';
import { typeFile } from '../support/schemas.js';
import { writeFiles } from '../support/write-files.js';
import { dropWhenDone, testDatabase } from './support.js';

const UPLOADS = ['upload', 'find', 'findOne', 'destroy'].map((name) => `plugin::upload.content-api.${name}`);
const SIGN_IN = ['connect', 'callback', 'register'].map((name) => `plugin::users-permissions.auth.${name}`);
/** What each run makes anew. */
const VARIES = ['id', 'documentId', 'hash', 'url', 'createdAt', 'updatedAt', 'publishedAt'];
const SERVER = (plugin: string): string => `src/extensions/${plugin}/strapi-server.js`;

describe('extensions of plugins', function () {
  this.timeout(180_000);
  let root: string;
  let serving: Serving | undefined;
  let url: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-strapi-extensions-'));
    Object.assign(globalThis, { extensionNotes: [] });
  });
  afterEach(async () => {
    await dropWhenDone(serving);
    serving = undefined;
    await rm(root, { recursive: true, force: true });
  });
  const start = async (files: Record<string, string>, ignore: readonly string[] = []) => {
    await writeFiles(root, {
      'src/api/note/content-types/note/schema.json': typeFile('note', { title: { type: 'string' } }).content,
      'src/api/note/routes/note.js': `module.exports = { routes: [
        { method: 'POST', path: '/notes/upload', handler: 'note.upload', config: { auth: false } },
      ] };`,
      'src/api/note/controllers/note.js': `module.exports = {
        upload: (ctx) => strapi.plugin('upload').service('upload').upload({ data: {}, files: ctx.request.files.files }),
      };`,
      ...files,
    });
    serving = await startServing({
      root,
      overrides: testDatabase({ code: { ignore: [...ignore] }, roles: { public: [...UPLOADS, ...SIGN_IN] } }),
    });
    url = `http://127.0.0.1:${serving.port}/api`;
  };
  const notes = (): readonly unknown[] => Object(globalThis).extensionNotes;
  const ask = async (method: string, path: string, body?: FormData) => {
    const response = await fetch(url + path, { method, body: body ?? null });
    const text = await response.text();
    return {
      status: response.status,
      code: response.headers.get('x-error-code'),
      body: JSON.parse(text || 'null'),
    };
  };
  const form = (fields: Record<string, string> = {}, name = 'a.txt'): FormData => {
    const made = new FormData();
    for (const [key, value] of Object.entries(fields)) made.append(key, value);
    made.append('files', new Blob(['text'], { type: 'text/plain' }), name);
    return made;
  };

  it('of plugins that Mangrove does not have are not run', async () => {
    await start({
      [SERVER('documentation')]: `module.exports = () => { throw new Error('not here'); };`,
      [SERVER('content-manager')]:
        `module.exports = (plugin) => { globalThis.extensionNotes.push('ran'); return plugin; };`,
    });
    expect(notes()).to.eql([]);
    expect((await ask('GET', '/upload/files')).status).to.equal(200);
    const events = serving?.project.code.running?.events.map(({ name }) => name);
    expect(events).to.eql(['extension-left-out', 'extension-left-out']);
  });

  it('that change how accounts of other sites sign in close that alone', async () => {
    await start({
      [SERVER('users-permissions')]: `module.exports = (plugin) => {
        const create = plugin.services.providers;
        plugin.services.providers = (context) => ({ ...create(context), connect: async () => null });
        return plugin;
      };`,
    });
    expect(await ask('GET', '/connect/google')).to.include({ status: 501, code: 'strapi-api-unsupported' });
    expect(await ask('GET', '/auth/google/callback')).to.include({ status: 400, code: 'provider-disabled' });
    expect(await ask('POST', '/auth/local')).to.include({ status: 400, code: 'fields-not-valid' });
  });

  it('of accounts leave the addresses of the project its own, and sign in nobody by GET', async () => {
    await start({
      'src/api/note/routes/back.js': `module.exports = { routes: [
        { method: 'GET', path: '/auth/own/callback', handler: 'note.back', config: { auth: false } },
      ] };`,
      'src/api/note/controllers/note.js': `module.exports = { upload() {}, back: (ctx) => ctx.send({ own: true }) };`,
      [SERVER('users-permissions')]: `module.exports = (plugin) => {
        const create = plugin.controllers.auth;
        plugin.controllers.auth = (context) => {
          const auth = create(context);
          return { ...auth, callback: (ctx) => auth.callback(ctx) };
        };
        return plugin;
      };`,
    });
    expect((await ask('GET', '/auth/own/callback')).body).to.eql({ own: true });
    expect(await ask('GET', '/auth/google/callback')).to.include({ status: 400, code: 'provider-disabled' });
    expect(await ask('POST', '/auth/local')).to.include({ status: 400, code: 'fields-not-valid' });
  });

  it('that change how images are made close the upload, by name, and nothing else', async () => {
    await start({
      [SERVER('upload')]: `module.exports = (plugin) => {
        const images = plugin.services['image-manipulation'];
        const { optimize } = images;
        plugin.services['image-manipulation'] = { ...images, optimize: (file) => optimize.call(images, file) };
        return plugin;
      };`,
    });
    const message =
      "strapi.plugin('upload').service('image-manipulation') of an extension is not supported by Mangrove";
    for (const path of ['/upload', '/notes/upload']) {
      const { status, code, body } = await ask('POST', path, form());
      expect([status, code, body.error.message], path).to.eql([501, 'strapi-api-unsupported', message]);
    }
    expect((await ask('GET', '/upload/files')).body).to.eql([]);
    const project = serving?.project;
    if (!project) throw new TypeError('there is no server');
    const found = await examine(project.store, project.schema, ['code']);
    expect(found.map(({ text }) => text)).to.include(`POST /upload answers 501: ${message}`);
  });

  it('that change methods of the upload service are called by its routes', async () => {
    await start({
      [SERVER('upload')]: `module.exports = (plugin) => {
        const create = plugin.services.upload;
        plugin.services.upload = (context) => {
          const service = create(context);
          const noted = (name, run) => (...given) => { globalThis.extensionNotes.push(name); return run(...given); };
          return { ...service, ...Object.fromEntries(
            ['upload', 'replace', 'updateFileInfo', 'findMany', 'findOne', 'remove'].map((name) => [name, noted(name, service[name])]),
          ) };
        };
        return plugin;
      };`,
    });
    const made = await ask('POST', '/upload', form({ fileInfo: '{"caption":"one"}' }));
    expect([made.status, made.body[0].caption, made.body[0].name]).to.eql([201, 'one', 'a.txt']);
    const { id } = made.body[0];
    const replaced = await ask('POST', `/upload?id=${id}`, form({}, 'b.txt'));
    expect([replaced.status, replaced.body.name]).to.eql([200, 'b.txt']);
    const told = new FormData();
    told.append('fileInfo', '{"caption":"two"}');
    expect((await ask('POST', `/upload?id=${id}`, told)).body.caption).to.equal('two');
    expect((await ask('GET', '/upload/files?fields=caption')).body.map(objectAt)).to.have.length(1);
    expect((await ask('GET', `/upload/files/${id}`)).body.caption).to.equal('two');
    expect((await ask('DELETE', `/upload/files/${id}`)).status).to.equal(200);
    expect((await ask('GET', `/upload/files/${id}`)).status).to.equal(404);
    expect((await ask('GET', '/upload/files?filters[nothing]=1')).status).to.equal(400);
    expect(notes()).to.eql([
      ...['upload', 'replace', 'updateFileInfo', 'findMany', 'findOne', 'findOne', 'remove', 'findOne'],
    ]);
  });

  it('may load who has signed in; a service that is not assigned is not changed', async () => {
    await start({
      [SERVER('users-permissions')]: `module.exports = (plugin) => {
        const create = plugin.services.user;
        create({ strapi }).edit = () => globalThis.extensionNotes.push('not assigned');
        plugin.services.user = (context) => {
          const service = create(context);
          service.fetchAuthenticatedUser = async (id) => {
            const user = await strapi.query('plugin::users-permissions.user').findOne({ where: { id }, populate: ['role'] });
            return user.username === 'gone' ? null : { ...user, loaded: user.role.type };
          };
          return service;
        };
        return plugin;
      };`,
      'src/api/note/controllers/who.js': `module.exports = { async find(ctx) {
        const { id, username, loaded } = ctx.state.user;
        await strapi.plugin('users-permissions').service('user').edit(id, {});
        return { username, loaded };
      } };`,
      'src/api/note/routes/who.js': `module.exports = { routes: [
        { method: 'GET', path: '/who', handler: 'who.find', config: { auth: { scope: ['plugin::users-permissions.user.me'] } } } ] };`,
    });
    const who = async (username: string) => {
      const body = { username, email: `${username}@mail.example`, password: 'Secret-123' };
      const made = await fetch(`${url}/auth/local/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const { jwt } = objectAt(await made.json());
      const response = await fetch(`${url}/who`, { headers: { authorization: `Bearer ${String(jwt)}` } });
      return [made.status, response.status, await response.json()];
    };
    expect(await who('ann')).to.eql([200, 200, { username: 'ann', loaded: 'authenticated' }]);
    expect((await who('gone')).slice(0, 2)).to.eql([200, 401]);
    expect(notes()).to.eql([]);
  });

  it('run on the same answers as the built-in routes', async () => {
    const answers = async () => {
      const made = await ask('POST', '/upload', form({ fileInfo: '{"caption":"one"}' }));
      const rest = [made];
      for (const [method, path] of [
        ['GET', `/upload/files/${made.body[0].id}`],
        ['GET', '/upload/files?fields=name,mime&sort=name:desc'],
        ['GET', '/upload/files/page?fields=name&pagination[pageSize]=1'],
        ['POST', '/upload'],
        ['GET', '/upload/files/abc'],
      ] as const)
        rest.push(await ask(method, path));
      return JSON.parse(JSON.stringify(rest, (name, value) => (VARIES.includes(name) ? '' : value)));
    };
    await start({});
    const plain = await answers();
    await dropWhenDone(serving);
    serving = undefined;
    await start({
      [SERVER('upload')]: `module.exports = (plugin) => {
        const create = plugin.services.upload;
        plugin.services.upload = (context) => {
          const service = create(context);
          const again = (run) => (...given) => run(...given);
          return Object.fromEntries(Object.entries(service).map(([name, run]) => [name, again(run)]));
        };
        return plugin;
      };`,
    });
    expect(await answers()).to.eql(plain);
  });

  it('that wrap a controller see the form, and what they change counts', async () => {
    await start({
      [SERVER('upload')]: `module.exports = (plugin) => {
        const { find } = plugin.controllers['admin-file'];
        plugin.controllers['admin-file'].find = (ctx) => find(ctx);
        const create = plugin.controllers['content-api'];
        plugin.controllers['content-api'] = (context) => {
          const controller = create(context);
          return { ...controller, async upload(ctx) {
            globalThis.extensionNotes.push(ctx.request.files.files.originalFilename);
            ctx.request.body.fileInfo = { caption: 'changed' };
            await controller.upload(ctx);
            ctx.body = ctx.body.map((file) => ({ ...file, extended: true }));
          } };
        };
        return plugin;
      };`,
    });
    const { status, body } = await ask('POST', '/upload', form({ fileInfo: '{"caption":"sent"}' }));
    expect([status, body[0].caption, body[0].extended]).to.eql([201, 'changed', true]);
    expect(notes()).to.eql(['a.txt']);
  });

  it('add attributes to types, also private ones, and lifecycles to files', async () => {
    await start({
      [SERVER('upload')]: `module.exports = (plugin) => {
        const { file } = plugin.contentTypes;
        file.schema.attributes.credit = { type: 'string' };
        file.schema.attributes.secret = { type: 'string', private: true };
        file.schema.attributes.caption.private = true;
        file.lifecycles = { beforeCreate({ params: { data } }) { data.credit = 'by ' + data.name; data.secret = 'x'; } };
        return plugin;
      };`,
      [SERVER('users-permissions')]: `module.exports = (plugin) => {
        plugin.contentTypes.user.schema.attributes.nickname = { type: 'string' };
        plugin.contentTypes.role.schema.attributes.color = { type: 'string' };
        return plugin;
      };`,
    });
    const { body } = await ask('POST', '/upload', form());
    expect([body[0].credit, 'secret' in body[0], 'caption' in body[0]]).to.eql(['by a.txt', false, false]);
    expect((await ask('GET', '/upload/files?filters[credit]=by a.txt')).body).to.have.length(1);
    expect((await ask('GET', '/upload/files?filters[secret]=x')).status).to.equal(400);
    const { contentTypes } = serving?.project.schema ?? {};
    expect(contentTypes?.get('plugin::users-permissions.user')?.attributes.has('nickname')).to.equal(true);
    expect(contentTypes?.get('plugin::users-permissions.role')?.attributes.has('color')).to.equal(true);
  });

  it('may require attributes of accounts: nobody registers without them', async () => {
    await start({
      'src/extensions/users-permissions/content-types/user/schema.json': JSON.stringify({
        attributes: { phone: { type: 'string', required: true } },
      }),
      'config/plugins.js': `module.exports = { 'users-permissions': { config: { register: { allowedFields: ['phone'] } } } };`,
    });
    const register = async (body: object) => {
      const response = await fetch(`${url}/auth/local/register`, {
        method: 'POST',
        body: JSON.stringify({ username: 'ann', email: 'Ann@mail.example', password: 'Secret-123', ...body }),
        headers: { 'content-type': 'application/json' },
      });
      return { status: response.status, body: await response.json() };
    };
    const message = 'phone must be defined.';
    expect(await register({})).to.eql({
      status: 400,
      body: {
        data: null,
        error: {
          status: 400,
          name: 'ValidationError',
          message,
          details: { errors: [{ path: ['phone'], message, name: 'ValidationError' }] },
        },
      },
    });
    expect(await register({ phone: '1' })).to.include({ status: 200 });
  });

  it('may be told about GraphQL, which is not served', async () => {
    await start({
      'package.json': '{ "dependencies": { "@strapi/plugin-graphql": "5.54.0" } }',
      'src/index.js': `module.exports = { register({ strapi }) {
        const extension = strapi.plugin('graphql').service('extension');
        extension.use(({ nexus }) => ({ types: [nexus.objectType({ name: 'Note' })] }));
        extension.shadowCRUD('api::note.note').disableActions(['delete']).field('title').disableFilters();
        globalThis.extensionNotes.push('registered');
      } };`,
    });
    expect(notes()).to.eql(['registered']);
    expect((await fetch(url.replace('/api', '/graphql'))).status).to.equal(404);
  });

  it('are not needed for routes and controllers of a plugin: register may change them', async () => {
    await start({
      'src/index.js': `module.exports = { register({ strapi }) {
        const { routes, controllers } = strapi.plugin('users-permissions');
        const list = routes['content-api'].routes;
        const { register } = controllers.auth;
        controllers.auth.join = async (ctx) => {
          await register(ctx);
          ctx.body = { joined: ctx.body.user.username };
        };
        const joining = list.find(({ path }) => path === '/auth/local/register');
        Object.assign(joining, { handler: 'auth.join', config: { ...joining.config, auth: false } });
        list.push({ method: 'GET', path: '/hello', handler: 'user.hello', config: { auth: false } });
        controllers.user.hello = (ctx) => ctx.send({ hello: true });
      } };`,
    });
    expect((await ask('GET', '/users-permissions/hello')).body).to.eql({ hello: true });
    const body = new FormData();
    for (const [key, value] of Object.entries({ username: 'ann', email: 'ann@mail.example' }))
      body.append(key, value);
    body.append('password', 'Secret-123');
    expect((await ask('POST', '/auth/local/register', body)).body).to.eql({ joined: 'ann' });
  });

  it('run their hooks before those of the APIs and of the project', async () => {
    const hooks = (of: string): string =>
      ['register', 'bootstrap', 'destroy']
        .map((name) => `${name}: ({ strapi }) => void globalThis.extensionNotes.push('${of} ${name}')`)
        .join(', ');
    await start({
      [SERVER('email')]: `module.exports = (plugin) => ({ ...plugin, ${hooks('email')} });`,
      'src/api/note/index.js': `module.exports = { ${hooks('note')} };`,
      'src/index.js': `module.exports = { ${hooks('project')} };`,
    });
    await serving?.stop();
    serving = undefined;
    expect(notes()).to.eql(
      ['register', 'bootstrap', 'destroy'].flatMap((name) =>
        ['email', 'note', 'project'].map((of) => `${of} ${name}`),
      ),
    );
  });

  it('may put a whole schema in the place of a type, as Strapi has it', async () => {
    const own = `{ configurable: false, private: true }`;
    await start({
      [SERVER('users-permissions')]: `module.exports = (plugin) => {
        const { attributes } = JSON.parse(JSON.stringify(plugin.contentTypes.user.schema));
        for (const name of ['createdAt', 'updatedAt', 'publishedAt', 'locale', 'documentId', 'id', 'createdBy', 'updatedBy', 'localizations']) delete attributes[name];
        for (const attribute of Object.values(attributes)) { delete attribute.private; attribute.configurable = false; }
        for (const name of ['password', 'resetPasswordToken', 'confirmationToken']) Object.assign(attributes[name], ${own});
        plugin.contentTypes.user = { schema: {
          kind: 'collectionType', collectionName: 'up_users', options: { draftAndPublish: false },
          info: { name: 'user', description: 'of this site', singularName: 'user', pluralName: 'users', displayName: 'User' },
          attributes: { ...attributes, nickname: { type: 'string' } },
        } };
        return plugin;
      };`,
    });
    const user = serving?.project.schema.contentTypes.get('plugin::users-permissions.user');
    expect(user?.attributes.has('nickname')).to.equal(true);
    expect([user?.attributes.get('password')?.private, user?.attributes.get('email')?.private]).to.eql([
      true,
      false,
    ]);
  });

  for (const [what, plugin, text] of [
    [
      'how tokens are verified',
      'users-permissions',
      'plugin.services.jwt = () => ({ verify: () => ({ id: 1 }) });',
    ],
    [
      'a type of an attribute',
      'upload',
      "plugin.contentTypes.file.schema.attributes.name = { type: 'json' };",
    ],
    [
      'what is private',
      'upload',
      'plugin.contentTypes.file.schema.attributes.folderPath = { type: "string" };',
    ],
    [
      'which attributes there are',
      'users-permissions',
      'delete plugin.contentTypes.user.schema.attributes.email;',
    ],
    [
      'lifecycles of roles',
      'users-permissions',
      'plugin.contentTypes.role.lifecycles = { beforeCreate() {} };',
    ],
  ] as const)
    it(`that change ${what} stop the start, unless code.ignore names them`, async () => {
      const files = { [SERVER(plugin)]: `module.exports = (plugin) => { ${text} return plugin; };` };
      expect(await start(files).catch(String))
        .to.include(SERVER(plugin))
        .and.include('not supported');
      await start(files, [SERVER(plugin)]);
      expect((await ask('GET', '/upload/files')).status).to.equal(200);
    });

  it('routes of a project may be limited as sign-in is, each by itself', async () => {
    await start({
      'config/plugins.js': `module.exports = { 'users-permissions': { config: { ratelimit: { max: 2 } } } };`,
      'src/api/note/routes/limited.js': `const limited = (path, ...middlewares) =>
        ({ method: 'POST', path, handler: (ctx) => { ctx.body = { path }; }, config: { auth: false, middlewares } });
        const uid = 'plugin::users-permissions.rateLimit';
        module.exports = { routes: [limited('/code', uid), limited('/other', uid), limited('/own', { name: uid, config: { max: 9 } })] };`,
    });
    const send = async (path: string, email: string): Promise<number> => {
      const headers = { 'content-type': 'application/json' };
      return (await fetch(url + path, { method: 'POST', headers, body: JSON.stringify({ email }) })).status;
    };
    expect([await send('/code', 'a@x.io'), await send('/code', 'a@x.io')]).to.eql([200, 200]);
    expect([await send('/code', 'a@x.io'), await send('/CODE', 'a@x.io')]).to.include(429);
    expect([await send('/code', 'b@x.io'), await send('/other', 'a@x.io')]).to.eql([200, 200]);
    expect(await send('/own', 'a@x.io')).to.equal(501);
  });
});
