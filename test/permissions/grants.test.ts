/**
 * Tokens, roles and what they allow, with more than one server process (rules H.1, H.2, H.4; rules 0.4, rows 1 and 2).
 */

import { expect } from 'chai';
import { until } from '../../packages/engine/test/support/until.js';
import { noteTokenUse } from '../../src/store/access/tokens.js';
import { type Sent, send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const FIND = 'api::memo.memo.find';
/** Repeats a request until it has the expected status. */
const untilStatus = async (ask: () => Promise<{ status: number }>, wanted: number): Promise<void> => {
  let seen = 0;
  const isAllowed = async (): Promise<boolean> => {
    seen = (await ask()).status;
    return seen === wanted;
  };
  await until(isAllowed, () => `status ${seen}`, { every: 100 });
};

describe('grants', function () {
  this.timeout(180_000);
  let server: TestServer;
  let other: TestServer;
  before(async () => {
    server = await startTestServer();
    other = await startTestServer({}, { beside: server });
  });
  after(async () => {
    await other.close();
    await server.close();
  });
  const ask = (path: string, sent?: Sent) => send(server.url, `/api${path}`, sent);
  const askOther = (path: string, sent?: Sent) => send(other.url, `/api${path}`, sent);
  const access = () => server.project.access;
  const token = async (name: string, more: object = {}) =>
    (await access().tokens.create({ name, type: 'full-access', ...more })).key;

  it('are empty by default: the public of a new project may do nothing', async () => {
    for (const path of [
      '/memos',
      '/restaurants',
      '/homepage',
      '/users',
      '/users-permissions/roles',
      '/i18n/locales',
    ])
      expect((await ask(path)).status, path).to.equal(403);
  });

  it('a grant given or revoked in one process soon takes effect in the other', async () => {
    const role = (await access().roles.byType('public'))?.role;
    if (!role) throw new Error('no public role');
    expect((await askOther('/memos')).status).to.equal(403);
    await access().roles.change(role, { grants: [...role.grants, FIND] });
    expect((await ask('/memos')).status).to.equal(200);
    await untilStatus(() => askOther('/memos'), 200);
    await access().roles.change(role, { grants: role.grants });
    expect((await ask('/memos')).status).to.equal(403);
    await untilStatus(() => askOther('/memos'), 403);
  });

  it('a revoked token is soon refused by the other process', async () => {
    const key = await token('short-lived');
    expect((await askOther('/memos', { token: key })).status).to.equal(200);
    await access().tokens.revoke('short-lived');
    expect((await ask('/memos', { token: key })).status).to.equal(401);
    await untilStatus(() => askOther('/memos', { token: key }), 401);
  });

  it('a token whose use is recorded at that moment is revoked, too', async () => {
    const { store } = server.project;
    for (let i = 0; i < 50; i++) {
      const name = `used-${i}`;
      await token(name);
      const id = (await access().tokens.all()).find((made) => made.name === name)?.id ?? 0;
      const now = new Date();
      const [revoked] = await Promise.all([access().tokens.revoke(name), noteTokenUse(store, id, now, now)]);
      expect(revoked, name).to.equal(true);
    }
  });

  it('a warm request with a token queries the database for the page only', async () => {
    const key = await token('warm');
    const { project } = server;
    const separator = project.databaseUri.includes('?') ? '&' : '/?';
    const databaseUri = `${project.databaseUri.replace(/\/$/, '')}${separator}monitorCommands=true`;
    const watched = await startTestServer(
      {},
      { beside: { ...server, project: { ...project, databaseUri } } },
    );
    const commands: string[] = [];
    const note = ({ commandName, command }: { commandName: string; command: Record<string, unknown> }) => {
      const collection = String(command[commandName]);
      // The watches of changes and of interrupted writes run next to the requests, not in them.
      if (!['mangrove.settings', 'mangrove.journal'].includes(collection))
        commands.push(`${commandName} ${collection}`);
    };
    for (let i = 0; i < 3; i++) await send(watched.url, '/api/memos?fields=title', { token: key });
    // Its first use is recorded beside the requests.
    const tokens = server.project.store.db.collection('mangrove.tokens');
    await until(
      async () => (await tokens.findOne({ name: 'warm' }))?.['lastUsedAt'] !== null,
      () => 'no last use',
    );
    watched.project.store.client.on('commandStarted', note);
    for (let i = 0; i < 5; i++) await send(watched.url, '/api/memos?fields=title', { token: key });
    const warm = commands.splice(0);
    await send(watched.url, '/api/memos?fields=title', { token: await token('cold') });
    watched.project.store.client.off('commandStarted', note);
    await watched.close();
    expect(warm).to.deep.equal(Array.from({ length: 5 }, () => 'aggregate memos'));
    expect(commands).to.include('find mangrove.tokens');
  });

  it('tokens are stored as hashes, and their last use is recorded at most once an hour', async () => {
    const key = await token('noted');
    const tokens = server.project.store.db.collection('mangrove.tokens');
    const row = () => tokens.findOne({ name: 'noted' });
    expect(JSON.stringify(await row())).to.not.include(key);
    const usedAt = async () => (await row())?.['lastUsedAt'] as Date | null;
    await ask('/memos', { token: key });
    await until(
      async () => (await usedAt()) !== null,
      () => 'no last use',
    );
    const first = await usedAt();
    await ask('/memos', { token: key });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await usedAt()).to.deep.equal(first);
  });

  it('tokens expire', async () => {
    const key = await token('over', { expiresAt: new Date(Date.now() - 1000) });
    const answer = await ask('/memos', { token: key });
    expect([answer.status, answer.at('error.message')]).to.deep.equal([401, 'Token expired']);
  });

  it('blocked users are refused', async () => {
    const full = await token('admin');
    const body = { username: 'blocky', email: 'blocky@example.test', password: 'secret-1' };
    const made = await ask('/auth/local/register', { body });
    const jwt = made.at('jwt') as string;
    expect((await ask('/users/me', { token: jwt })).status).to.equal(200);
    const path = `/users/${made.at('user.id')}`;
    expect((await ask(path, { method: 'PUT', token: full, body: { blocked: true } })).status).to.equal(200);
    const refused = await ask('/users/me', { token: jwt });
    expect([refused.status, refused.at('error.message')]).to.deep.equal([401, 'Invalid credentials']);
  });

  it('roles in code have exactly the listed actions, plus the sign-in routes of the default roles', async () => {
    await access().roles.sync({ reader: [FIND], public: { permissions: [FIND] } });
    await access().roles.sync({ reader: { name: 'Reader', permissions: ['api::memo.memo.findOne'] } });
    const grants = async (type: string) => (await access().roles.byType(type))?.role.grants;
    expect(await grants('reader')).to.deep.equal(['api::memo.memo.findOne']);
    expect(await grants('public')).to.include.members([FIND, 'plugin::users-permissions.auth.callback']);
    await access().roles.sync({ public: [] });
    expect(await grants('public')).to.not.include(FIND);
  });

  describe('over HTTP', () => {
    let full: string;
    before(async () => {
      full = await token('roles');
    });
    const roleNamed = async (name: string) => {
      const { roles } = (await ask('/users-permissions/roles', { token: full })).body as {
        roles: { id: number; name: string; type: string; nb_users: number }[];
      };
      return roles.find((role) => role.name === name);
    };

    it('creates, returns, changes and deletes a role, whose users fall back to the public role', async () => {
      const permissions = {
        'api::memo': { controllers: { memo: { find: { enabled: true }, create: { enabled: false } } } },
      };
      const body = { name: 'Blog Writer', description: 'writes', permissions };
      expect((await ask('/users-permissions/roles', { token: full, body })).body).to.deep.equal({ ok: true });
      const made = await roleNamed('Blog Writer');
      expect(made?.type).to.equal('blog_writer');
      const path = `/users-permissions/roles/${made?.id}`;
      const shown = await ask(path, { token: full });
      const controllers = shown.at('role.permissions.api::memo.controllers.memo') as Record<
        string,
        { enabled: boolean }
      >;
      expect([controllers['find']?.enabled, controllers['create']?.enabled]).to.deep.equal([true, false]);
      const user = { username: 'writer', email: 'writer@example.test', password: 'secret-1', role: made?.id };
      const account = await ask('/users?populate=role', { token: full, body: user });
      expect(account.at('role.name')).to.equal('Blog Writer');
      expect((await roleNamed('Blog Writer'))?.nb_users).to.equal(1);
      expect((await ask(path, { method: 'PUT', token: full, body: { name: 'Author' } })).body).to.deep.equal({
        ok: true,
      });
      expect((await ask(path, { method: 'DELETE', token: full })).body).to.deep.equal({ ok: true });
      const after = await ask(`/users/${account.at('id')}?populate=role`, { token: full });
      expect(after.at('role.type')).to.equal('public');
    });

    it("refuses invalid requests with Strapi's messages", async () => {
      const say = async (path: string, sent: Sent) => {
        const answer = await ask(path, { token: full, ...sent });
        return [answer.status, answer.at('error.name'), answer.at('error.message')];
      };
      const one = `/users-permissions/roles/${(await roleNamed('Public'))?.id}`;
      expect(await say(one, { method: 'DELETE' })).to.deep.equal([
        400,
        'ApplicationError',
        'Cannot delete public role',
      ]);
      expect(await say('/users-permissions/roles', { body: {} })).to.deep.equal([
        400,
        'ValidationError',
        'Request body cannot be empty',
      ]);
      expect(await say('/users-permissions/roles/999', {})).to.deep.equal([
        404,
        'NotFoundError',
        'Role not found',
      ]);
      expect(await say('/users-permissions/roles/999', { method: 'PUT', body: { name: 'x' } })).to.deep.equal(
        [404, 'NotFoundError', 'Role not found'],
      );
      expect(await say('/users', { body: { username: 'x' } })).to.deep.equal([
        400,
        'ValidationError',
        '3 errors occurred',
      ]);
      const nobody = { username: 'nobody', email: 'nobody@example.test', password: 'secret-1' };
      expect(await say('/users', { body: nobody })).to.deep.equal([
        400,
        'ValidationError',
        'role is a required field',
      ]);
      expect((await say('/users', { body: { ...nobody, role: 999 } }))[0]).to.equal(400);
      expect((await say('/users', { body: { ...nobody, role: 1, blocked: 'yes' } }))[0]).to.equal(400);
    });

    it('returns the tree of every action', async () => {
      const { body } = await ask('/users-permissions/permissions', { token: full });
      expect(body).to.have.nested.property('permissions.api::restaurant.controllers.restaurant.findOne');
      expect(body).to.have.nested.property('permissions.plugin::upload.controllers.content-api.upload');
    });
  });

  describe("with Mangrove's own defaults", () => {
    before(async () => {
      const role = (await access().roles.byType('public'))?.role;
      if (role)
        await access().roles.change(role, {
          grants: ['api::article.article.find', 'api::article.article.findOne'],
        });
    });

    it('drafts require a credential', async () => {
      const reader = await token('reader', { type: 'read-only' });
      expect((await ask('/articles')).status).to.equal(200);
      expect((await ask('/articles?status=draft')).status).to.equal(403);
      expect((await ask('/articles?status=nope')).status).to.equal(403);
      expect((await ask('/articles?status=draft', { token: reader })).status).to.equal(200);
    });

    it("a role with exactly the public role's actions is not anonymous: plans are not shared with it", async () => {
      const actions = ['api::article.article.find', 'api::article.article.findOne'];
      const { documentId } = await access().roles.create({ type: 'same', grants: actions });
      const body = {
        username: 'insider',
        email: 'insider@example.test',
        password: 'secret-1',
        role: documentId,
      };
      await ask('/users', { token: await token('maker'), body });
      const role = (await access().roles.byType('public'))?.role;
      const callback = 'plugin::users-permissions.auth.callback';
      if (role) await access().roles.change(role, { grants: [...actions, callback] });
      const jwt = (await ask('/auth/local', { body: { identifier: 'insider', password: 'secret-1' } })).at(
        'jwt',
      ) as string;
      if (role) await access().roles.change(role, { grants: actions });
      expect((await ask('/articles?status=draft', { token: jwt })).status).to.equal(200);
      expect((await ask('/articles?status=draft')).status).to.equal(403);
    });
  });
});
