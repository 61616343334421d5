/**
 * Directed schedules of a writer that pauses beyond its lease, and of another one that takes over its write and pauses
 * in turn: between any two of their commands, with an acknowledged later write in between. Acknowledged writes remain,
 * and no write is stored halfway. The same schedules against a journal without its fence (`unfenced`) show that they
 * would detect an undo that comes too late.
 */
import { expect } from 'chai';
import type { Db, Document } from 'mongodb';
import { ApiError } from '../../src/errors.js';
import { WriteConflict } from '../../src/store/entries/apply-step.js';
import { Changes, type Entry } from '../../src/store/entries/changes.js';
import { indexJournal, type Journal, openJournal } from '../../src/store/writes/journal.js';
import { JOURNAL } from '../../src/store/writes/journal-head.js';
import { type TestStore, testStore } from '../support/engine.js';
import { meddled } from './meddled.js';

/** Milliseconds. */
const LEASE = 20;
/** More than a journal sends for the writes of these tests. */
const MAX_COMMANDS = 30;

/** A promise, and how to resolve it. */
function promise<T>(): [promise: Promise<T>, resolve: (value: T) => void] {
  let resolve: (value: T) => void = () => undefined;
  return [
    new Promise<T>((set) => {
      resolve = set;
    }),
    (value) => resolve(value),
  ];
}

/** Looks at the journal after which a process waits for what another makes of its write. */
const LOOKS = 4;

interface Stalled {
  readonly db: Db;
  /** Resolves when the process pauses. */
  readonly stalled: Promise<'stalled'>;
  /** Resolves when the process waits for another. */
  readonly waits: Promise<'waits'>;
  letGo(): void;
}

/** The database as seen by a process that pauses before its command number `at`, including its lease renewals. */
function stalling(db: Db, at: number): Stalled {
  let sent = 0;
  let looks = 0;
  const [stalled, begin] = promise<'stalled'>();
  const [waits, wait] = promise<'waits'>();
  const [free, letGo] = promise<undefined>();
  const proxied = meddled(db, async ({ collection, method, given, send }) => {
    if (collection === JOURNAL && method === 'findOne' && ++looks === LOOKS) wait('waits');
    const isBeat = JSON.stringify(given[1] ?? null) === '{"$inc":{"beat":1}}';
    if (!isBeat && ++sent === at) begin('stalled');
    if (sent >= at) await free;
    return send(given);
  });
  return { db: proxied, stalled, waits, letGo: () => letGo(undefined) };
}

/** The database as seen by a journal that never checks who owns a write. */
const unfenced = (db: Db): Db =>
  meddled(db, async ({ collection, method, given, send }) => {
    const [filter, ...rest] = given as readonly [Document, ...unknown[]];
    const owners = collection === JOURNAL && JSON.stringify(filter).includes('"owner"');
    if (!owners || !['updateOne', 'deleteMany'].includes(method)) return send(given);
    const { $or, ...others } = filter as { readonly $or?: readonly Document[] };
    const anyone = { ...withoutOwner(others), ...($or && { $or: $or.map(withoutOwner) }) };
    const result = (await send([anyone, ...rest])) as Document;
    return { ...result, matchedCount: 1 };
  });

const withoutOwner = (filter: Document): Document =>
  Object.fromEntries(Object.entries(filter).filter(([name]) => name !== 'owner'));

describe('a write that is taken over while its writer is alive', function () {
  this.timeout(180_000);
  let opened: TestStore;
  before(async () => {
    opened = await testStore();
    await indexJournal(opened.store.db);
  });
  after(() => opened?.close());

  const all = (name: string): Promise<Entry[]> =>
    opened.store.db.collection(name).find().sort({ _id: 1 }).toArray();
  const one = async (name: string): Promise<Entry> =>
    (await opened.store.db.collection(name).findOne({ _id: 'd1' as never })) ?? {};
  const titles = async (): Promise<string> =>
    [await all('live'), await all('live.drafts')]
      .map((rows) => rows.map(({ _id, title }) => `${_id} ${title}`).join(', '))
      .join(' | ');
  const write = async (
    journal: Journal,
    change: (changes: Changes) => void | Promise<void>,
  ): Promise<string> => {
    const changes = new Changes();
    await change(changes);
    return journal.write({ steps: changes.steps(), events: [] }).then(
      () => 'done',
      (error: unknown) => {
        if (error instanceof WriteConflict) return 'undone';
        if (error instanceof ApiError && error.status === 409) return 'unknown';
        throw error;
      },
    );
  };
  const publish = async (changes: Changes): Promise<void> => {
    for (const name of ['live', 'live.drafts']) {
      const entry = await one(name);
      changes.replace(name, entry, { ...entry, title: 'new' });
    }
    changes.insert('live', { _id: 'd2', title: 'new' });
  };

  const prepare = async (): Promise<void> => {
    const { db } = opened.store;
    for (const name of ['live', 'live.drafts', JOURNAL]) await db.collection(name).deleteMany({});
    await db.collection('live').insertOne({ _id: 'd1' as never, title: 'old' });
    await db.collection('live.drafts').insertOne({ _id: 'd1' as never, title: 'old' });
  };

  interface Schedule {
    /** The commands before which the writer, and the process that takes over, pause. */
    readonly writer: number;
    readonly recoverer: number;
    readonly see: (db: Db) => Db;
  }

  /** Null if neither got that far; otherwise what is wrong, or an empty string. */
  async function run({ writer, recoverer, see }: Schedule): Promise<string | null> {
    const { db } = opened.store;
    await prepare();
    const slow = stalling(see(db), writer);
    const journal = openJournal(slow.db, LEASE);
    const writing = write(journal, publish);
    // The end of an acknowledged write may be paused, too.
    const ended = writing.then(journal.settled);
    if ((await Promise.race([slow.stalled, ended])) !== 'stalled') return null;
    const late = stalling(see(db), recoverer);
    const recovering = openJournal(late.db, LEASE).recoverAll();
    const taken = await Promise.race([late.stalled, recovering]);
    slow.letGo();
    // Answered while the other pauses, or not before it continues.
    const early = await Promise.race([writing, slow.waits]);
    const later =
      early === 'done' &&
      (await write(openJournal(db, LEASE), async (changes) => {
        const draft = await one('live.drafts');
        changes.replace('live.drafts', draft, { ...draft, title: 'later' });
      }));
    late.letGo();
    await recovering;
    const outcome = await writing;
    await ended;
    await openJournal(db, LEASE).recoverAll();
    const now = await titles();
    const [whole, none] = ['d1 new, d2 new | d1 new', 'd1 old | d1 old'];
    const allowed = {
      done: [later === 'done' ? 'd1 new, d2 new | d1 later' : whole],
      undone: [none],
      unknown: [whole, none],
    }[outcome];
    const left = (await all(JOURNAL)).filter(({ steps }) => steps).length;
    if (allowed?.includes(now) && left === 0) return taken === 'stalled' ? '' : null;
    return `writer at ${writer}, recoverer at ${recoverer}: ${outcome}, later ${later}: ${now}; ${left} left`;
  }

  /** `enough`: when to stop. */
  async function explore(
    runAt: (at: Omit<Schedule, 'see'>) => Promise<string | null>,
    enough: (wrong: string) => boolean = () => false,
  ): Promise<{ schedules: number; wrong: string[] }> {
    const wrong: string[] = [];
    let schedules = 0;
    for (let writer = 2; writer < MAX_COMMANDS; writer++) {
      let reached = 0;
      for (let recoverer = 1; recoverer < MAX_COMMANDS; recoverer++) {
        const found = await runAt({ writer, recoverer });
        if (found === null) break;
        reached += 1;
        if (found !== '') wrong.push(found);
        if (enough(found)) return { schedules, wrong };
      }
      schedules += reached;
      if (reached === 0) break;
    }
    return { schedules, wrong };
  }

  it('is committed or undone as its writer was told, wherever either pauses', async () => {
    const { schedules, wrong } = await explore((at) => run({ ...at, see: (db) => db }));
    expect(wrong).to.deep.equal([]);
    expect(schedules).to.be.greaterThan(20);
  });

  /**
   * A refused write of which one step removes an entry pauses, and so does a process that undoes it; a third one ends it
   * and removes the entry. Null if neither got that far; otherwise what is wrong, or an empty string.
   */
  async function runRefused({ writer, recoverer }: Omit<Schedule, 'see'>): Promise<string | null> {
    const { db } = opened.store;
    await prepare();
    const slow = stalling(db, writer);
    const refused = write(openJournal(slow.db, LEASE), async (changes) => {
      changes.remove('live', await one('live'));
      changes.replace('live.drafts', { ...(await one('live.drafts')), _rev: 'before' }, { title: 'new' });
    });
    if ((await Promise.race([slow.stalled, refused])) !== 'stalled') return null;
    const late = stalling(db, recoverer);
    const recovering = openJournal(late.db, LEASE).recoverAll();
    const taken = await Promise.race([late.stalled, recovering]);
    const third = openJournal(db, LEASE);
    await third.recoverAll();
    const later = await write(third, async (changes) => changes.remove('live', await one('live')));
    await third.settled();
    slow.letGo();
    late.letGo();
    const outcome = await refused;
    await recovering;
    const now = await titles();
    if (outcome === 'undone' && later === 'done' && now === ' | d1 old')
      return taken === 'stalled' ? '' : null;
    return `writer at ${writer}, recoverer at ${recoverer}: ${outcome}, later ${later}: ${now}`;
  }

  it('brings nothing back that was removed after it was undone, wherever either pauses', async () => {
    const { schedules, wrong } = await explore(runRefused);
    expect(wrong).to.deep.equal([]);
    expect(schedules).to.be.greaterThan(20);
  });

  /**
   * The owner of a write pauses, or if it `isDead` after noting it, one that completes it; another ends the write and
   * removes the entry that it has inserted. Null if the one that pauses did not get that far.
   */
  async function runCompleted(isDead: boolean, at: number): Promise<string | null> {
    const { db } = opened.store;
    await prepare();
    const owner = stalling(db, isDead ? 2 : at);
    const writing = write(openJournal(owner.db, LEASE), publish);
    const first = await Promise.race([owner.stalled, writing]);
    const late = isDead ? stalling(db, at) : owner;
    const work = isDead ? openJournal(late.db, LEASE).recoverAll() : writing;
    if (first !== 'stalled' || (await Promise.race([late.stalled, work])) !== 'stalled') return null;
    const other = openJournal(db, LEASE);
    await other.recoverAll();
    const later = await write(other, async (changes) => {
      const entry = (await all('live')).find(({ _id }) => _id === 'd2');
      if (entry) changes.remove('live', entry);
    });
    await other.settled();
    late.letGo();
    await work;
    const now = await titles();
    owner.letGo();
    await writing;
    return later === 'done' && now === 'd1 new | d1 new' ? '' : `at ${at}, later ${later}: ${now}`;
  }

  for (const isDead of [false, true])
    it(`is completed once, wherever ${isDead ? 'one that takes it over' : 'its writer'} pauses: what was removed since stays away`, async () => {
      const found: string[] = [];
      for (let at = 2; at < MAX_COMMANDS; at++) {
        const wrong = await runCompleted(isDead, at);
        if (wrong === null) break;
        found.push(wrong);
      }
      expect(found.filter((wrong) => wrong !== '')).to.deep.equal([]);
      expect(found.length).to.be.greaterThan(2);
    });

  it('would lose acknowledged writes without the fence', async () => {
    const isLoss = (wrong: string): boolean => wrong.includes(': done');
    const { wrong } = await explore((at) => run({ ...at, see: unfenced }), isLoss);
    expect(wrong.some(isLoss)).to.equal(true);
  });
});
