/** Accounts over HTTP: what rules H.3 requires beyond the recorded cases. */
import bcrypt from 'bcryptjs';
import { expect } from 'chai';
import type { ConfigOverrides } from '../../src/config/load.js';
import { updateUser } from '../../src/store/access/users.js';
import { type Received, type Sent, send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const PASSWORD = 'secret-1';
type UserSettings = NonNullable<NonNullable<ConfigOverrides['plugins']>['usersPermissions']>;

const NO_LIMIT = { ratelimit: { enabled: false, interval: 1000, max: 1 } };
const errorOf = (answer: Received): unknown => [
  answer.status,
  answer.at('error.name'),
  answer.at('error.message'),
];

/** A server with these settings of the plugin, for the tests of a `describe`. */
const withServer = (
  settings: UserSettings,
  tests: (ask: (path: string, sent?: Sent) => Promise<Received>, server: () => TestServer) => void,
): void => {
  let server: TestServer;
  before(async function () {
    this.timeout(180_000);
    server = await startTestServer({
      plugins: { usersPermissions: { ...NO_LIMIT, ...settings } },
    });
  });
  after(() => server.close());
  tests(
    (path, sent) => send(server.url, `/api${path}`, sent),
    () => server,
  );
};

const account = (username: string) => ({ username, email: `${username}@example.test`, password: PASSWORD });

describe('accounts: sign-in and passwords', () => {
  withServer({}, (ask, server) => {
    const register = async (name: string) =>
      (await ask('/auth/local/register', { body: account(name) })).at('jwt') as string;
    const signIn = (identifier: string, password: string) =>
      ask('/auth/local', { body: { identifier, password } });

    it('registers with the default role, whatever the body contains', async () => {
      const refused = await ask('/auth/local/register', {
        body: { ...account('mallory'), role: 1, confirmed: true },
      });
      expect(errorOf(refused)).to.deep.equal([400, 'ValidationError', 'Invalid parameters: role, confirmed']);
      const made = await ask('/auth/local/register', { body: account('ann') });
      expect(made.status).to.equal(200);
      expect(made.at('user')).to.have.all.keys(
        'id',
        'documentId',
        'username',
        'email',
        'provider',
        'confirmed',
        'blocked',
        'createdAt',
        'updatedAt',
        'publishedAt',
      );
    });

    it('accepts one of several concurrent registrations with the same username', async () => {
      const answers = await Promise.all(
        [1, 2, 3, 4].map((n) =>
          ask('/auth/local/register', { body: { ...account('race'), email: `race${n}@example.test` } }),
        ),
      );
      expect(answers.map((a) => a.status).sort()).to.deep.equal([200, 400, 400, 400]);
    });

    it('accepts one of several concurrent registrations with the same email', async () => {
      const answers = await Promise.all(
        [1, 2, 3, 4].map((n) =>
          ask('/auth/local/register', { body: { ...account(`mail${n}`), email: 'same@example.test' } }),
        ),
      );
      expect(answers.map((a) => a.status).sort()).to.deep.equal([200, 400, 400, 400]);
    });

    it('accepts a bcrypt hash and replaces it without ending sessions', async () => {
      const jwt = await register('imported');
      const { store } = server().project;
      const users = store.db.collection('mangrove.users');
      const id = Number((await users.findOne({ username: 'imported' }))?.['id']);
      await updateUser(store, id, { password: await bcrypt.hash(PASSWORD, 4) });
      expect((await signIn('imported', PASSWORD)).status).to.equal(200);
      expect((await users.findOne({ id }))?.['password']).to.match(/^\$scrypt\$/);
      expect((await ask('/users/me', { token: jwt })).status).to.equal(200);
      expect((await signIn('imported', PASSWORD)).status).to.equal(200);
    });

    it('invalidates all older tokens when the password changes', async () => {
      const old = await register('changer');
      const body = { currentPassword: PASSWORD, password: 'secret-2', passwordConfirmation: 'secret-2' };
      const changed = await ask('/auth/change-password', { token: old, body });
      expect(changed.status).to.equal(200);
      expect((await ask('/users/me', { token: old })).status).to.equal(401);
      expect((await ask('/users/me', { token: changed.at('jwt') as string })).status).to.equal(200);
    });

    it('resets a forgotten password with an emailed code that works once', async () => {
      const old = await register('forgetful');
      expect(
        (await ask('/auth/forgot-password', { body: { email: 'nobody@example.test' } })).body,
      ).to.deep.equal({ ok: true });
      expect(server().emails.filter((l) => l.to === 'nobody@example.test')).to.have.length(0);
      expect(
        (await ask('/auth/forgot-password', { body: { email: 'Forgetful@example.test' } })).body,
      ).to.deep.equal({ ok: true });
      const email = server().emails.find((l) => l.to === 'forgetful@example.test');
      const code = /code=([0-9a-f]{128})/.exec(email?.text ?? '')?.[1];
      const body = { code, password: 'secret-3', passwordConfirmation: 'secret-3' };
      const answer = await ask('/auth/reset-password', { body });
      expect(answer.at('user.username')).to.equal('forgetful');
      expect(errorOf(await ask('/auth/reset-password', { body }))).to.deep.equal([
        400,
        'ValidationError',
        'Incorrect code provided',
      ]);
      expect((await ask('/users/me', { token: old })).status).to.equal(401);
      expect((await signIn('forgetful', 'secret-3')).status).to.equal(200);
    });

    it('stores codes only as hashes', async () => {
      await register('hashed');
      await ask('/auth/forgot-password', { body: { email: 'hashed@example.test' } });
      const code = /code=([0-9a-f]+)/.exec(server().emails.at(-1)?.text ?? '')?.[1];
      const row = await server()
        .project.store.db.collection('mangrove.users')
        .findOne({ username: 'hashed' });
      expect(row?.['resetPasswordToken']).to.match(/^[0-9a-f]{64}$/);
      expect(row?.['resetPasswordToken']).to.not.equal(code);
    });

    it('refuses an expired code', async () => {
      await register('late');
      await ask('/auth/forgot-password', { body: { email: 'late@example.test' } });
      const code = /code=([0-9a-f]+)/.exec(server().emails.at(-1)?.text ?? '')?.[1];
      const users = server().project.store.db.collection('mangrove.users');
      await users.updateOne(
        { username: 'late' },
        { $set: { resetPasswordExpiresAt: new Date(Date.now() - 1) } },
      );
      const body = { code, password: 'secret-3', passwordConfirmation: 'secret-3' };
      expect((await ask('/auth/reset-password', { body })).status).to.equal(400);
    });

    it('has no sessions to refresh or end', async () => {
      const token = await register('plain');
      for (const [path, sent] of [
        ['/auth/refresh', { body: { refreshToken: 'x' } }],
        ['/auth/logout', { body: {}, token }],
        ['/auth/sessions', { token }],
      ] as const)
        expect((await ask(path, sent)).status, path).to.equal(404);
    });
  });
});

describe('accounts: email confirmation', () => {
  withServer(
    {
      advanced: { email_confirmation: true, email_confirmation_redirection: 'https://site.example/welcome' },
    },
    (ask, server) => {
      it('emails a link that works once, and refuses sign-in until then', async () => {
        const made = await ask('/auth/local/register', { body: account('pending') });
        expect(made.body).to.have.all.keys('user');
        expect(made.at('user.confirmed')).to.equal(false);
        const entry = { body: { identifier: 'pending', password: PASSWORD } };
        expect(errorOf(await ask('/auth/local', entry))).to.deep.equal([
          400,
          'ApplicationError',
          'Your account email is not confirmed',
        ]);
        const code = /confirmation=([0-9a-f]+)/.exec(server().emails.at(-1)?.text ?? '')?.[1];
        const confirmed = await ask(`/auth/email-confirmation?confirmation=${code}`);
        expect([confirmed.status, confirmed.headers.get('location')]).to.deep.equal([
          302,
          'https://site.example/welcome',
        ]);
        expect(errorOf(await ask(`/auth/email-confirmation?confirmation=${code}`))).to.deep.equal([
          400,
          'ValidationError',
          'Invalid token',
        ]);
        expect((await ask('/auth/local', entry)).status).to.equal(200);
      });

      it('resends the email, with the same response for a confirmed, blocked or unknown address', async () => {
        const users = () => server().project.store.db.collection('mangrove.users');
        for (const name of ['waiting', 'done', 'barred'])
          await ask('/auth/local/register', { body: account(name) });
        await users().updateOne({ username: 'done' }, { $set: { confirmed: true } });
        await users().updateOne({ username: 'barred' }, { $set: { blocked: true } });
        const mailed: string[] = [];
        for (const name of ['waiting', 'done', 'barred', 'nobody']) {
          const before = server().emails.length;
          const email = `${name.toUpperCase()}@example.test`;
          const answer = await ask('/auth/send-email-confirmation', { body: { email } });
          expect([answer.status, answer.body], name).to.deep.equal([200, { email, sent: true }]);
          if (server().emails.length > before) mailed.push(server().emails.at(-1)?.to ?? '');
        }
        expect(mailed).to.deep.equal(['waiting@example.test']);
      });
    },
  );
});

describe('accounts: sessions', () => {
  withServer({ jwtManagement: 'refresh' }, (ask) => {
    const register = async (name: string) => {
      const { at } = await ask('/auth/local/register', { body: account(name) });
      return { jwt: at('jwt') as string, refreshToken: at('refreshToken') as string };
    };
    const refresh = (refreshToken: string) => ask('/auth/refresh', { body: { refreshToken } });

    it('refreshes with a token that changes each time', async () => {
      const first = await register('ann');
      expect((await ask('/users/me', { token: first.jwt })).status).to.equal(200);
      const second = await refresh(first.refreshToken);
      expect(second.status).to.equal(200);
      expect(second.at('refreshToken')).to.not.equal(first.refreshToken);
      expect((await ask('/users/me', { token: second.at('jwt') as string })).status).to.equal(200);
    });

    it('ends the session when a used token is presented again', async () => {
      const first = await register('stolen');
      const second = await refresh(first.refreshToken);
      expect((await refresh(first.refreshToken)).status).to.equal(401);
      expect((await refresh(second.at('refreshToken') as string)).status).to.equal(401);
      expect((await ask('/users/me', { token: second.at('jwt') as string })).status).to.equal(401);
    });

    it('signs out immediately', async () => {
      const { jwt, refreshToken } = await register('leaver');
      expect((await ask('/auth/logout', { token: jwt, body: {} })).body).to.deep.equal({ ok: true });
      expect((await ask('/users/me', { token: jwt })).status).to.equal(401);
      expect((await refresh(refreshToken)).status).to.equal(401);
    });

    it("lists and revokes the caller's own sessions only", async () => {
      const mine = await register('owner');
      const other = await register('other');
      const sessions = (await ask('/auth/sessions', { token: mine.jwt })).body as {
        sessionId: string;
        current: boolean;
      }[];
      expect(sessions.map((s) => s.current)).to.deep.equal([true]);
      const path = `/auth/sessions/${sessions[0]?.sessionId}`;
      expect((await ask(path, { method: 'DELETE', token: other.jwt })).status).to.equal(404);
      expect((await ask(path, { method: 'DELETE', token: mine.jwt })).status).to.equal(200);
      expect((await ask('/users/me', { token: mine.jwt })).status).to.equal(401);
    });

    it('ends all sessions when the password changes', async () => {
      const one = await register('several');
      const two = (await ask('/auth/local', { body: { identifier: 'several', password: PASSWORD } })).at(
        'jwt',
      ) as string;
      const body = { currentPassword: PASSWORD, password: 'secret-2', passwordConfirmation: 'secret-2' };
      expect((await ask('/auth/change-password', { token: one.jwt, body })).status).to.equal(200);
      for (const token of [one.jwt, two]) expect((await ask('/users/me', { token })).status).to.equal(401);
    });

    it('puts the refresh token in an HttpOnly cookie if configured', async () => {
      const headers = { 'x-strapi-refresh-cookie': 'httpOnly' };
      const made = await ask('/auth/local/register', { body: account('cookie'), headers });
      expect(made.body).to.have.all.keys('jwt', 'user');
      const cookie = made.headers.get('set-cookie') ?? '';
      expect(cookie).to.match(/^strapi_up_refresh=.*httponly/i);
      const renewed = await ask('/auth/refresh', {
        body: {},
        headers: { ...headers, cookie: cookie.split(';')[0] ?? '' },
      });
      expect(renewed.status).to.equal(200);
      expect(renewed.body).to.have.all.keys('jwt');
    });

    it('removes the cookie as it was set: for its path, and only over TLS if it was sent over TLS', async () => {
      for (const [protocol, isSecure] of Object.entries({ http: false, https: true })) {
        const headers = { 'x-strapi-refresh-cookie': 'httpOnly', 'x-forwarded-proto': protocol };
        const made = await ask('/auth/local/register', { body: account(`by-${protocol}`), headers });
        const set = made.headers.get('set-cookie') ?? '';
        expect(/; secure/i.test(set)).to.equal(isSecure);
        const { status, headers: dropped } = await ask('/auth/logout', {
          token: String(made.at('jwt')),
          body: {},
          headers: { ...headers, cookie: set.split(';')[0] ?? '' },
        });
        expect(status).to.equal(200);
        const gone = dropped.get('set-cookie') ?? '';
        expect(gone).to.match(/^strapi_up_refresh=;/);
        expect(gone).to.include(/; path=[^;]*/.exec(set)?.[0]);
        expect(/; secure/i.test(gone)).to.equal(isSecure);
      }
    });
  });
});
