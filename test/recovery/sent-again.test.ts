/** An insertion whose response was lost is sent again by the driver, and may be refused because the first one was stored. */
import { expect } from 'chai';
import { type Received, type Sent, send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { bodyOf, commandOf, startProxy, type WireProxy } from '../support/wire-proxy.js';

const PASSWORD = 'secret-1';

describe('an insertion that is refused because it is stored', function () {
  this.timeout(180_000);
  let direct: TestServer;
  let proxy: WireProxy;
  let server: TestServer;

  before(async () => {
    const overrides = { plugins: { usersPermissions: { jwtManagement: 'refresh' as const } } };
    direct = await startTestServer(overrides);
    proxy = await startProxy(direct.project.databaseUri);
    server = await startTestServer(overrides, {
      beside: direct,
      databaseUri: `${proxy.uri}&serverMonitoringMode=poll`,
    });
  });
  after(async () => {
    await server?.close();
    await proxy?.close();
    await direct?.close();
  });

  /** Stores what is inserted into this collection next, and says that it was stored before; true if it came to that. */
  const refuseNext = (collection: string): (() => boolean) => {
    let refused = false;
    proxy.meddle = (message) => {
      if (refused || commandOf(message) !== 'insert' || bodyOf(message)['insert'] !== collection) return 0;
      refused = true;
      return () => ({
        ok: 1,
        n: 0,
        writeErrors: [{ index: 0, code: 11000, errmsg: 'E11000 duplicate key error' }],
      });
    };
    return () => refused;
  };
  const ask = (path: string, body: object, sent: Sent = {}): Promise<Received> =>
    send(server.url, `/api${path}`, { body, ...sent });
  const account = (username: string) => ({ username, email: `${username}@example.test`, password: PASSWORD });

  it('is the account of a registration, once', async () => {
    const wasRefused = refuseNext('mangrove.users');
    const { status, at } = await ask('/auth/local/register', account('ann'));
    expect([wasRefused(), status, at('user.username')]).to.deep.equal([true, 200, 'ann']);
    const again = await ask('/auth/local/register', account('ann'));
    expect([again.status, again.at('error.message')]).to.deep.equal([
      400,
      'Email or Username are already taken',
    ]);
  });

  it('is the session of a sign-in', async () => {
    await ask('/auth/local/register', account('ben'));
    const wasRefused = refuseNext('mangrove.sessions');
    const { status, at } = await ask('/auth/local', { identifier: 'ben', password: PASSWORD });
    expect([wasRefused(), status]).to.deep.equal([true, 200]);
    const next = await ask('/auth/refresh', { refreshToken: at('refreshToken') });
    expect(next.status, JSON.stringify(next.body)).to.equal(200);
  });

  it('is the token or the role that was to be made', async () => {
    const { access } = server.project;
    const tokenRefused = refuseNext('mangrove.tokens');
    const { key } = await access.tokens.create({ name: 'other', type: 'full-access' });
    expect([tokenRefused(), (await send(server.url, '/api/articles', { token: key })).status]).to.deep.equal([
      true,
      200,
    ]);
    const roleRefused = refuseNext('mangrove.roles');
    await access.roles.create({ type: 'editor', grants: [] });
    expect(roleRefused()).to.equal(true);
  });
});
