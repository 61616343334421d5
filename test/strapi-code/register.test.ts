/** What `register` changes in the models that `strapi` describes is in the schema, as in a Strapi 5.54; else it stops the start. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Serving, startServing } from '../../src/serve/index.js';
import { componentFile, typeFile } from '../support/schemas.js';
import { writeFiles } from '../support/write-files.js';
import { dropWhenDone, testDatabase } from './support.js';

const PUBLIC = ['find', 'findOne', 'create', 'update'].map((name) => `api::note.note.${name}`);

describe('models that register changes', function () {
  this.timeout(180_000);
  let root: string;
  let serving: Serving | undefined;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-strapi-register-'));
    Object.assign(globalThis, { registerSaw: [] });
  });
  afterEach(async () => {
    await dropWhenDone(serving);
    serving = undefined;
    await rm(root, { recursive: true, force: true });
  });
  /** @param code the bodies of the project's `register` and `bootstrap` */
  const start = async (
    { register = '', bootstrap = '' },
    { ignore = [] as string[], files = {} as Record<string, string> } = {},
  ) => {
    const core = (kind: string) =>
      `module.exports = require('@strapi/strapi').factories.${kind}('api::note.note');`;
    await writeFiles(root, {
      'src/api/note/content-types/note/schema.json': typeFile('note', {
        title: { type: 'string' },
        secret: { type: 'string' },
        part: { type: 'component', component: 'c.part', repeatable: false },
      }).content,
      'src/components/c/part.json': componentFile('c.part', { name: { type: 'string' } }).content,
      'src/api/note/routes/note.js': core('createCoreRouter'),
      'src/api/note/controllers/note.js': core('createCoreController'),
      'src/index.js': `module.exports = {
        register({ strapi }) { ${register} },
        async bootstrap({ strapi }) { ${bootstrap} },
      };`,
      ...files,
    });
    serving = await startServing({
      root,
      overrides: testDatabase({ code: { ignore }, roles: { public: PUBLIC } }),
    });
    return `http://127.0.0.1:${serving.port}/api`;
  };
  const ask = async (url: string, data?: object) => {
    const response = await fetch(url, {
      method: data ? 'POST' : 'GET',
      headers: { 'content-type': 'application/json' },
      ...(data && { body: JSON.stringify({ data }) }),
    });
    return { status: response.status, body: Object(await response.json()) };
  };

  it('have attributes that it added, by any of the names of a model', async () => {
    const url = await start({
      register: `
        strapi.contentType('api::note.note').attributes.one = { type: 'integer' };
        strapi.contentTypes['api::note.note'].attributes.two = { type: 'string', default: 'd' };
        strapi.getModel('api::note.note').attributes.three = { type: 'string' };
        strapi.get('content-types').get('api::note.note').attributes.four = { type: 'string' };
        strapi.get('content-types').extend('api::note.note', (type) => { type.attributes.five = { type: 'string' }; });
        strapi.components['c.part'].attributes.more = { type: 'string' };`,
    });
    const given = { title: 't', one: 1, three: '3', four: '4', five: '5', part: { name: 'p', more: 'm' } };
    const made = await ask(`${url}/notes?populate=*`, given);
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    expect(made.body.data).to.deep.include({ one: 1, two: 'd', three: '3', four: '4', five: '5' });
    expect(made.body.data.part).to.include({ name: 'p', more: 'm' });
    expect((await ask(`${url}/notes?filters[one]=1&fields=one`)).body.data).to.have.length(1);
    expect((await ask(`${url}/notes`, { one: 'no' })).status).to.equal(400);
  });

  it('have what it changed and lack what it removed: a private attribute is not shown', async () => {
    const url = await start({
      register: `
        const type = strapi.contentType('api::note.note');
        type.attributes.secret.private = true;
        type.attributes.title = { ...type.attributes.title, required: true };
        type.attributes.createdAt.private = true;
        delete type.attributes.part;
        type.options.draftAndPublish = true;`,
    });
    expect((await ask(`${url}/notes`, { secret: 's' })).status).to.equal(400);
    expect((await ask(`${url}/notes`, { title: 't', part: {} })).status).to.equal(400);
    const { body } = await ask(`${url}/notes`, { title: 't' });
    expect(body.data).to.include.keys('title', 'updatedAt', 'publishedAt');
    expect(body.data).to.not.have.any.keys('secret', 'createdAt', 'part');
    expect(serving?.project.schema.contentTypes.get('api::note.note')?.draftAndPublish).to.equal(true);
  });

  it('of plugins have what it added, and lifecycles of any type run', async () => {
    await start(
      {
        register: `
          strapi.plugin('users-permissions').contentTypes.user.attributes.nick = { type: 'string' };
          strapi.plugin('users-permissions').contentType('user').attributes.email.private = true;
          strapi.contentType('plugin::users-permissions.user').lifecycles = {
            beforeCreate: ({ params }) => { globalThis.registerSaw.push(params.data.nick); } };`,
        bootstrap: `
          const made = await strapi.db.query('plugin::users-permissions.user').create({
            data: { username: 'ann', email: 'ann@mail.example', password: 'Secret-123', nick: 'n' } });
          globalThis.registerSaw.push(made.nick);`,
      },
      {
        files: {
          'src/extensions/users-permissions/strapi-server.js': 'module.exports = (plugin) => plugin;',
        },
      },
    );
    expect(Object(globalThis).registerSaw).to.eql(['n', 'n']);
    const user = serving?.project.schema.contentTypes.get('plugin::users-permissions.user');
    expect(user?.attributes.get('email')?.private).to.equal(true);
  });

  it('and register of an extension may change them, too', async () => {
    const url = await start(
      {},
      {
        files: {
          'src/extensions/users-permissions/strapi-server.js': `module.exports = (plugin) => {
            plugin.contentTypes.user.schema.attributes.before = { type: 'string' };
            plugin.register = ({ strapi }) => { strapi.contentType('api::note.note').attributes.extra = { type: 'string' }; };
            return plugin;
          };`,
        },
      },
    );
    expect((await ask(`${url}/notes`, { extra: 'e' })).body.data.extra).to.equal('e');
    const { contentTypes } = Object(serving?.project.schema);
    expect(contentTypes.get('plugin::users-permissions.user').attributes.has('before')).to.equal(true);
  });

  for (const [what, code, says] of [
    [
      'an attribute that no schema may have',
      { register: "strapi.contentType('api::note.note').attributes.odd = { type: 'nothing' };" },
      ['src/api/note/content-types/note/schema', 'attributes.odd'],
    ],
    [
      'the kind of a type',
      { register: "strapi.contentType('api::note.note').kind = 'singleType';" },
      ["contentType('api::note.note').kind"],
    ],
    [
      'an attribute that every type has',
      { register: "strapi.contentType('api::note.note').attributes.createdBy.private = false;" },
      ["contentType('api::note.note').attributes.createdBy"],
    ],
    [
      'an attribute of a plugin, which loses its privacy',
      {
        register: "strapi.contentType('plugin::users-permissions.user').attributes.password.private = false;",
      },
      ["contentType('user')", 'password'],
    ],
    [
      'a new type',
      { register: "strapi.get('content-types').add('api::own', {});" },
      ["get('content-types').add"],
    ],
    [
      'an attribute, in bootstrap',
      { bootstrap: "strapi.contentType('api::note.note').attributes.secret.private = true;" },
      ['api::note.note', 'secret', 'bootstrap'],
    ],
  ] as const)
    it(`stop the start, by name, where it cannot be done: ${what}`, async () => {
      const failed = await start(code).catch(String);
      expect(failed).to.include.oneOf(['src/index.js']).and.include('code.ignore');
      for (const text of says) expect(failed).to.include(text);
      const url = await start(code, { ignore: ['src/index.js'] });
      expect((await ask(`${url}/notes`, { title: 't' })).status).to.equal(201);
    });
});
