/** The errors of the account routes with `rest.compat: 'v3'`, in the words of Strapi 3. */
import { STATUS_CODES } from 'node:http';
import { expect } from 'chai';
import { startTestServer, type TestServer } from '../support/test-server.js';

const ann = { username: 'ann', email: 'ann@example.com', password: 'secret-ann' };
const blocked = { username: 'bob', email: 'bo@example.com', password: 'secret-bo', blocked: true };
const waiting = { username: 'cyd', email: 'cy@example.com', password: 'secret-cy', confirmed: false };

type Said = string | readonly [id: string, message: string, field?: string];
type Row = readonly [what: string, route: string, body: object | null, said: Said];

const form = (name: string, message: string, field?: string): Said =>
  field === undefined ? [`Auth.form.error.${name}`, message] : [`Auth.form.error.${name}`, message, field];
const login = (identifier: unknown, password: unknown): object => ({ identifier, password });
const INVALID = form('invalid', 'Identifier or password invalid.');
const NO_PASSWORD = form('password.provide', 'Please provide your password.');
const NO_PARAMETERS = form('params.provide', 'Incorrect params provided.');
const NO_EMAIL = form('email.format', 'Please provide a valid email address.');

const ROWS: readonly Row[] = [
  ['an unknown account', '/auth/local', login('nobody', 'x'), INVALID],
  ['a wrong password', '/auth/local', login('ann', 'x'), INVALID],
  ['no identifier', '/auth/local', {}, form('email.provide', 'Please provide your username or your e-mail.')],
  ['no password', '/auth/local', { identifier: 'ann' }, NO_PASSWORD],
  ['an empty password', '/auth/local', login('ann', ''), NO_PASSWORD],
  [
    'a blocked account',
    '/auth/local',
    login('bob', 'secret-bo'),
    form('blocked', 'Your account has been blocked by an administrator'),
  ],
  [
    'an unconfirmed account',
    '/auth/local',
    login('cyd', 'secret-cy'),
    form('confirmed', 'Your account email is not confirmed'),
  ],
  [
    'an identifier that is no text',
    '/auth/local',
    login({ $ne: null }, 'x'),
    [
      'fields-not-valid',
      'identifier must be a `string` type, but the final value was: `{\n  "$ne": "null"\n}`.',
    ],
  ],
  ['no password', '/auth/local/register', { username: 'new', email: 'n@example.com' }, NO_PASSWORD],
  [
    'no email',
    '/auth/local/register',
    { username: 'new', password: 'x' },
    form('email.provide', 'Please provide your email.'),
  ],
  [
    'no valid email',
    '/auth/local/register',
    { ...ann, email: 'a@b@c' },
    form('email.format', 'Please provide valid email address.'),
  ],
  [
    'an email that is taken',
    '/auth/local/register',
    { ...ann, username: 'new' },
    form('email.taken', 'Email is already taken.'),
  ],
  [
    'a username that is taken',
    '/auth/local/register',
    { ...ann, email: 'new@example.com' },
    form('username.taken', 'Username already taken'),
  ],
  ['no email', '/auth/forgot-password', {}, NO_EMAIL],
  ['no valid email', '/auth/forgot-password', { email: 'ann' }, NO_EMAIL],
  [
    'an unknown code',
    '/auth/reset-password',
    { code: 'x', password: 'y', passwordConfirmation: 'y' },
    form('code.provide', 'Incorrect code provided.'),
  ],
  [
    'two passwords',
    '/auth/reset-password',
    { code: 'x', password: 'y', passwordConfirmation: 'z' },
    form('password.matching', 'Passwords do not match.'),
  ],
  ['no code', '/auth/reset-password', { password: 'y', passwordConfirmation: 'y' }, NO_PARAMETERS],
  ['one password', '/auth/reset-password', { code: 'x', password: 'y' }, NO_PARAMETERS],
  ['no email', '/auth/send-email-confirmation', {}, 'missing.email'],
  ['no valid email', '/auth/send-email-confirmation', { email: 'ann' }, 'wrong.email'],
  ['no code', '/auth/email-confirmation', null, 'token.invalid'],
  ['an unknown code', '/auth/email-confirmation?confirmation=x', null, 'token.invalid'],
  ['a provider', '/auth/github/callback', null, ['provider.disabled', 'This provider is disabled.']],
  ['no email', '/users', { username: 'new', password: 'x', role: 1 }, 'missing.email'],
  [
    'an email that is taken',
    '/users',
    { ...ann, username: 'new', role: 1 },
    form('email.taken', 'Email already taken.', 'email'),
  ],
];

describe('errors of accounts for Strapi 3 clients', function () {
  this.timeout(180_000);
  let server: TestServer;

  before(async () => {
    const plugin = (names: readonly string[]) => names.map((name) => `plugin::users-permissions.${name}`);
    const auth = [
      'callback',
      'register',
      'forgotPassword',
      'resetPassword',
      'emailConfirmation',
      'sendEmailConfirmation',
    ];
    server = await startTestServer({
      rest: { compat: 'v3' },
      roles: { public: plugin([...auth.map((name) => `auth.${name}`), 'user.create']) },
      plugins: {
        usersPermissions: { ratelimit: { enabled: false }, advanced: { email_confirmation: true } },
      },
    });
    const { users } = server.project.access;
    for (const account of [{ ...ann, confirmed: true }, { ...blocked, confirmed: true }, waiting])
      await users.create({ ...account, role: 1 });
  });
  after(() => server?.close());

  const send = async (path: string, body: object | null) => {
    const response = await fetch(server.url + path, {
      method: body ? 'POST' : 'GET',
      headers: { 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as unknown };
  };
  const refused = (said: Said, status = 400) => {
    const error = STATUS_CODES[status];
    if (typeof said === 'string') return { status, body: { statusCode: status, error, message: said } };
    const [id, message, field] = said;
    const messages = [{ id, message, ...(field !== undefined && { field: [field] }) }];
    return { status, body: { statusCode: status, error, message: [{ messages }], data: [{ messages }] } };
  };

  for (const [what, path, body, said] of ROWS)
    it(`${path}: ${what}`, async () => {
      expect(await send(path, body)).to.eql(refused(said));
    });

  it('ignores other keys, as Strapi 3 does', async () => {
    const body = { email: 'ann@example.com', url: 'https://example.com/reset' };
    expect(await send('/auth/forgot-password', body)).to.eql({ status: 200, body: { ok: true } });
    const reset = { code: 'x', password: 'y', passwordConfirmation: 'y', url: 'https://example.com/reset' };
    expect(await send('/auth/reset-password', reset)).to.eql(
      refused(form('code.provide', 'Incorrect code provided.')),
    );
  });

  it('does not say whether an address is known', async () => {
    for (const email of ['ann@example.com', 'nobody@example.com', 'bo@example.com'])
      expect(await send('/auth/forgot-password', { email })).to.eql({ status: 200, body: { ok: true } });
  });
});
