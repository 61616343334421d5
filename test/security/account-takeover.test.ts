/** One test for each class of vulnerability that other servers had around accounts, named after its id. */
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import { hashing } from '../../src/limits/hashing/hash.js';
import { type Sent, send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const PASSWORD = 'secret-1';
const account = (username: string) => ({ username, email: `${username}@example.test`, password: PASSWORD });

describe('security: accounts', function () {
  this.timeout(180_000);
  let server: TestServer;
  let limited: TestServer;
  before(async () => {
    const off = { ratelimit: { enabled: false, interval: 1000, max: 1 } };
    server = await startTestServer({ plugins: { usersPermissions: off } });
    const few = { ratelimit: { enabled: true, interval: 600_000, max: 3 } };
    limited = await startTestServer({ plugins: { usersPermissions: few } });
  });
  after(async () => {
    await server.close();
    await limited.close();
  });
  const ask = (path: string, sent?: Sent) => send(server.url, `/api${path}`, sent);
  const register = async (name: string) => {
    const answer = await ask('/auth/local/register', { body: account(name) });
    return { jwt: answer.at('jwt') as string, id: answer.at('user.id') as number };
  };

  it('CVE-2023-39345: registration writes only username, email and password', async () => {
    const fields = [
      'role',
      'confirmed',
      'blocked',
      'provider',
      'id',
      'documentId',
      'resetPasswordToken',
      'confirmationToken',
      'passwordVersion',
      'createdAt',
      '_id',
      '$set',
    ];
    for (const field of fields) {
      const answer = await ask('/auth/local/register', { body: { ...account('mallory'), [field]: 1 } });
      expect([answer.status, answer.at('error.message')], field).to.deep.equal([
        400,
        `Invalid parameters: ${field}`,
      ]);
    }
    expect(
      await server.project.store.db.collection('mangrove.users').countDocuments({ username: 'mallory' }),
    ).to.equal(0);
  });

  it('CVE-2025-25298: passwords that share their first 72 bytes are still different', async () => {
    const long = 'a'.repeat(72);
    const body = { ...account('long'), password: `${long}b` };
    const refused = await ask('/auth/local/register', { body });
    expect([refused.status, refused.at('error.message')]).to.deep.equal([
      400,
      'Password must be less than 73 bytes',
    ]);
    expect((await ask('/auth/local/register', { body: { ...body, password: long } })).status).to.equal(200);
    for (const password of [`${long}b`, `${long}c`, long.slice(1)])
      expect((await ask('/auth/local', { body: { identifier: 'long', password } })).status).to.equal(400);
  });

  it("CVE-2025-3930, CVE-2026-22706: no token survives a change of password, a block or the account's deletion", async () => {
    const full = (await server.project.access.tokens.create({ name: 'full', type: 'full-access' })).key;
    const endings: Record<string, (user: { jwt: string; id: number }) => Promise<{ status: number }>> = {
      changed: ({ jwt: token }) =>
        ask('/auth/change-password', {
          token,
          body: { currentPassword: PASSWORD, password: 'secret-2', passwordConfirmation: 'secret-2' },
        }),
      'set by an administrator': ({ id }) =>
        ask(`/users/${id}`, { method: 'PUT', token: full, body: { password: 'secret-2' } }),
      blocked: ({ id }) => ask(`/users/${id}`, { method: 'PUT', token: full, body: { blocked: true } }),
      removed: ({ id }) => ask(`/users/${id}`, { method: 'DELETE', token: full }),
    };
    for (const [name, end] of Object.entries(endings)) {
      const user = await register(`ends-${name.replace(/ /g, '-')}`);
      expect((await ask('/users/me', { token: user.jwt })).status, name).to.equal(200);
      expect((await end(user)).status, name).to.equal(200);
      expect((await ask('/users/me', { token: user.jwt })).status, name).to.equal(401);
    }
  });

  it('CVE-2026-57997: only tokens signed with HS256 and our secret are accepted', async () => {
    const { id } = await register('algorithms');
    const secret = server.project.config.secrets.jwtSecret;
    const { privateKey, publicKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const exp = Math.floor(Date.now() / 1000) + 60;
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const unsigned = `${part({ alg: 'none', typ: 'JWT' })}.${part({ id, exp })}`;
    const asHmac = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ id, exp })}`;
    const confused = `${asHmac}.${createHmac('sha256', publicKey).update(asHmac).digest('base64url')}`;
    expect((await ask('/users/me', { token: jwt.sign({ id, exp }, secret) })).status).to.equal(200);
    const forged: Record<string, string> = {
      none: `${unsigned}.`,
      'without an end': jwt.sign({ id }, secret),
      'none with a signature': `${unsigned}.x`,
      HS384: jwt.sign({ id, exp }, secret, { algorithm: 'HS384' }),
      HS512: jwt.sign({ id, exp }, secret, { algorithm: 'HS512' }),
      RS256: jwt.sign({ id, exp }, privateKey, { algorithm: 'RS256' }),
      'a public key as secret': confused,
      'an empty secret': jwt.sign({ id, exp }, ' '),
      'an id as a string': jwt.sign({ id: String(id), exp }, secret),
      'an operator as id': jwt.sign({ id: { $gt: 0 }, exp }, secret),
      expired: jwt.sign({ id, exp: 1 }, secret),
      'not yet valid': jwt.sign({ id, exp: 5_000_000_000, nbf: 4_000_000_000 }, secret),
      'a session that is none': jwt.sign({ userId: String(id), sessionId: 'x', type: 'access', exp }, secret),
    };
    for (const [name, token] of Object.entries(forged))
      expect((await ask('/users/me', { token })).status, name).to.equal(401);
  });

  it('CVE-2025-64526, CVE-2023-38507: attempts are counted whatever the spelling of path and body', async () => {
    const spellings = ['/auth/local', '/AUTH/Local', '/auth/local/', '/auth/local?x=1'];
    const bodies = [
      { identifier: 'victim', password: 'a' },
      { identifier: 'VICTIM ', password: 'b' },
      { identifier: 'victim', password: 'c', email: 'other@example.test' },
      { identifier: 'victim', password: 'd', username: 'x', code: 'y' },
    ];
    const statuses: number[] = [];
    for (const path of spellings)
      for (const body of bodies) statuses.push((await send(limited.url, `/api${path}`, { body })).status);
    expect(statuses.slice(0, 3)).to.deep.equal([400, 400, 400]);
    expect(new Set(statuses.slice(3))).to.deep.equal(new Set([429]));
    const refused = await send(limited.url, '/api/auth/local', { body: bodies[0] });
    expect(refused.body).to.deep.equal({
      data: null,
      error: {
        status: 429,
        name: 'RateLimitError',
        message: 'Too many requests, please try again later.',
        details: {},
      },
    });
    const forwarded = { 'x-forwarded-for': '10.1.2.3', 'x-real-ip': '10.1.2.3', forwarded: 'for=10.1.2.3' };
    expect(
      (await send(limited.url, '/api/auth/local', { body: bodies[0], headers: forwarded })).status,
    ).to.equal(429);
  });

  it('CVE-2025-64526: attempts are counted across processes', async () => {
    const other = await startTestServer(
      { plugins: { usersPermissions: { ratelimit: { enabled: true, interval: 600_000, max: 3 } } } },
      { beside: limited },
    );
    const body = { identifier: 'spread', password: 'x' };
    const statuses: number[] = [];
    for (const at of [limited, other, limited, other, limited])
      statuses.push((await send(at.url, '/api/auth/local', { body })).status);
    await other.close();
    expect(statuses).to.deep.equal([400, 400, 400, 429, 429]);
  });

  it('CVE-2026-30941, CVE-2026-32248 (Parse), strapi#4442: an object or list in place of a string is refused', async () => {
    const { jwt: token } = await register('typed');
    const wrong: readonly unknown[] = [
      { $regex: '^' },
      { $ne: null },
      { $gt: '' },
      {},
      [],
      ['x'],
      5,
      true,
      null,
    ];
    const routes: Readonly<Record<string, readonly string[]>> = {
      '/auth/local': ['identifier', 'password'],
      '/auth/local/register': ['username', 'email', 'password'],
      '/auth/forgot-password': ['email'],
      '/auth/reset-password': ['code', 'password', 'passwordConfirmation'],
      '/auth/send-email-confirmation': ['email'],
      '/auth/change-password': ['currentPassword', 'password', 'passwordConfirmation'],
    };
    const fine: Readonly<Record<string, string>> = {
      email: 'typed@example.test',
      identifier: 'typed',
      username: 'typed',
    };
    for (const [path, fields] of Object.entries(routes))
      for (const field of fields)
        for (const value of wrong) {
          const body = {
            ...Object.fromEntries(fields.map((name) => [name, fine[name] ?? PASSWORD])),
            [field]: value,
          };
          const answer = await ask(path, { body, ...(path === '/auth/change-password' && { token }) });
          expect(
            [answer.status, answer.at('error.name')],
            `${path} ${field} ${JSON.stringify(value)}`,
          ).to.deep.equal([400, 'ValidationError']);
        }
    for (const query of [
      'confirmation[$ne]=x',
      'confirmation[]=x',
      'confirmation=a&confirmation=b',
      'confirmation',
    ])
      expect((await ask(`/auth/email-confirmation?${query}`)).status, query).to.equal(400);
  });

  it('CVE-2026-34751 (Payload): a reset requires an emailed code, and cannot name another account', async () => {
    await register('recovered');
    const users = server.project.store.db.collection('mangrove.users');
    for (const code of [
      '',
      ' ',
      'null',
      'undefined',
      '0',
      (await users.findOne({ username: 'recovered' }))?.['documentId'],
    ]) {
      const body = {
        code,
        password: 'stolen-1',
        passwordConfirmation: 'stolen-1',
        identifier: 'recovered',
        id: 1,
      };
      expect((await ask('/auth/reset-password', { body })).status, String(code)).to.equal(400);
    }
    const hashed = {
      resetPasswordToken: 'a'.repeat(64),
      resetPasswordExpiresAt: new Date(Date.now() + 60_000),
    };
    await users.updateOne({ username: 'recovered' }, { $set: hashed });
    const body = { code: 'a'.repeat(64), password: 'stolen-1', passwordConfirmation: 'stolen-1' };
    expect((await ask('/auth/reset-password', { body })).status, 'the stored hash is not a code').to.equal(
      400,
    );
  });

  it('CVE-2026-105851, CVE-2026-105855, CVE-2026-105863 (Payload): field rules apply to accounts as to content', async () => {
    const reader = (await server.project.access.tokens.create({ name: 'reader', type: 'read-only' })).key;
    for (const path of ['/users?populate=*', '/users?fields=*', '/users/1?populate=role', '/users?_q=scrypt'])
      expect(JSON.stringify((await ask(path, { token: reader })).body), path).to.not.match(
        /scrypt|password|Token|passwordVersion/i,
      );
    for (const name of ['password', 'resetPasswordToken', 'confirmationToken', 'passwordVersion'])
      for (const query of [`filters[${name}][$startsWith]=a`, `sort=${name}`, `fields=${name}`])
        expect((await ask(`/users?${query}`, { token: reader })).status, query).to.equal(400);
  });

  it('CVE-2024-34065: redirects follow the configuration, and no token is put into a URL', async () => {
    for (const query of [
      'callback=https://evil.example',
      'redirect=https://evil.example',
      'url=//evil.example',
    ]) {
      const answer = await ask(`/connect/google?${query}`);
      expect([answer.status, answer.headers.get('location')], query).to.deep.equal([400, null]);
    }
    const { jwt: token } = await register('addressed');
    for (const query of [`access_token=${token}`, `jwt=${token}`, `token=${token}`])
      expect((await ask(`/users/me?${query}`)).status, query).to.equal(403);
  });

  it('CVE-2023-22893: identities of other providers are not trusted', async () => {
    const forged = jwt.sign({ email: 'admin@example.test', 'cognito:username': 'admin' }, 'anything');
    const answer = await ask(`/auth/cognito/callback?id_token=${forged}&access_token=${forged}`);
    expect([answer.status, answer.at('error.message')]).to.deep.equal([400, 'This provider is disabled']);
  });

  it('unknown accounts and wrong passwords are indistinguishable in message and work: one hash each', async () => {
    await register('known');
    const attempt = async (identifier: string) => {
      let hashes = 0;
      const enter = hashing.enterNow;
      hashing.enterNow = (who) => {
        hashes += 1;
        return enter(who);
      };
      const { body } = await ask('/auth/local', { body: { identifier, password: 'wrong-1' } });
      hashing.enterNow = enter;
      return { body, hashes };
    };
    const known = await attempt('known');
    expect(known.hashes).to.equal(1);
    expect(await attempt('unknown')).to.deep.equal(known);
  });
});
