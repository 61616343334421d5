/** A writer that is killed at any command: its entry and the versions of it are as before the write, or as after it. */
import { expect } from 'chai';
import type { Db } from 'mongodb';
import { makeConfig } from '../../src/config/load.js';
import { createReader } from '../../src/documents/read/create-reader.js';
import { createDocuments } from '../../src/documents/service.js';
import type { Documents } from '../../src/documents/types.js';
import type { Write } from '../../src/store/entries/changes.js';
import { indexJournal, openJournal } from '../../src/store/writes/journal.js';
import { meddled, WRITES } from '../recovery/meddled.js';
import { type TestDocuments, testDocuments } from '../support/documents.js';
import { settled } from '../support/engine.js';
import { ARTICLE, AUTHOR, flaws, KEPT, library, stored, storedAt } from './library.js';

class Killed extends Error {}

/** Milliseconds. */
const LEASE = 60;
const MOST_COMMANDS = 20;
const SOAK = process.env['MANGROVE_SOAK'] !== undefined;
/** The same is stored after a command as before the next one: of those after the first, each kind of death takes every second one. */
const takes = (at: number, afterwards: boolean): boolean => SOAK || at === 0 || (at % 2 === 1) === afterwards;

const isBeat = (given: readonly unknown[]): boolean =>
  JSON.stringify(given[1] ?? null) === '{"$inc":{"beat":1}}';

/** The database as a process sees it that is killed after its command number `last`, or before that is answered. */
function dying(db: Db, last: number, afterwards: boolean): { readonly db: Db; sent(): number } {
  let sent = 0;
  let isDead = false;
  const die = (): never => {
    isDead = true;
    throw new Killed();
  };
  const seen = meddled(db, async ({ method, given, send }) => {
    if (isDead) die();
    if (!WRITES.has(method) || isBeat(given)) return send(given);
    if (++sent > last) die();
    const result = await send(given);
    return sent === last && afterwards ? die() : result;
  });
  return { db: seen, sent: () => sent };
}

describe('history: a writer that is killed', function () {
  this.timeout(180_000);
  let opened: TestDocuments;
  let planned: Documents;
  let last: Write | null = null;
  before(async () => {
    opened = await testDocuments(library());
    const { store } = opened;
    await indexJournal(store.db);
    const config = makeConfig('.');
    const reader = createReader({ schema: library(), store, config });
    const dryRun = {
      sent: (write: Write) => {
        last = write;
      },
    };
    planned = await createDocuments({ schema: library(), store, config, reader, dryRun });
  });
  after(() => opened?.close());
  /** Every moment begins with nothing, so that what it compares does not grow. */
  const empty = async (): Promise<void> => {
    const { db } = opened.store;
    const lists = KEPT.flatMap(([collection, , history]) => [collection, history]);
    await Promise.all([...new Set(lists)].map((name) => db.collection(name).deleteMany({})));
  };

  /** Each prepares a document, and returns the call that is made while its process dies. */
  const CALLS: Readonly<Record<string, () => Promise<() => Promise<unknown>>>> = {
    'an update that also publishes': async () => {
      const documentId = await article();
      return () => planned(ARTICLE).update({ documentId, data: { title: 'new' }, status: 'published' });
    },
    'a deletion': async () => {
      const documentId = await article();
      return () => planned(ARTICLE).delete({ documentId });
    },
    'a creation': async () => () => planned(ARTICLE).create({ data: { title: 'new' }, status: 'published' }),
    'a write to another entry': async () => {
      const [first, second] = [await article(), await article()];
      const author = await opened.documents(AUTHOR).create({ data: { name: 'a', articles: [first] } });
      const documentId = String(author.documentId);
      return () => planned(AUTHOR).update({ documentId, data: { articles: [second] } });
    },
  };
  const article = async (): Promise<string> =>
    String(
      (await opened.documents(ARTICLE).create({ data: { title: 'old' }, status: 'published' })).documentId,
    );

  for (const [kind, prepare] of Object.entries(CALLS))
    for (const afterwards of [false, true])
      it(`during ${kind}, ${afterwards ? 'after' : 'before'} any of its commands`, async () => {
        const { db } = opened.store;
        const outcomes = new Set<boolean>();
        for (let at = 0; at < MOST_COMMANDS; at++) {
          if (!takes(at, afterwards)) continue;
          await empty();
          const call = await prepare();
          await settled(opened.store);
          last = null;
          await call().catch(() => undefined);
          const write = last as Write | null;
          if (!write) throw new Error('nothing would be sent');
          expect(write.steps.some(({ collection }) => collection.endsWith('.history'))).to.equal(true);
          const before = JSON.stringify(await stored(db));
          const process = dying(db, at, afterwards);
          const journal = openJournal(process.db, LEASE);
          await journal.write(write).catch((error: unknown) => {
            if (!(error instanceof Killed)) throw error;
          });
          await journal.settled();
          await openJournal(db, LEASE).recoverAll();
          const now = await stored(db);
          outcomes.add(JSON.stringify(now) !== before);
          expect(await flaws(db), `command ${at}`).to.deep.equal([]);
          expect(await storedAt(db, new Date()), `command ${at}`).to.deep.equal(now);
          if (process.sent() < at) break;
        }
        expect([...outcomes].sort()).to.deep.equal([false, true]);
      });
});
