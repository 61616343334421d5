/**
 * Each error that a server returns when it cannot do what it is asked: what a client sees, and what is stored
 * afterwards.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect } from 'chai';
import { MongoServerError } from 'mongodb';
import { isUnavailable } from '../../src/store/connection/unavailable.js';
import { openJournal } from '../../src/store/writes/journal.js';
import { type Received, type Sent, send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import {
  type Answer,
  bodyOf,
  commandOf,
  type Meddling,
  newTopologyVersion,
  startProxy,
  type WireProxy,
} from '../support/wire-proxy.js';

const READS = new Set(['find', 'aggregate', 'getMore', 'count', 'distinct']);
const WRITES = new Set(['insert', 'update', 'delete', 'bulkWrite', 'findAndModify', 'commitTransaction']);
/** More than any write sends. */
const MAX_COMMANDS = 20;

/** MongoDB error codes that are not the request's fault: a retry may succeed. */
const PASSING: Readonly<Record<string, number>> = {
  HostUnreachable: 6,
  LockTimeout: 24,
  CursorNotFound: 43,
  ShutdownInProgress: 91,
  WriteConflict: 112,
  FailedToSatisfyReadPreference: 133,
  StaleEpoch: 150,
  QueryPlanKilled: 175,
  PrimarySteppedDown: 189,
  CursorKilled: 237,
  SnapshotUnavailable: 246,
  NoSuchTransaction: 251,
  ExceededTimeLimit: 262,
  PreparedTransactionInProgress: 267,
  TransactionCoordinatorSteppingDown: 281,
  MovePrimaryInProgress: 319,
  TemporarilyUnavailable: 365,
  IngressRequestRateLimitExceeded: 462,
  NotWritablePrimary: 10107,
  InterruptedAtShutdown: 11600,
  Interrupted: 11601,
  InterruptedDueToReplStateChange: 11602,
  StaleConfig: 13388,
  NotPrimaryNoSecondaryOk: 13435,
  NotPrimaryOrSecondary: 13436,
};
/**
 * Codes of reads that exceed the server's resources. In sets, a read that is too large is not repeated by the row if
 * the request may not read as much.
 */
const TOO_MUCH: readonly (readonly [name: string, code: number, answers: readonly string[]])[] = [
  ['MaxTimeMSExpired', 50, ['query-timed-out']],
  ['NetworkInterfaceExceededTimeLimit', 202, ['query-timed-out']],
  ['ExceededMemoryLimit', 146, ['query-out-of-memory', 'answer-too-large']],
  ['QueryExceededMemoryLimitNoDiskUseAllowed', 292, ['query-out-of-memory', 'answer-too-large']],
  ['NamespaceCannotBeSharded', 28769, ['sharded-collection-not-joined']],
  ['BSONObjectTooLarge', 10334, ['populated-entry-too-large', 'answer-too-large']],
];

/** Retryable, as MongoDB classifies its codes. */
const RETRIABLE = new Set([6, 91, 189, 262, 462, 10107, 11600, 11602, 13435, 13436]);
/** Codes after which a transaction may be run again, wherever they occur in it. */
const TRANSIENT = new Set([24, 112, 150, 246, 267, 13388]);
const NO_SUCH_TRANSACTION = 251;
/** Errors that say what has become of the server: MongoDB adds its `topologyVersion`. */
const STATE_CHANGES = new Set([91, 189, 10107, 11600, 11602, 13435, 13436]);

/** What MongoDB and the driver make of an error with this code. */
const kindOf = (code: number): string =>
  [RETRIABLE, TRANSIENT, STATE_CHANGES, new Set([NO_SUCH_TRANSACTION])].map((of) => of.has(code)).join();
/** Whether requests meet the code: one of each kind, with `MANGROVE_SOAK=1` all. */
const isTried = (code: number): boolean =>
  Boolean(process.env['MANGROVE_SOAK']) ||
  Object.values(PASSING).find((other) => kindOf(other) === kindOf(code)) === code;

/** The labels that MongoDB gives an error, by command. */
function labelsOf(code: number, command: Answer): readonly string[] {
  const isCommit = 'commitTransaction' in command;
  const inTransaction = command['autocommit'] === false;
  const isTransient =
    inTransaction &&
    (TRANSIENT.has(code) || code === NO_SUCH_TRANSACTION || (!isCommit && RETRIABLE.has(code)));
  if (isTransient) return ['TransientTransactionError'];
  return 'txnNumber' in command && RETRIABLE.has(code) ? ['RetryableWriteError'] : [];
}

function refusal(message: Buffer, name: string, code: number): Answer {
  const errorLabels = labelsOf(code, bodyOf(message));
  return {
    ok: 0,
    code,
    codeName: name,
    errmsg: `said by the test: ${name}`,
    ...(errorLabels.length && { errorLabels }),
    ...(STATE_CHANGES.has(code) && { topologyVersion: newTopologyVersion() }),
  };
}

const isOne = (commands: ReadonlySet<string>, message: Buffer): boolean =>
  commands.has(commandOf(message) ?? '');

function expectAway(answer: Received): void {
  expect(answer.status, JSON.stringify(answer.body)).to.equal(503);
  expect(answer.headers.get('x-error-code')).to.equal('database-unavailable');
  expect(answer.headers.get('retry-after')).to.match(/^\d+$/);
}

describe('a server that returns errors', function () {
  this.timeout(180_000);
  let direct: TestServer;
  let proxy: WireProxy;
  let server: TestServer;
  /** Times out soon. */
  let hasty: TestServer;
  let token: string;
  let isStandalone: boolean;

  before(async () => {
    direct = await startTestServer();
    proxy = await startProxy(direct.project.databaseUri);
    const databaseUri = `${proxy.uri}&serverMonitoringMode=poll&heartbeatFrequencyMS=500`;
    server = await startTestServer({}, { beside: direct, databaseUri });
    hasty = await startTestServer({ database: { retryWritesMS: 300 } }, { beside: direct, databaseUri });
    token = (await direct.project.access.tokens.create({ name: 'all', type: 'full-access' })).key;
    const { setName } = await direct.project.store.db.command({ hello: 1 });
    isStandalone = setName === undefined;
    await ask('/articles', { body: { data: { title: 'there' } } });
  });
  after(async () => {
    await server?.close();
    await hasty?.close();
    await proxy?.close();
    await direct?.close();
  });

  const ask = (path: string, sent: Sent = {}, to = server): Promise<Received> =>
    send(to.url, `/api${path}`, { token, ...sent });
  const list = (): Promise<Received> => ask('/articles?status=draft&populate=*');

  /** The response to a client while each of these commands, or the one at a position among them, is tampered with. */
  async function meanwhile<T>(
    commands: ReadonlySet<string>,
    meddle: (message: Buffer) => Meddling,
    work: () => Promise<T>,
    at: number | null = null,
  ): Promise<{ answer: T; met: number }> {
    let count = 0;
    let met = 0;
    proxy.meddle = (message) => {
      if (!isOne(commands, message) || (++count !== at && at !== null)) return 0;
      met += 1;
      return meddle(message);
    };
    try {
      return { answer: await work(), met };
    } finally {
      proxy.meddle = () => 0;
    }
  }

  /**
   * One write that fails at one position after the other: it is stored completely or not at all, only once, and
   * acknowledged writes are complete.
   */
  async function eachCommand(
    meddle: (message: Buffer) => Meddling,
    look: (answer: Received, command: string) => void,
  ): Promise<void> {
    for (let at = 1; at < MAX_COMMANDS; at++) {
      const title = `written ${Math.random()}`;
      const write = (): Promise<Received> => ask('/articles?status=published', { body: { data: { title } } });
      let last = '';
      const noting = (message: Buffer): Meddling => {
        last = commandOf(message) ?? '';
        return meddle(message);
      };
      const { answer, met } = await meanwhile(WRITES, noting, write, at);
      if (isStandalone) await openJournal(direct.project.store.db, 60).recoverAll();
      const { db } = direct.project.store;
      const drafts = await db.collection('articles.drafts').countDocuments({ title });
      const live = await db.collection('articles').countDocuments({ title });
      expect(live, `versions after ${answer.status} at ${at}`).to.equal(drafts);
      expect(drafts).to.be.oneOf(answer.status === 201 ? [1] : [0, 1]);
      if (met === 0) {
        expect(at).to.be.greaterThan(1);
        return;
      }
      look(answer, last);
    }
  }

  it('a connection closed by the server is reported as an unavailable database', async () => {
    const server = createServer((ending) => ending.end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
    socket.resume();
    await once(socket, 'end');
    const error = await new Promise<unknown>((resolve) => socket.write('x', resolve));
    server.close();
    expect(error).to.have.property('code', 'EPIPE');
    expect(isUnavailable(error)).to.equal(true);
    expect(isUnavailable(new Error('of ours'))).to.equal(false);
  });

  for (const [name, code] of Object.entries(PASSING))
    describe(`${name} (${code})`, () => {
      it('is reported as an unavailable database', () => {
        expect(isUnavailable(new MongoServerError({ message: name, code }))).to.equal(true);
      });

      if (!isTried(code)) return;

      it('once: a read succeeds', async () => {
        const { answer, met } = await meanwhile(READS, (message) => refusal(message, name, code), list, 1);
        expect(met).to.equal(1);
        expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
      });

      it('always: a read is a 503', async () => {
        const { answer } = await meanwhile(READS, (message) => refusal(message, name, code), list);
        expectAway(answer);
      });

      it('once, at any command of a write: it succeeds, or is a 503', () =>
        eachCommand(
          (message) => refusal(message, name, code),
          (answer, command) => {
            // A transaction is retried, and so is the allocation of numbers.
            if (isStandalone && command !== 'findAndModify' && answer.status !== 201) expectAway(answer);
            else expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
          },
        ));

      it('always: a write is a 503', async () => {
        const write = () => ask('/articles', { body: { data: { title: 'never' } } }, hasty);
        const { answer } = await meanwhile(WRITES, (message) => refusal(message, name, code), write);
        expectAway(answer);
      });
    });

  it('WriteConflict at any command of the first read of a server: it succeeds', async () => {
    const refuse = (message: Buffer): Meddling => refusal(message, 'WriteConflict', 112);
    for (let at = 1; at < MAX_COMMANDS; at++) {
      const databaseUri = `${proxy.uri}&serverMonitoringMode=poll&heartbeatFrequencyMS=500`;
      const cold = await startTestServer({}, { beside: direct, databaseUri });
      const read = (): Promise<Received> => ask('/articles?status=draft&populate=*', {}, cold);
      const { answer, met } = await meanwhile(READS, refuse, read, at).finally(() => cold.close());
      expect(answer.status, `at ${at}`).to.equal(200);
      if (met === 0) return expect(at).to.be.greaterThan(3);
    }
    return expect.fail('no end');
  });

  for (const [name, code, words] of TOO_MUCH)
    it(`${name} (${code}) of a read is a 400`, async () => {
      const { answer } = await meanwhile(
        new Set(['aggregate']),
        (message) => refusal(message, name, code),
        list,
      );
      expect(answer.status, JSON.stringify(answer.body)).to.equal(400);
      expect(answer.headers.get('x-error-code')).to.be.oneOf([...words]);
    });

  it('a write that times out is a 503', async () => {
    const write = () => ask('/articles', { body: { data: { title: 'slow' } } }, hasty);
    const { answer } = await meanwhile(WRITES, (message) => refusal(message, 'MaxTimeMSExpired', 50), write);
    expectAway(answer);
  });

  it('a commit with an unknown result is sent again, and takes effect once', async () => {
    if (isStandalone) return;
    // The server has committed, and reports that it stepped down.
    const unknown = (): Answer => ({
      ok: 0,
      code: 11602,
      codeName: 'InterruptedDueToReplStateChange',
      errmsg: 'said by the test',
      errorLabels: ['RetryableWriteError'],
    });
    await eachCommand(
      (message) => (commandOf(message) === 'commitTransaction' ? unknown : 0),
      (answer) => expect(answer.status).to.equal(201),
    );
  });

  it('an unsatisfied write concern is a 503 or retried, and what was written remains', () => {
    const late = (answer: Answer): Answer => ({
      ...answer,
      writeConcernError: {
        code: 64,
        codeName: 'WriteConcernTimeout',
        errmsg: 'waiting for replication timed out',
        errInfo: { wtimeout: true },
      },
    });
    // Servers return it with commands that wait for a write concern, which in a transaction is the commit.
    const waits = (message: Buffer): boolean =>
      bodyOf(message)['autocommit'] !== false || commandOf(message) === 'commitTransaction';
    return eachCommand(
      (message) => (waits(message) ? late : 0),
      (answer) => {
        if (answer.status !== 201) expectAway(answer);
      },
    );
  });

  it('a failing count does not fail its page', async () => {
    const isCount = (message: Buffer): boolean =>
      message.includes('$count') || commandOf(message) === 'count';
    const { answer } = await meanwhile(
      READS,
      (message) => (isCount(message) ? refusal(message, 'TemporarilyUnavailable', 365) : 0),
      () => ask('/articles?status=draft&filters[title][$ne]=x&pagination[pageSize]=1'),
    );
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    expect(answer.at('data')).to.have.length(1);
  });
});
