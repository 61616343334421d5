/** What a project's code does with accounts and their tokens, as Strapi 5.54 has it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Serving, startServing } from '../../src/serve/index.js';
import { typeFile } from '../support/schemas.js';
import { writeFiles } from '../support/write-files.js';
import { dropWhenDone, testDatabase } from './support.js';

const CONTROLLER = `const users = 'plugin::users-permissions.user';
const plugin = () => strapi.plugin('users-permissions');
module.exports = {
  async signIn(ctx) {
    const { email, password } = ctx.request.body;
    const user = await strapi.db.query(users).findOne({ where: { email } });
    if (!user || !(await plugin().service('user').validatePassword(password, user.password)))
      return ctx.badRequest('no such account');
    ctx.send({ jwt: plugin().service('jwt').issue({ id: user.id, shop: 7 }) });
  },
  sign: (ctx) => ({ jwt: plugin().service('jwt').issue(...ctx.request.body) }),
  read: async (ctx) => plugin().service('jwt').verify(ctx.request.body.jwt),
  change: async (ctx) => {
    await plugin().service('user').edit(ctx.request.body.id, { password: ctx.request.body.password });
    return {};
  },
  account: (ctx) => plugin().service('user').fetchAuthenticatedUser(ctx.request.body.id),
};`;

describe("accounts in a Strapi project's code", function () {
  this.timeout(180_000);
  let root: string;
  let serving: Serving;

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-strapi-accounts-'));
    const routes = ['signIn', 'sign', 'read', 'change', 'account'].map(
      (name) => `{ method: 'POST', path: '/note/${name}', handler: 'note.${name}', config: { auth: false } }`,
    );
    await writeFiles(root, {
      'src/api/note/content-types/note/schema.json': typeFile('note', { title: { type: 'string' } }).content,
      'src/api/note/routes/note.js': `module.exports = { routes: [${routes.join()},
        { method: 'GET', path: '/note/asks', handler: 'note.read', config: { auth: false, policies: [
          (ctx) => ctx.unauthorized("sign in first"),
        ] } },
      ] };`,
      'src/api/note/controllers/note.js': CONTROLLER,
      'config/roles.js': `module.exports = { authenticated: ['plugin::users-permissions.user.me'] };`,
    });
    serving = await startServing({ root, overrides: testDatabase() });
  });
  after(async () => {
    await dropWhenDone(serving);
    await rm(root, { recursive: true, force: true });
  });

  const send = async (path: string, body: unknown = {}) => {
    const response = await fetch(`http://127.0.0.1:${serving.port}/api/note/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  const me = async (jwt: string): Promise<number> => {
    const headers = { authorization: `Bearer ${jwt}` };
    return (await fetch(`http://127.0.0.1:${serving.port}/api/users/me`, { headers })).status;
  };
  const account = async (name: string) => {
    const { users } = serving.project.access;
    return users.create({ username: name, email: `${name}@example.com`, password: 'Secret-123', role: 1 });
  };

  it('signs in by its own route, with a token that is a text at once', async () => {
    const { id } = await account('ann');
    expect((await send('signIn', { email: 'ann@example.com', password: 'wrong' })).status).to.equal(400);
    const { status, body } = await send('signIn', { email: 'ann@example.com', password: 'Secret-123' });
    expect(status).to.equal(200);
    expect(await me(body.jwt)).to.equal(200);
    const { body: claims } = await send('read', { jwt: body.jwt });
    expect(claims).to.have.all.keys('id', 'shop', 'iat', 'exp');
    expect(claims).to.include({ id, shop: 7 });
    expect((await send('account', { id })).body).to.deep.include({ username: 'ann' });
  });

  it('a new password ends the tokens that code has issued, and those issued since are valid', async () => {
    const { id } = await account('bob');
    const old = (await send('sign', [{ id }])).body.jwt;
    expect(await me(old)).to.equal(200);
    await send('change', { id, password: 'Secret-456' });
    expect(await me(old)).to.equal(401);
    expect((await send('read', { jwt: old })).status).to.equal(401);
    const { body } = await send('signIn', { email: 'bob@example.com', password: 'Secret-456' });
    expect(await me(body.jwt)).to.equal(200);
  });

  it('a token without an account serves only those who read it; an expired or foreign one is refused', async () => {
    const invitation = (await send('sign', [{ invites: 'cid' }, { expiresIn: '1h' }])).body.jwt;
    expect((await send('read', { jwt: invitation })).body).to.deep.include({ invites: 'cid' });
    expect(await me(invitation)).to.equal(401);
    const late = (await send('sign', [{ invites: 'cid' }, { expiresIn: '-1s' }])).body.jwt;
    for (const jwt of [late, `${invitation}x`, 'eyJhbGciOiJub25lIn0.e30.', ''])
      expect((await send('read', { jwt })).status, jwt).to.equal(401);
  });

  it('an email address that the schema of accounts makes unique does not prevent a second start', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mangrove-strapi-unique-'));
    await writeFiles(folder, {
      'src/api/note/content-types/note/schema.json': typeFile('note', { title: { type: 'string' } }).content,
      'src/extensions/users-permissions/content-types/user/schema.json': {
        kind: 'collectionType',
        collectionName: 'up_users',
        info: { singularName: 'user', pluralName: 'users', displayName: 'User' },
        attributes: {
          email: { type: 'email', minLength: 6, configurable: false, required: true, unique: true },
          goal: { type: 'integer', default: 12 },
          settings: { type: 'json', default: {} },
        },
      },
    });
    const overrides = testDatabase();
    for (const made of [200, 400]) {
      const second = await startServing({ root: folder, overrides });
      const answer = await second.project.access.users
        .create({ username: `eve${made}`, email: 'eve@example.com', password: 'Secret-123', role: 1 })
        .then(
          (user) => {
            expect(user).to.deep.include({ goal: 12, settings: {} });
            return 200;
          },
          ({ status }) => status,
        );
      expect(answer).to.equal(made);
      if (made === 200) await second.stop();
      else await dropWhenDone(second);
    }
    await rm(folder, { recursive: true, force: true });
  });

  it('what a policy returns after answering does not let the request pass', async () => {
    const response = await fetch(`http://127.0.0.1:${serving.port}/api/note/asks`);
    expect(response.status).to.equal(500);
  });
});
