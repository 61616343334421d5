/** Codes, sessions and names of accounts: what ends with what, what works once, and what reveals something to whom. */
import bcrypt from 'bcryptjs';
import { expect } from 'chai';
import { budgetOf } from '../support/budget.js';
import { type Sent, send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const PASSWORD = 'secret-1';
const off = { enabled: false, interval: 1000, max: 1 };

describe('security: codes and sessions of accounts', function () {
  this.timeout(180_000);
  let server: TestServer;
  let full: string;
  before(async () => {
    server = await startTestServer({
      plugins: { usersPermissions: { ratelimit: off, jwtManagement: 'refresh' } },
    });
    full = (await server.project.access.tokens.create({ name: 'full', type: 'full-access' })).key;
  });
  after(() => server.close());
  const ask = (path: string, sent?: Sent) => send(server.url, `/api${path}`, sent);
  const users = () => server.project.store.db.collection('mangrove.users');
  const register = async (username: string) => {
    const answer = await ask('/auth/local/register', {
      body: { username, email: `${username}@example.test`, password: PASSWORD },
    });
    expect(answer.status, username).to.equal(200);
    return {
      id: Number(answer.at('user.id')),
      jwt: String(answer.at('jwt')),
      refreshToken: String(answer.at('refreshToken')),
      email: `${username}@example.test`,
    };
  };
  const resetCode = async (email: string): Promise<string> => {
    await ask('/auth/forgot-password', { body: { email } });
    return /code=(\w+)/.exec(server.emails.at(-1)?.text ?? '')?.[1] ?? '';
  };
  const reset = (code: string, password = 'secret-3') =>
    ask('/auth/reset-password', { body: { code, password, passwordConfirmation: password } });

  it('MANGROVE-05: a reset code ends with a change of password or email', async () => {
    const changes: Readonly<
      Record<string, (user: { id: number; jwt: string }) => Promise<{ status: number }>>
    > = {
      'the user': ({ jwt }) =>
        ask('/auth/change-password', {
          token: jwt,
          body: { currentPassword: PASSWORD, password: 'secret-2', passwordConfirmation: 'secret-2' },
        }),
      'an administrator': ({ id }) =>
        ask(`/users/${id}`, { method: 'PUT', token: full, body: { password: 'secret-2' } }),
      'another address': ({ id }) =>
        ask(`/users/${id}`, { method: 'PUT', token: full, body: { email: `new-${id}@example.test` } }),
    };
    for (const [name, change] of Object.entries(changes)) {
      const user = await register(`code-${name.replaceAll(' ', '-')}`);
      const code = await resetCode(user.email);
      expect(code, name).to.have.length(128);
      expect((await change(user)).status, name).to.equal(200);
      const answer = await reset(code);
      expect([answer.status, answer.at('error.message')], name).to.deep.equal([
        400,
        'Incorrect code provided',
      ]);
    }
  });

  it('MANGROVE-05: also when changed through the Document Service', async () => {
    const user = await register('code-script');
    const code = await resetCode(user.email);
    const documentId = (await users().findOne({ id: user.id }))?.['documentId'];
    await server.project
      .documents('plugin::users-permissions.user')
      .update({ documentId: String(documentId), data: { email: 'elsewhere@example.test' } });
    expect((await reset(code)).status).to.equal(400);
  });

  it('MANGROVE-06: a reset code works once, even for concurrent requests', async () => {
    const user = await register('once');
    const code = await resetCode(user.email);
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => reset(code, `secret-${i}0`)));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, ...Array(7).fill(400)]);
  });

  it('MANGROVE-07: a refresh token of any earlier generation ends the session', async () => {
    const { refreshToken: stolen } = await register('rotated');
    let last = stolen;
    for (let i = 0; i < 3; i++) {
      const renewed = await ask('/auth/refresh', { body: { refreshToken: last } });
      expect(renewed.status).to.equal(200);
      last = String(renewed.at('refreshToken'));
    }
    expect((await ask('/auth/refresh', { body: { refreshToken: stolen } })).status).to.equal(401);
    expect((await ask('/auth/refresh', { body: { refreshToken: last } })).status).to.equal(401);
  });

  it('MANGROVE-07: a forged token ends nobody’s session', async () => {
    const { refreshToken } = await register('forged');
    const [session = '', , signature = ''] = refreshToken.split('.');
    for (const made of [
      `${session}.0.${'0'.repeat(64)}`,
      `${session}.9.${signature}`,
      `${session}`,
      `${session}.-1.x`,
    ])
      expect((await ask('/auth/refresh', { body: { refreshToken: made } })).status).to.equal(401);
    expect((await ask('/auth/refresh', { body: { refreshToken } })).status).to.equal(200);
  });

  it('MANGROVE-12: forgot-password does the same for an unknown email', async () => {
    const before = server.emails.length;
    const answer = await ask('/auth/forgot-password', { body: { email: 'nobody@example.test' } });
    expect([answer.status, answer.body]).to.deep.equal([200, { ok: true }]);
    expect(server.emails.length).to.equal(before);
  });

  it('MANGROVE-13: an imported password longer than 72 bytes keeps its hash', async () => {
    const { id } = await register('imported');
    const long = `${'a'.repeat(72)}right`;
    const password = await bcrypt.hash(long, 4);
    await users().updateOne({ id }, { $set: { password } });
    for (const shown of [long, `${'a'.repeat(72)}wrong`])
      expect(
        (await ask('/auth/local', { body: { identifier: 'imported', password: shown } })).status,
      ).to.equal(200);
    expect((await users().findOne({ id }))?.['password']).to.equal(password);
  });

  it('MANGROVE-13: blocking an account ends tokens issued before and while it was blocked', async () => {
    const { id, jwt, refreshToken, email } = await register('blocked');
    const code = await resetCode(email);
    const put = (blocked: boolean) => ask(`/users/${id}`, { method: 'PUT', token: full, body: { blocked } });
    await put(true);
    expect((await ask('/auth/refresh', { body: { refreshToken } })).status).to.equal(401);
    expect((await reset(code)).at('error.message')).to.equal(
      'Your account has been blocked by an administrator',
    );
    await put(false);
    expect((await ask('/users/me', { token: jwt })).status).to.equal(401);
    expect((await ask('/auth/refresh', { body: { refreshToken } })).status).to.equal(401);
  });

  describe('a sign-in that verified the password before it changed', () => {
    const body = { currentPassword: PASSWORD, password: 'secret-2', passwordConfirmation: 'secret-2' };
    type Change = (id: number) => Promise<unknown>;
    const put = (id: number, change: object) =>
      ask(`/users/${id}`, { method: 'PUT', token: full, body: change });
    const update = async (id: number, data: object) => {
      const documentId = (await users().findOne({ id }))?.['documentId'];
      const service = server.project.documents('plugin::users-permissions.user');
      await service.update({ documentId: String(documentId), data });
    };
    const CHANGES: Readonly<Record<string, Change>> = {
      'a change by the user': (id) => server.project.access.users.changePassword(id, body),
      'a change by an administrator': (id) => put(id, { password: 'secret-2' }),
      'a change by a script': (id) => update(id, { password: 'secret-2' }),
      'a block': async (id) => {
        await put(id, { blocked: true });
        await put(id, { blocked: false });
      },
      'a block by a script': async (id) => {
        await update(id, { blocked: true });
        await update(id, { blocked: false });
      },
      'two changes at once': (id) =>
        Promise.all([put(id, { password: 'secret-2' }), put(id, { password: 'secret-3' })]),
    };
    for (const [index, [name, change]] of Object.entries(CHANGES).entries())
      it(`leaves no session after ${name}`, async () => {
        const { sessions } = server.project.access;
        const { id } = await register(`racing-${index}`);
        const user = await sessions.signIn({ identifier: `racing-${index}`, password: PASSWORD });
        await change(id);
        const { jwt, refreshToken } = await sessions.issue(user);
        expect((await ask('/users/me', { token: jwt })).status).to.equal(401);
        expect((await ask('/auth/refresh', { body: { refreshToken } })).status).to.equal(401);
        expect(await sessions.list(id)).to.deep.equal([]);
      });

    it('cannot change the password in turn', async () => {
      const { users: accounts, sessions } = server.project.access;
      const { id } = await register('racing-change');
      const others = ['secret-2', 'secret-3', 'secret-4'];
      const all = others.map((password) =>
        accounts.changePassword(id, { ...body, password, passwordConfirmation: password }),
      );
      const settled = await Promise.allSettled(all);
      const done = settled.flatMap(({ status }, at) => (status === 'fulfilled' ? [others[at]] : []));
      expect(done).to.have.length(1);
      const signedIn = await sessions.signIn({ identifier: 'racing-change', password: done[0] });
      expect(signedIn.passwordVersion).to.equal(1);
    });

    it('does not store an imported password again', async () => {
      const { id } = await register('racing-import');
      await users().updateOne({ id }, { $set: { password: await bcrypt.hash(PASSWORD, 4) } });
      let changed: Promise<unknown> = Promise.resolve();
      const change = (): void => {
        changed = users().updateOne({ id }, { $set: { password: 'changed' } });
      };
      const budget = budgetOf({ clock: { stop: change, start: () => undefined } });
      const { sessions } = server.project.access.forRequest(budget);
      await sessions.signIn({ identifier: 'racing-import', password: PASSWORD });
      await changed;
      expect((await users().findOne({ id }))?.['password']).to.equal('changed');
    });
  });

  it('MANGROVE-13: a username cannot be the email of another account, even in concurrent requests', async () => {
    const body = (username: string, email: string) => ({ body: { username, email, password: PASSWORD } });
    const address = 'shared@example.test';
    const both = await Promise.all([
      ask('/auth/local/register', body(address, 'first@example.test')),
      ask('/auth/local/register', body('second', address)),
    ]);
    expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
  });

  it('MANGROVE-15: names that look like another’s are accepted or refused', async () => {
    await register('alice');
    const like = [
      'ALICE',
      'Alice',
      'alice ',
      'ali\u200Bce',
      'alic\u0435',
      'ａｌｉｃｅ',
      '\u202Ealice',
      'alice\u00AD',
    ];
    for (const [at, username] of like.entries()) {
      const body = { username, email: `like-${at}@example.test`, password: PASSWORD };
      expect((await ask('/auth/local/register', { body })).status, JSON.stringify(username)).to.equal(400);
      const made = await ask('/users', { token: full, body: { ...body, role: 1 } });
      expect(made.status, JSON.stringify(username)).to.equal(400);
    }
    for (const username of ['алиса', 'Ζωή', 'José', '山田太郎'])
      expect(
        (
          await ask('/auth/local/register', {
            body: {
              username,
              email: `${encodeURIComponent(username).replaceAll('%', '')}@example.test`,
              password: PASSWORD,
            },
          })
        ).status,
        username,
      ).to.equal(200);
  });

  it('MANGROVE-15: only the identifying part of a User-Agent is stored', async () => {
    const { jwt } = await register('agent');
    await ask('/auth/local', {
      body: { identifier: 'agent', password: PASSWORD },
      headers: { 'user-agent': 'x'.repeat(14_000) },
    });
    const sessions = await ask('/auth/sessions', { token: jwt });
    for (const { device } of sessions.body as { device: string }[]) expect(device.length).to.be.at.most(200);
  });
});

describe('security: sign-in attempts', function () {
  this.timeout(180_000);
  let server: TestServer;
  before(async () => {
    const ratelimit = { enabled: true, interval: 600_000, max: 3, maxPerAddress: 10 };
    server = await startTestServer({ plugins: { usersPermissions: { ratelimit } } });
  });
  after(() => server.close());
  const statusOf = async (identifier: string): Promise<number> =>
    (await send(server.url, '/api/auth/local', { body: { identifier, password: 'wrong-1' } })).status;

  it('MANGROVE-08: an account has one counter, whichever name is used', async () => {
    const body = { username: 'counted', email: 'counted@example.test', password: PASSWORD };
    expect((await send(server.url, '/api/auth/local/register', { body })).status).to.equal(200);
    const names = [
      'counted',
      'counted@example.test',
      'COUNTED@example.test',
      'counted',
      'counted@example.test',
    ];
    const statuses: number[] = [];
    for (const name of names) statuses.push(await statusOf(name));
    expect(statuses).to.deep.equal([400, 400, 400, 429, 429]);
  });

  it('MANGROVE-08: an IP address has one for all accounts, so new names do not help', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 8; i++) statuses.push(await statusOf(`nobody-${i}`));
    expect(statuses.slice(-3)).to.deep.equal([429, 429, 429]);
  });

  it('MANGROVE-08: a caller without attempts left is refused without a database query', async () => {
    for (let i = 0; i < 11; i++) await statusOf(`nobody-${i}`);
    await server.project.store.db.collection('mangrove.limits').deleteMany({});
    expect(await statusOf('nobody')).to.equal(429);
  });
});
