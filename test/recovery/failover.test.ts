/**
 * A proxy in front of the database cuts connections, denies being the primary and delays: what a client sees, and what
 * is stored afterwards.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { deserialize } from 'bson';
import { expect } from 'chai';
import { randomOf, SEED } from '../../packages/engine/test/support/random.js';
import { until } from '../../packages/engine/test/support/until.js';
import type { ConfigOverrides } from '../../src/config/load.js';
import { openJournal } from '../../src/store/writes/journal.js';
import { type Received, type Sent, send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import {
  commandOf,
  type Meddling,
  newTopologyVersion,
  startProxy,
  type WireProxy,
} from '../support/wire-proxy.js';

const COMMANDS = new Set([
  'find',
  'aggregate',
  'insert',
  'update',
  'delete',
  'bulkWrite',
  'findAndModify',
  'commitTransaction',
]);
const FAULTS = ['cut before', 'cut after', 'half close', 'not primary'] as const;
type Fault = (typeof FAULTS)[number];
/** Under load, all connections are cut after so many commands. */
const COMMANDS_UNTIL_CUT = 120;
/** The documents that clients must know to be stored, however often they are told to come back later. */
const ENOUGH = 6;
/** More than any write sends. */
const MAX_COMMANDS = 20;

/** What a server answers that has just stepped down, with MongoDB's error labels. */
function notPrimary(message: Buffer): Meddling {
  const command = deserialize(message.subarray(21, 21 + message.readInt32LE(21)));
  const isCommit = 'commitTransaction' in command;
  const label =
    !isCommit && command['autocommit'] === false ? 'TransientTransactionError' : 'RetryableWriteError';
  const isWrite = isCommit || 'txnNumber' in command;
  const errorLabels = isWrite ? [label] : [];
  const topologyVersion = newTopologyVersion();
  return {
    ok: 0,
    code: 10107,
    codeName: 'NotWritablePrimary',
    errmsg: 'not primary',
    errorLabels,
    topologyVersion,
  };
}

const meddling = (fault: Fault, message: Buffer): Meddling =>
  fault === 'not primary' ? notPrimary(message) : fault;

/**
 * The URI through a proxy: a server that only claims to have stepped down does not notify its monitors, so they must
 * poll.
 */
const polling = ({ uri }: WireProxy): string => `${uri}&serverMonitoringMode=poll&heartbeatFrequencyMS=500`;

const isCommand = (message: Buffer): boolean => COMMANDS.has(commandOf(message) ?? '');

/** What a client may see: success, or that the database is unavailable, or was for longer than a request may take. */
function expectOrdinary(answer: Received, what: string): void {
  if (answer.status === 503) {
    expect(answer.headers.get('retry-after'), what).to.match(/^\d+$/);
    const code = answer.headers.get('x-error-code');
    expect(code, what).to.be.oneOf(['database-unavailable', 'request-timed-out']);
  } else expect(answer.status, `${what}: ${JSON.stringify(answer.body)}`).to.be.oneOf([200, 201, 204]);
}

interface Behind {
  readonly proxy: WireProxy;
  readonly server: TestServer;
}

describe('a failing database', function () {
  this.timeout(180_000);
  /** Queries the database without a proxy. */
  let direct: TestServer;
  let token: string;
  let isStandalone: boolean;
  /** Ends the requests of a test that has ended, so that its clients stop whatever they wait for. */
  let ending: AbortController;
  /** What a test has opened: closed after it, the last first. */
  const opened: Pick<WireProxy, 'close'>[] = [];

  /** A server whose database fails as its own proxy is told to. */
  async function behindProxy(database: ConfigOverrides['database'] = {}, uriOf = polling): Promise<Behind> {
    const proxy = await startProxy(direct.project.databaseUri);
    opened.push(proxy);
    const server = await startTestServer({ database }, { beside: direct, databaseUri: uriOf(proxy) });
    const close = (): Promise<void> => {
      // What is still under way, as where a test has failed, ends.
      proxy.meddle = () => 0;
      proxy.cutAll();
      return server.close();
    };
    opened.push({ close });
    return { proxy, server };
  }
  const ask = ({ url }: TestServer, path: string, sent: Sent = {}): Promise<Received> =>
    send(url, `/api${path}`, { token, signal: ending.signal, ...sent });
  const untilServed = async (server: TestServer): Promise<void> => {
    let seen = 503;
    const isServed = async (): Promise<boolean> => {
      seen = (await ask(server, '/articles')).status;
      return seen !== 503;
    };
    await until(isServed, () => `status ${seen}`, { within: 60_000 });
    expect(seen).to.equal(200);
  };
  const titles = async (title: string): Promise<[drafts: string[], live: string[]]> => {
    const named = async (name: string) =>
      (await direct.project.store.db.collection(name).find({ title }).toArray()).map((entry) =>
        String(entry['documentId']),
      );
    return [await named('articles.drafts'), await named('articles')];
  };
  /** Without transactions, an interrupted write is completed or undone a little later. */
  const settle = async (): Promise<void> => {
    if (isStandalone) await openJournal(direct.project.store.db, 60).recoverAll();
  };

  before(async () => {
    direct = await startTestServer();
    token = (await direct.project.access.tokens.create({ name: 'all', type: 'full-access' })).key;
    const { setName } = await direct.project.store.db.command({ hello: 1 });
    isStandalone = setName === undefined;
  });
  after(() => direct?.close());
  beforeEach(() => {
    ending = new AbortController();
  });
  afterEach(async () => {
    ending.abort();
    for (const each of opened.splice(0).reverse()) await each.close();
  });

  /**
   * Injects a failure at each command of a create, an update and a delete, one after the other, through its own
   * proxy.
   */
  async function failAtEach(fault: Fault): Promise<void> {
    const { proxy, server } = await behindProxy();
    let seen = 0;
    let done = 0;
    const failOnce = async (at: number, path: string, sent: Sent): Promise<Received | null> => {
      let count = 0;
      proxy.meddle = (message) => (isCommand(message) && ++count === at ? meddling(fault, message) : 0);
      const answer = await ask(server, path, sent);
      proxy.meddle = () => 0;
      await settle();
      const what = `${sent.method} with ${fault} at command ${at}`;
      expectOrdinary(answer, what);
      if (count < at) return null;
      seen += 1;
      if (answer.status < 300) done += 1;
      return answer;
    };
    const count = (name: string, documentId: string): Promise<number> =>
      direct.project.store.db.collection(name).countDocuments({ documentId });
    for (let at = 1; at < MAX_COMMANDS; at++) {
      const title = `made ${fault} ${at}`;
      const sent = { method: 'POST', body: { data: { title } } };
      const made = await failOnce(at, '/articles?status=published', sent);
      if (!made) break;
      const [drafts, live] = await titles(title);
      expect(live, title).to.deep.equal(drafts);
      expect(drafts.length, title).to.be.oneOf(made.status === 201 ? [1] : [0, 1]);
    }
    for (let at = 1; at < MAX_COMMANDS; at++) {
      const body = { data: { title: `old ${fault} ${at}` } };
      const documentId = String(
        (await ask(server, '/articles?status=published', { body })).at('data.documentId'),
      );
      const title = `new ${fault} ${at}`;
      const data = { title, slug: `${fault.replace(' ', '-')}-${at}` };
      const sent = { method: 'PUT', body: { data } };
      const changed = await failOnce(at, `/articles/${documentId}?status=published`, sent);
      if (!changed) break;
      const [drafts, live] = await titles(title);
      expect(live, title).to.deep.equal(drafts);
      if (changed.status === 200) expect(live, title).to.deep.equal([documentId]);
      const removed = await failOnce(at, `/articles/${documentId}`, { method: 'DELETE' });
      const left = await count('articles', documentId);
      expect(left, title).to.equal(await count('articles.drafts', documentId));
      if (removed?.status === 204) expect(left, title).to.equal(0);
    }
    // A write that is a commit of its own takes one command for a new document, and three for each of the others.
    expect(seen).to.be.at.least(7);
    // With transactions there is a retry, which may conflict with another writer.
    if (!isStandalone) expect(done, `of ${seen} with ${fault}`).to.be.at.least(0.8 * seen);
  }

  it('after a failure at any command, a write is stored completely or not at all, and only once', () =>
    Promise.all(FAULTS.map(failAtEach)).then(() => undefined));

  it('under load and repeated failures, no acknowledged write is lost, and none is duplicated', async () => {
    const { proxy, server } = await behindProxy();
    const random = randomOf(SEED);
    let commands = 0;
    proxy.meddle = (message) => {
      if (!isCommand(message)) return random.below(3);
      commands += 1;
      if (commands % COMMANDS_UNTIL_CUT === 0) setImmediate(() => proxy.cutAll());
      if (random.below(20) > 0) return random.below(3);
      return meddling(FAULTS[random.below(FAULTS.length)] ?? 'cut before', message);
    };
    const acknowledged = new Map<string, string>();
    const client = async (number: number): Promise<void> => {
      let documentId: string | null = null;
      for (let at = 0; at < 8 || acknowledged.size < ENOUGH || commands <= COMMANDS_UNTIL_CUT; at++) {
        const title = `load ${number} ${at}`;
        const body = { data: { title } };
        const answer: Received = documentId
          ? await ask(server, `/articles/${documentId}?status=published`, { method: 'PUT', body })
          : await ask(server, '/articles?status=published', { body });
        expectOrdinary(answer, title);
        if (answer.status === 503) continue;
        // A new one after every fourth write, so that both cases occur.
        if (documentId === null) acknowledged.set(title, String(answer.at('data.documentId')));
        documentId = at % 4 === 3 ? null : String(answer.at('data.documentId'));
      }
    };
    await Promise.all(Array.from({ length: 6 }, (_, number) => client(number)));
    proxy.meddle = () => 0;
    await settle();
    const { db } = direct.project.store;
    for (const [title, documentId] of acknowledged)
      for (const name of ['articles', 'articles.drafts'])
        expect(await db.collection(name).countDocuments({ documentId }), `${title} in ${name}`).to.equal(1);
    const drafts = await db.collection('articles.drafts').find({ title: /^load/ }).toArray();
    const live = await db.collection('articles').find({ title: /^load/ }).toArray();
    const byDocument = new Map(live.map((entry) => [entry['documentId'], entry['title']]));
    for (const { documentId, title } of drafts) expect(byDocument.get(documentId), title).to.equal(title);
    expect(new Set(drafts.map(({ title }) => title)).size, 'titles').to.equal(drafts.length);
  });

  it('a server that cut everything during a request is found again, by polling clients too', async () => {
    const uriOf = ({ uri }: WireProxy): string => `${uri}&serverMonitoringMode=poll`;
    const { proxy, server } = await behindProxy({ serverSelectionTimeoutMS: 5000 }, uriOf);
    for (let round = 0; round < 2; round++) {
      let isAsked = false;
      proxy.meddle = (message) => {
        if (!isCommand(message)) return 0;
        isAsked = true;
        return new Promise(() => undefined);
      };
      const response = ask(server, '/articles');
      await until(
        () => isAsked,
        () => 'no command yet',
      );
      // Longer than the driver lets pass between two heartbeats, so that it asks at once, while the connections are being cut.
      await sleep(700);
      proxy.cutAll();
      proxy.meddle = () => 0;
      expectOrdinary(await response, 'a list');
      await untilServed(server);
    }
  });

  it('no request waits longer for a free connection than the setting allows', async () => {
    const { proxy, server } = await behindProxy({ maxPoolSize: 1, waitQueueTimeoutMS: 2000 });
    const asked: Promise<Received>[] = [];
    let late: Promise<unknown> | null = null;
    /** Until a request is refused, or longer than the setting allows, but not as long as its default. */
    const held = async (): Promise<number> => {
      late ??= sleep(8000);
      await Promise.race([...asked, late]).catch(() => undefined);
      return 0;
    };
    proxy.meddle = (message) => (isCommand(message) ? held() : 0);
    for (let count = 0; count < 4; count++) asked.push(ask(server, '/articles'));
    const answers = await Promise.all(asked);
    for (const answer of answers) expectOrdinary(answer, 'a list');
    expect(answers.map(({ status }) => status)).to.include(503);
    await untilServed(server);
  });

  it('no read or write waits longer for a server than the setting allows', async () => {
    const { proxy, server } = await behindProxy({ serverSelectionTimeoutMS: 5000, retryWritesMS: 300 });
    expect((await ask(server, '/articles')).status).to.equal(200);
    await proxy.close();
    for (const sent of [{}, { body: { data: { title: 'lost' } } }]) {
      const answer = await ask(server, '/articles', sent);
      expect(answer.status).to.equal(503);
      expectOrdinary(answer, 'without a server');
      expect(answer.at('error.name')).to.equal('ServiceUnavailableError');
    }
  });
});
