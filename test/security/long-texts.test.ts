/** Texts whose length is limited before any work is done on them. */
import { expect } from 'chai';
import { isDeceptive, nameKey } from '../../src/access/names.js';
import { checkFileName, hashOf } from '../../src/media/file-name.js';
import { cpuTime } from '../support/cpu-time.js';
import { send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const PASSWORD = 'Correct-horse-1';
/** Far more than any of these takes, far less than normalizing does. */
const SOON_MS = 1000;

/** Sorted by insertion when they are normalized: takes seconds. */
const MARKS = `a${'\u0315'.repeat(60_000)}${'\u0316'.repeat(60_000)}`;
/** Eighteen characters each, once they are normalized. */
const LIGATURES = '\ufdfa'.repeat(325_000);
const LONG = 'x'.repeat(900_000);
const TEXTS = Object.entries({ MARKS, LIGATURES, LONG });

type Body = Readonly<Record<string, string>>;

const ACCOUNT: Body = { username: 'somebody', email: 'somebody@example.test', password: PASSWORD };
const RESET: Body = { code: 'a', password: PASSWORD, passwordConfirmation: PASSWORD };

/** The account routes and a valid body of each; every text in it is replaced in turn. */
const ROUTES: readonly (readonly [method: string, path: string, body: Body])[] = [
  ['POST', '/api/auth/local', { identifier: 'somebody', password: PASSWORD }],
  ['POST', '/api/auth/local/register', ACCOUNT],
  ['POST', '/api/auth/forgot-password', { email: 'somebody@example.test' }],
  ['POST', '/api/auth/reset-password', RESET],
  ['POST', '/api/auth/send-email-confirmation', { email: 'somebody@example.test' }],
  ['POST', '/api/auth/refresh', { refreshToken: 'a' }],
  [
    'POST',
    '/api/auth/change-password',
    { password: PASSWORD, passwordConfirmation: PASSWORD, currentPassword: PASSWORD },
  ],
  ['POST', '/api/users', { ...ACCOUNT, username: 'another', email: 'another@example.test' }],
  ['PUT', '/api/users/1', ACCOUNT],
  ['POST', '/api/email', { to: 'a@example.test', subject: 'a', text: 'a' }],
];

const USERS = 'plugin::users-permissions';
const ACTIONS = [
  'auth.callback',
  'auth.register',
  'auth.forgotPassword',
  'auth.resetPassword',
  'auth.sendEmailConfirmation',
  'auth.refresh',
  'auth.changePassword',
  'user.create',
  'user.update',
].map((action) => `${USERS}.${action}`);

describe('security: long texts', function () {
  this.timeout(180_000);
  let server: TestServer;
  let token: string;
  before(async () => {
    server = await startTestServer(
      {
        roles: { public: ACTIONS, authenticated: [...ACTIONS, 'plugin::email.email.send'] },
        plugins: {
          usersPermissions: { jwtManagement: 'refresh', ratelimit: { max: 10_000, maxPerAddress: 10_000 } },
        },
      },
      { hostile: true },
    );
    const registered = await send(server.url, '/api/auth/local/register', { body: ACCOUNT });
    token = String(registered.at('jwt'));
    expect(registered.status).to.equal(200);
  });
  after(() => server.close());

  for (const [method, path, body] of ROUTES)
    for (const field of Object.keys(body))
      for (const [name, text] of TEXTS)
        it(`${method} ${path}: ${name} as ${field} is refused at once`, async () => {
          const before = cpuTime();
          const answer = await send(server.url, path, { method, token, body: { ...body, [field]: text } });
          const ms = cpuTime() - before;
          expect(answer.status, JSON.stringify(answer.body).slice(0, 300)).to.equal(400);
          expect(answer.at('error.name')).to.be.a('string');
          expect(JSON.stringify(answer.body).length).to.be.below(2000);
          expect(ms).to.be.below(SOON_MS);
        });

  it('the functions that fold names do so with their beginning', () => {
    for (const [name, text] of TEXTS)
      for (const work of [nameKey, isDeceptive, hashOf, (name: string) => checkFileName(`${name}.png`)]) {
        const before = cpuTime();
        try {
          work(text);
        } catch (error) {
          expect(String(error), name).to.include('File name contains invalid characters');
        }
        expect(cpuTime() - before, name).to.be.below(SOON_MS);
      }
  });

  it('names that may be stored are told apart by their last character', () => {
    const long = 'a'.repeat(254);
    expect(nameKey(`${long}b`)).to.not.equal(nameKey(`${long}c`));
  });
});
