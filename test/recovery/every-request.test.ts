/** Connections that close at each command of each kind of request: the response is as usual, or a 503. */
import { expect } from 'chai';
import { openJournal } from '../../src/store/writes/journal.js';
import { type Received, type Sent, send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { type Cut, commandOf, startProxy, type WireProxy } from '../support/wire-proxy.js';

/** Commands for discovery and authentication, or that tell a server that a client has gone. */
const ASIDE = new Set([
  'hello',
  'ismaster',
  'buildInfo',
  'ping',
  'endSessions',
  'killCursors',
  'abortTransaction',
]);
const CUTS: readonly Cut[] = ['cut after', 'half close'];
/** More than any request sends. */
const MAX_COMMANDS = 25;
const PASSWORD = 'secret-1';
const OK = [200, 201, 204];

describe('a connection that closes at any command of a request', function () {
  this.timeout(180_000);
  let direct: TestServer;
  let proxy: WireProxy;
  let server: TestServer;
  let token: string;
  let made = 0;

  before(async () => {
    const usersPermissions = { ratelimit: { enabled: false, interval: 1000, max: 1 } };
    const overrides = { plugins: { usersPermissions } };
    direct = await startTestServer(overrides);
    proxy = await startProxy(direct.project.databaseUri);
    const databaseUri = `${proxy.uri}&serverMonitoringMode=poll&heartbeatFrequencyMS=500`;
    server = await startTestServer(overrides, { beside: direct, databaseUri });
    token = (await direct.project.access.tokens.create({ name: 'all', type: 'full-access' })).key;
  });
  after(async () => {
    await server?.close();
    await proxy?.close();
    await direct?.close();
  });

  const ask = (path: string, sent: Sent = {}): Promise<Received> =>
    send(server.url, `/api${path}`, { token, ...sent });
  const name = (): string => `n${++made}`;
  const account = () => {
    const username = name();
    return { username, email: `${username}@example.test`, password: PASSWORD };
  };
  const idOf = async (path: string, body: object): Promise<string> => {
    const answer = await send(direct.url, `/api${path}`, { token, body });
    return String(answer.at('data.documentId') ?? answer.at('id') ?? answer.at('user.id'));
  };
  const article = (): Promise<string> =>
    idOf('/articles?status=published', { data: { title: name(), slug: name() } });

  /** Each creates what it needs, and returns what is sent while the connection closes. */
  const KINDS: Readonly<Record<string, () => Promise<() => Promise<Received>>>> = {
    'a list': async () => () => ask('/articles?populate=*&sort=title'),
    'a list of accounts': async () => () => ask('/users?populate=role'),
    'an entry': async () => {
      const id = await article();
      return () => ask(`/articles/${id}?populate=*`);
    },
    'a new locale': async () => {
      const id = await article();
      const body = { data: { title: name(), slug: name() } };
      return () => ask(`/articles/${id}?locale=fr&status=published`, { method: 'PUT', body });
    },
    'removing a locale': async () => {
      const id = await article();
      return () => ask(`/articles/${id}?locale=en`, { method: 'DELETE' });
    },
    'a single type': async () => () => ask('/homepage', { method: 'PUT', body: { data: { title: name() } } }),
    'a registration': async () => {
      const body = account();
      return () => ask('/auth/local/register', { token: undefined, body });
    },
    'a sign-in': async () => {
      const { username, email, password } = account();
      await idOf('/auth/local/register', { username, email, password });
      const body = { identifier: username, password };
      return () => ask('/auth/local', { token: undefined, body });
    },
    'updating an account': async () => {
      const id = await idOf('/users', { ...account(), role: 1 });
      return () => ask(`/users/${id}`, { method: 'PUT', body: { username: name() } });
    },
    'deleting an account': async () => {
      const id = await idOf('/users', { ...account(), role: 1 });
      return () => ask(`/users/${id}`, { method: 'DELETE' });
    },
  };

  for (const [kind, prepare] of Object.entries(KINDS))
    it(`${kind} is answered, or refused for a while`, async () => {
      for (const cut of CUTS)
        for (let at = 1; at < MAX_COMMANDS; at++) {
          const request = await prepare();
          let count = 0;
          const names: string[] = [];
          proxy.meddle = (message) => {
            const command = commandOf(message);
            if (command === null || ASIDE.has(command)) return 0;
            names.push(command);
            return ++count === at ? cut : 0;
          };
          const answer = await request();
          proxy.meddle = () => 0;
          if (answer.status === 503) {
            expect(answer.headers.get('retry-after')).to.match(/^\d+$/);
            expect(answer.headers.get('x-error-code')).to.equal('database-unavailable');
          } else {
            const what = `${cut} at ${at} of ${names.join(' ')}: ${JSON.stringify(answer.body)}`;
            expect(answer.status, what).to.be.oneOf(OK);
          }
          await openJournal(direct.project.store.db, 60).recoverAll();
          if (count < at) break;
        }
    });
});
