/**
 * A server without transactions crashes at each command, and comes back without what it had not yet written to disk: no
 * acknowledged write is lost, none is half done, and every published entry has its claims.
 */
import { expect } from 'chai';
import { until } from '../../packages/engine/test/support/until.js';
import { makeConfig } from '../../src/config/load.js';
import { createReader } from '../../src/documents/read/create-reader.js';
import { createDocuments } from '../../src/documents/service.js';
import type { Documents } from '../../src/documents/types.js';
import { openStore, type Store } from '../../src/store/client.js';
import { ensureIndexes } from '../../src/store/indexes/sync.js';
import { openJournal } from '../../src/store/writes/journal.js';
import { type TestStore, testStore } from '../support/engine.js';
import { has } from '../support/engines/lacks.js';
import { schemaOf, typeFile } from '../support/schemas.js';
import { type Moment, startVolatileServer, type VolatileServer } from '../support/volatile-server.js';

const ITEM = 'api::item.item';
const schema = schemaOf(
  typeFile(
    'item',
    { title: { type: 'string' }, code: { type: 'string', unique: true } },
    { draftAndPublish: true },
  ),
);
/** Milliseconds without a sign of life after which a writer is taken for dead: one that runs, and one that was killed. */
const LEASE = 1000;
const SHORT_LEASE = 200;
/** How many servers crash at the same time. */
const AT_ONCE = 3;
/** `MANGROVE_SOAK=1` crashes at every command. */
const STEP = process.env['MANGROVE_SOAK'] ? 1 : 23;
const WHEN = ['before', 'after', 'between'] as const;

interface Opened {
  readonly store: Store;
  readonly documents: Documents;
}

async function open(uri: string, name: string, leaseMS: number): Promise<Opened> {
  const opened = await openStore({ uri, name });
  const store = { ...opened, writeLimits: { ...opened.writeLimits, leaseMS } };
  try {
    const config = makeConfig('.');
    const reader = createReader({ schema, store, config });
    return { store, documents: await createDocuments({ schema, store, config, reader }) };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** What a client asked for and, if it was acknowledged, got. */
interface Asked {
  readonly code: string;
  /** Null: a new document. */
  readonly documentId: string | null;
  isDone: boolean;
}

interface Place {
  readonly test: TestStore;
  readonly server: VolatileServer;
  readonly existing: readonly string[];
}

/** A database with two published entries, behind a server that can crash. */
async function prepare(): Promise<Place> {
  const test = await testStore();
  await ensureIndexes(test.store, schema);
  const server = await startVolatileServer(test.uri, test.name);
  const { store, documents } = await open(server.uri, test.name, LEASE);
  const existing: string[] = [];
  for (const code of ['old 1', 'old 2']) {
    const entry = await documents(ITEM).create({ data: { title: code, code }, status: 'published' });
    existing.push(String(entry['documentId']));
  }
  await store.close();
  return { test, server, existing };
}

/** Clients that write one after the other, each as soon as it has its answer, so that writes wait behind the end of others. */
async function write({ documents }: Opened, existing: readonly string[]): Promise<readonly Asked[]> {
  const asked: Asked[] = [];
  const once = async (code: string, documentId: string | null): Promise<boolean> => {
    const one: Asked = { code, documentId, isDone: false };
    asked.push(one);
    const params = { data: { title: code, code }, status: 'published' } as const;
    await (documentId === null
      ? documents(ITEM).create(params)
      : documents(ITEM).update({ ...params, documentId })
    ).then(
      () => {
        one.isDone = true;
      },
      () => undefined,
    );
    return one.isDone;
  };
  const client = async (number: number): Promise<void> => {
    // A write that failed may be under way until another process completes it.
    for (const turn of [1, 2]) if (!(await once(`${number} ${turn}`, existing[number] ?? null))) return;
  };
  await Promise.all([0, 1, 2].map(client));
  return asked;
}

/** What is stored after the next start. */
async function expectWhole({ test, existing }: Place, asked: readonly Asked[], what: string): Promise<void> {
  const { db } = test.store;
  await openJournal(db, SHORT_LEASE).recoverAll();
  const rows = (name: string) =>
    db
      .collection(name)
      .find({}, { sort: { documentId: 1 } })
      .toArray();
  const [live, drafts] = [await rows('items'), await rows('items.drafts')];
  const codes = (entries: typeof live) => entries.map(({ documentId, code }) => `${documentId} ${code}`);
  expect(codes(live), `${what}: both versions`).to.deep.equal(codes(drafts));
  const claims = await db
    .collection('mangrove.claims')
    .find({ _id: /^api::item/ as never })
    .toArray();
  expect(claims.map(({ owner }) => owner).sort(), `${what}: claims`).to.deep.equal(
    live.map(({ documentId }) => documentId).sort(),
  );
  expect(
    await db.collection('mangrove.journal').countDocuments({ steps: { $exists: true } }),
    `${what}: writes in progress`,
  ).to.equal(0);
  const stored = new Set(live.map(({ code }) => String(code)));
  const events = await db.collection('mangrove.outbox').find({ event: 'entry.create' }).toArray();
  expect(events.map(({ documentId }) => documentId).sort(), `${what}: events`).to.deep.equal(
    live.map(({ documentId }) => documentId),
  );
  for (const { code, documentId, isDone } of asked) {
    if (!isDone) continue;
    const later = asked.some((other) => other.documentId === documentId && other.code > code);
    if (documentId === null || !later) expect([...stored], `${what}: ${code}`).to.include(code);
  }
  expect(live.filter(({ documentId }) => existing.includes(String(documentId)))).to.have.length(2);
}

/** Calls `work` with every `STEP`th number from `first` on, until one returns false, which comes last. */
async function each(first: number, work: (number: number) => Promise<boolean>): Promise<number> {
  let next = first;
  let isOver = false;
  const over = (error: unknown): never => {
    isOver = true;
    throw error;
  };
  const workers = Array.from({ length: AT_ONCE }, async () => {
    while (!isOver) {
      const at = next;
      next += STEP;
      isOver = !(await work(at).catch(over)) || isOver;
    }
  });
  for (const worker of await Promise.allSettled(workers))
    if (worker.status === 'rejected') throw worker.reason;
  return next;
}

/** How many commands a crash loses, at most: all that no journal covers, or the last ones. */
const lostAt = (at: number): number => [Infinity, 1, 2, 3, 5, 8][Math.floor(at / STEP) % 6] ?? Infinity;

/** Whether the server crashed at this command of a writer, which goes on. */
async function crashWhileWriting(at: number, when: Moment): Promise<boolean> {
  const place = await prepare();
  const { test, server, existing } = place;
  try {
    const opened = await open(server.uri, test.name, LEASE);
    server.crashAt(at, when, { lost: lostAt(at) });
    const asked = await write(opened, existing);
    await opened.store.close();
    const hasCrashed = await server.calm();
    await expectWhole(place, asked, `crash ${when} command ${at}`);
    return hasCrashed;
  } finally {
    await server.close();
    await test.close();
  }
}

/** Whether the server crashed at this command of a start that completes what a killed writer left. */
async function crashWhileRecovering(at: number, when: Moment, killedAt: number): Promise<boolean> {
  const place = await prepare();
  const { test, server, existing } = place;
  try {
    const writer = await open(server.uri, test.name, LEASE);
    // A killed writer: it no longer reaches the server.
    server.crashAt(killedAt, 'after', { stays: true });
    const writing = write(writer, existing);
    await until(
      () => server.hasCrashed,
      () => 'no crash yet',
    );
    const closed = writer.store.client.close();
    server.restart();
    const asked = await writing;
    await closed;
    server.crashAt(at, when, { lost: lostAt(at) });
    const recovering = await open(server.uri, test.name, SHORT_LEASE).catch(() => null);
    await recovering?.store.close();
    const hasCrashed = await server.calm();
    await expectWhole(place, asked, `crash ${when} command ${at} after a kill at ${killedAt}`);
    return hasCrashed;
  } finally {
    await server.close();
    await test.close();
  }
}

describe('a server without transactions that crashes', function () {
  this.timeout(600_000);
  before(function () {
    if (!has('unique values that an update has freed')) this.skip();
  });
  const names: Readonly<Record<Moment, string>> = {
    before: 'before a command',
    after: 'before the answer to a command',
    between: 'between two commands',
  };
  for (const [index, when] of WHEN.entries()) {
    it(`${names[when]} of a writer: acknowledged writes remain, with their claims and events`, async () => {
      expect(await each(1 + (index % STEP), (at) => crashWhileWriting(at, when))).to.be.above(15);
    });
    it(`${names[when]} of a start that completes what a killed process left`, async () => {
      expect(await each(1 + (index % STEP), (at) => crashWhileRecovering(at, when, 5))).to.be.above(15);
    });
  }
});
