/** When too many wait for a hash, a change of an account is refused before anything of it is written. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { signIn } from '../../src/access/accounts/sign-in.js';
import type { AccessDeps } from '../../src/access/deps.js';
import { newAbortController } from '../../src/limits/abort-controller.js';
import { bcryptHash, hashing } from '../../src/limits/hashing/hash.js';
import { type Sent, send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { writeFiles } from '../support/write-files.js';

const PASSWORD = 'Correct-horse-1';
const SCHEMAS = {
  'extensions/users-permissions/content-types/user/schema.json': {
    kind: 'collectionType',
    collectionName: 'up_users',
    info: { name: 'user', singularName: 'user', pluralName: 'users', displayName: 'User' },
    attributes: { nickname: { type: 'string' } },
  },
};

/** Fills the gate and its queue with other clients. Returns what empties them. */
const fillGate = (): (() => Promise<void>) => {
  const aborting = newAbortController();
  const entered: Promise<(() => void) | undefined>[] = [];
  for (let n = 0; n < 52; n += 1)
    entered.push(hashing.enter({ client: `other ${n}`, signal: aborting.signal }).catch(() => undefined));
  return async () => {
    aborting.abort(new Error('over'));
    for (const leave of await Promise.all(entered)) leave?.();
  };
};

/** Runs `work` while no further hash is admitted. */
const whileBusy = async <T>(work: () => Promise<T>): Promise<T> => {
  const empty = fillGate();
  const result = await work();
  await empty();
  return result;
};

describe('security: hashes that are refused', function () {
  this.timeout(180_000);
  let server: TestServer;
  let full: string;
  let made = 0;
  before(async () => {
    const schemaFolder = await mkdtemp(join(tmpdir(), 'nicknames-'));
    await writeFiles(schemaFolder, SCHEMAS);
    const usersPermissions = { ratelimit: { enabled: false } };
    server = await startTestServer({ plugins: { usersPermissions } }, { schemaFolder });
    full = (await server.project.access.tokens.create({ name: 'full', type: 'full-access' })).key;
  });
  after(() => server.close());

  const ask = (path: string, sent?: Sent) => send(server.url, `/api${path}`, sent);
  const register = async () => {
    made += 1;
    const username = `somebody${made}`;
    const email = `${username}@example.test`;
    const answer = await ask('/auth/local/register', { body: { username, email, password: PASSWORD } });
    return { id: Number(answer.at('user.id')), jwt: String(answer.at('jwt')), email };
  };
  const stored = () => server.project.store.db.collection('mangrove.users').find().sort({ id: 1 }).toArray();
  /** Expects a 429 that changes nothing. */
  const isRefused = async (path: string, sent: Sent): Promise<void> => {
    const before = await stored();
    expect((await whileBusy(() => ask(path, sent))).status).to.equal(429);
    expect(await stored()).to.deep.equal(before);
  };

  it('an account is changed with its added attributes, or not at all', async () => {
    const { id } = await register();
    const sent = { method: 'PUT', token: full, body: { nickname: 'Bo', password: 'Another-1' } } as const;
    await isRefused(`/users/${id}`, sent);
    const changed = await ask(`/users/${id}`, sent);
    expect([changed.status, changed.at('nickname')]).to.deep.equal([200, 'Bo']);
  });

  it('a code is not used up', async () => {
    const { email } = await register();
    await ask('/auth/forgot-password', { body: { email } });
    const code = /code=(\w+)/.exec(server.emails.at(-1)?.text ?? '')?.[1] ?? '';
    const sent = { body: { code, password: 'Another-1', passwordConfirmation: 'Another-1' } };
    await isRefused('/auth/reset-password', sent);
    expect((await ask('/auth/reset-password', sent)).status).to.equal(200);
    expect((await ask('/auth/reset-password', sent)).at('error.message')).to.equal('Incorrect code provided');
  });

  it('an unknown code orders no hash', async () => {
    const body = { code: 'unknown', password: 'Another-1', passwordConfirmation: 'Another-1' };
    expect((await whileBusy(() => ask('/auth/reset-password', { body }))).status).to.equal(400);
  });

  it('a registration creates nothing', async () => {
    const body = { username: 'late', email: 'late@example.test', password: PASSWORD };
    await isRefused('/auth/local/register', { body });
    expect((await ask('/auth/local/register', { body })).status).to.equal(200);
  });

  it('a sign-in succeeds although its older hash cannot be replaced, and a later one replaces it', async () => {
    const { id, email } = await register();
    const { store } = server.project;
    const account = () => store.db.collection('mangrove.users').findOne({ id });
    const password = await bcryptHash(PASSWORD, 4);
    await store.db.collection('mangrove.users').updateOne({ id }, { $set: { password } });
    let entering = 0;
    let empty = async (): Promise<void> => undefined;
    /** The gate is full from the moment at which the password has been verified. */
    const entrant = () => {
      entering += 1;
      if (entering === 2) empty = fillGate();
      return { client: 'signing in' };
    };
    const settings = { advanced: { email_confirmation: false } };
    const deps = { store, settings, entrant, begin: () => undefined } as unknown as AccessDeps;
    const user = await signIn(deps, { identifier: email, password: PASSWORD });
    await empty();
    expect([user.id, entering]).to.deep.equal([id, 2]);
    expect((await account())?.['password']).to.equal(password);
    const later = await ask('/auth/local', { body: { identifier: email, password: PASSWORD } });
    expect(later.status).to.equal(200);
    expect((await account())?.['password']).to.match(/^\$scrypt\$/);
  });

  it('a change of the own password is refused', async () => {
    const { jwt: token } = await register();
    const body = { currentPassword: PASSWORD, password: 'Another-1', passwordConfirmation: 'Another-1' };
    await isRefused('/auth/change-password', { token, body });
  });
});
