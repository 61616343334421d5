/** What docs/strapi-code.md lists under "Differences", as far as no other test has it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openProject } from '../../src/project.js';
import { type Serving, startServing } from '../../src/serve/index.js';
import { typeFile } from '../support/schemas.js';
import { writeFiles } from '../support/write-files.js';
import { dropWhenDone, testDatabase } from './support.js';

const UID = 'api::note.note';

/** The body of a handler of `ctx`. */
const HANDLERS = {
  sets: "strapi.config.set('server.requestMs', 1); return { is: strapi.config.get('server.requestMs') };",
  sanitizes: "return this.sanitizeInput({ title: 'a', nothing: 1 }, ctx);",
  sanitizesQuery:
    "return this.sanitizeQuery({ query: { filters: { nothing: 1, title: 'a' } }, state: ctx.state });",
  body: 'return { is: ctx.request.body };',
};

const POLICIES = {
  query: '(ctx) => { ctx.query.fields = ["title"]; return true; }',
  answers: '(ctx) => { ctx.unauthorized(); return true; }',
};

describe("a Strapi project's code that differs", function () {
  this.timeout(180_000);
  let root: string;
  let serving: Serving;
  const overrides = testDatabase();
  const strapi = () => Object(serving.project.code.running?.strapi);
  const users = () => strapi().plugin('users-permissions').service('user');

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-strapi-differences-'));
    Object.assign(globalThis, { differs: [] });
    const routes = [
      ...Object.keys(HANDLERS).map((name) => ({ path: `/notes/${name}`, handler: `note.${name}` })),
      ...Object.entries(POLICIES).map(([name, code]) => ({
        path: `/policies/${name}`,
        handler: 'note.find',
        code,
      })),
    ].map(
      ({ path, handler, ...given }) =>
        `{ method: 'ALL', path: '${path}', handler: '${handler}', config: { auth: false, policies: [${'code' in given ? given.code : ''}] } }`,
    );
    await writeFiles(root, {
      'config/roles.js': `module.exports = { public: ['${UID}.find', '${UID}.create', 'plugin::upload.content-api.find'] };`,
      'src/index.js': `module.exports = {
        register({ strapi }) {
          globalThis.differs.push('register');
          strapi.documents.use((context, next) => { globalThis.differs.push(context.action); return next(); });
        },
        bootstrap() { globalThis.differs.push('bootstrap'); },
      };`,
      'src/api/note/content-types/note/schema.json': typeFile(
        'note',
        {
          title: { type: 'string', unique: true },
          picture: { type: 'media', multiple: false },
        },
        { draftAndPublish: true },
      ).content,
      'src/api/note/content-types/note/lifecycles.js':
        "module.exports = { beforeCreate() { globalThis.differs.push('beforeCreate'); } };",
      'src/api/note/controllers/note.js': `module.exports = require('@strapi/strapi').factories.createCoreController('${UID}', () => ({
        ${Object.entries(HANDLERS)
          .map(([name, code]) => `async ${name}(ctx) { ${code} }`)
          .join(',\n')} }));`,
      'src/api/note/routes/01-own.js': `module.exports = { routes: [${routes.join(',\n')}] };`,
      'src/api/note/routes/note.js': `module.exports = require('@strapi/strapi').factories.createCoreRouter('${UID}');`,
    });
    serving = await startServing({ root, overrides });
  });
  beforeEach(() => {
    Object(globalThis).differs.length = 0;
  });
  after(async () => {
    await dropWhenDone(serving);
    await rm(root, { recursive: true, force: true });
  });
  const seen = (): readonly unknown[] => Object(globalThis).differs;
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`http://127.0.0.1:${serving.port}/api${path}`, init);
    return { status: response.status, ...JSON.parse(await response.text()) };
  };
  const create = (title: string) =>
    ask('/notes', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ data: { title } }),
    });

  it('a value that is taken is refused when the lifecycles before have run', async () => {
    expect((await create('one')).status).to.equal(201);
    expect((await create('one')).error.message).to.equal('This attribute must be unique');
    expect(seen().filter((name) => name === 'beforeCreate')).to.have.length(4);
  });

  it('config.set changes what get returns, and nothing else', async () => {
    expect((await ask('/notes/sets')).is).to.equal(1);
    expect(serving.project.config.server.requestMs).to.be.above(1);
  });

  it('a body of another type than JSON, forms and texts is an empty object', async () => {
    const headers = { 'content-type': 'application/xml' };
    expect((await ask('/notes/body', { method: 'POST', headers, body: '<a/>' })).is).to.eql({});
  });

  it('policies see the query, and have no methods that answer', async () => {
    const { data } = await ask('/policies/query');
    expect(Object.keys(data[0])).to.eql(['id', 'documentId', 'title']);
    expect((await ask('/policies/answers')).status).to.equal(500);
  });

  it('sanitizeInput refuses what sanitizeQuery removes', async () => {
    expect((await ask('/notes/sanitizes')).error.message).to.equal('Invalid key nothing');
    expect((await ask('/notes/sanitizesQuery')).filters).to.eql({ title: 'a' });
  });

  it('a type without a file in services has the core service', async () => {
    expect((await ask('/notes')).status).to.equal(200);
    expect((await strapi().service(UID).find({})).results).to.have.length(1);
  });

  it("an account's password is a bcrypt hash until its first sign-in", async () => {
    const hash = async (): Promise<string> =>
      (
        await strapi()
          .db.query('plugin::users-permissions.user')
          .findOne({ where: { username: 'ann' } })
      ).password;
    const account = { username: 'ann', email: 'ann@mail.example', password: 'Secret-123', provider: 'local' };
    await users().add({ ...account, confirmed: true });
    const first = await hash();
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ identifier: 'ann', password: account.password });
    expect((await ask('/auth/local', { method: 'POST', headers, body })).status).to.equal(200);
    const second = await hash();
    expect([first.slice(0, 4), second.slice(0, 8)]).to.eql(['$2b$', '$scrypt$']);
    for (const one of [first, second])
      expect(await users().validatePassword(account.password, one)).to.equal(true);
  });

  it('file.related shows both versions to code, published entries in answers', async () => {
    const path = join(root, 'file.txt');
    await writeFile(path, 'text');
    const files = { filepath: path, originalFilename: 'file.txt', mimetype: 'text/plain', size: 4 };
    const [file] = await strapi().plugin('upload').service('upload').upload({ data: {}, files });
    const related = async (): Promise<readonly unknown[]> => {
      const query = strapi().db.query('plugin::upload.file');
      return (await query.findOne({ where: { id: file.id }, populate: ['related'] })).related;
    };
    const note = await strapi()
      .documents(UID)
      .create({ data: { title: 'with', picture: file.id } });
    const shown = async () => (await ask('/upload/files?populate=related'))[0].related;
    expect([(await related()).length, (await shown()).length]).to.eql([1, 0]);
    await strapi().documents(UID).publish({ documentId: note.documentId });
    expect([(await related()).length, (await shown()).length]).to.eql([2, 1]);
  });

  it('a grant of code lasts until the next start, if config/roles names the role', async () => {
    const permissions = () => strapi().db.query('plugin::users-permissions.permission');
    const action = `${UID}.delete`;
    const { id: role } = await strapi()
      .db.query('plugin::users-permissions.role')
      .findOne({ where: { type: 'public' } });
    await permissions().create({ data: { action, role } });
    expect(await permissions().count({ where: { action, role } })).to.equal(1);
    await serving.stop();
    serving = await startServing({ root, overrides });
    expect(await permissions().count({ where: { action, role } })).to.equal(0);
  });

  it('a grant that is updated is another one, with another id', async () => {
    const permissions = strapi().db.query('plugin::users-permissions.permission');
    const { id: role } = await strapi()
      .db.query('plugin::users-permissions.role')
      .findOne({ where: { type: 'public' } });
    const where = { action: `${UID}.delete`, role };
    const made = await permissions.create({ data: where });
    // `enabled` is of earlier versions.
    expect(await permissions.update({ where, data: { enabled: true } })).to.eql(made);
    const changed = await permissions.update({ where, data: { action: `${UID}.update` } });
    expect(changed)
      .to.include({ action: `${UID}.update` })
      .and.not.have.property('id', made.id);
    const held = () => permissions.findMany({ where: { role, action: [`${UID}.delete`, `${UID}.update`] } });
    expect(await held()).to.eql([changed]);
    const back = { where: { id: changed.id }, data: { action: `${UID}.delete` } };
    expect(await permissions.updateMany(back)).to.eql({ count: 1 });
    expect(await held()).to.eql([made]);
    expect(await permissions.update({ where: { id: 1 }, data: {} })).to.equal(null);
    await permissions.delete({ where });
  });

  it('register and document middlewares also apply to scripts, bootstrap only to servers', async () => {
    const project = await openProject({ root, overrides });
    await project.documents(UID).count({});
    await project.close();
    Object.assign(globalThis, { strapi: strapi() });
    expect(seen()).to.eql(['register', 'count']);
  });
});
