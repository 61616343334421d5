/**
 * Random schedules of writers in two processes, with a random delay before each command, followed by a check of the
 * rules that no schedule may break. `MANGROVE_SEED`, `CONCURRENCY_ROUNDS` and `CONCURRENCY_DELAY` (milliseconds)
 * repeat or lengthen a run.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { randomOf, SEED } from '../../packages/engine/test/support/random.js';
import { compiled } from '../support/compiled.js';
import { settled, type TestStore, testStore } from '../support/engine.js';
import { rounds } from '../support/rounds.js';
import { type Orders, type Pool, type Report, runCalls } from './calls.js';
import { brokenRules } from './invariants.js';
import { type OpenedWriter, openWriter } from './open.js';
import { MARK, OWNER, PAGE, TARGET } from './shape.js';

const ROUNDS = rounds(2, 20, 'CONCURRENCY_ROUNDS');
const DELAY = Number(process.env['CONCURRENCY_DELAY'] ?? 12);
const CALLS = 6;
const WRITER = compiled('test/concurrency/writer.ts');

describe('random schedules of writers in two processes', function () {
  this.timeout(60_000 + ROUNDS * 30_000);
  let opened: TestStore;
  let own: OpenedWriter;
  let child: ChildProcess;

  before(async function () {
    this.timeout(180_000);
    opened = await testStore();
    own = await openWriter(opened.uri, opened.name);
    child = fork(WRITER, [opened.uri, opened.name], { execArgv: [] });
    await once(child, 'message');
  });
  after(async () => {
    child?.disconnect();
    await own?.close();
    await opened?.close();
  });

  const makePool = async (writers: number): Promise<Pool> => {
    own.proxy.meddle = () => 0;
    for (const { name } of await opened.store.db.listCollections().toArray())
      if (!name.startsWith('mangrove.s')) await opened.store.db.collection(name).deleteMany({});
    const make = async (uid: string, count: number, locale?: string): Promise<string[]> => {
      const made = Array.from({ length: count }, (_, at) =>
        own
          .documents(uid)
          .create({ data: { title: `${at}` }, status: 'published', ...(locale && { locale }) }),
      );
      return (await Promise.all(made)).map(({ documentId }) => String(documentId));
    };
    return {
      owners: await make(OWNER, 3),
      targets: await make(TARGET, 2),
      pages: await make(PAGE, 2, 'en'),
      marks: await make(MARK, writers * CALLS),
    };
  };

  for (let round = 0; round < ROUNDS; round++)
    it(`seed ${SEED + round}: breaks no rule`, async () => {
      const seed = SEED + round;
      const writers = 2 + randomOf(seed).below(7);
      const pool = await makePool(writers);
      const numbers = Array.from({ length: writers }, (_, at) => at);
      const part = (of: 0 | 1): Orders => ({
        seed,
        pool,
        writers: numbers.filter((number) => number % 2 === of),
        calls: CALLS,
      });
      own.delay(DELAY, seed);
      const theirs = once(child, 'message') as Promise<[Report]>;
      child.send({ orders: part(1), delay: DELAY });
      const reports = [await runCalls(own.documents, part(0)), (await theirs)[0]];
      await settled(own.store);
      expect(await brokenRules(opened.store, reports), JSON.stringify(reports)).to.deep.equal([]);
    });
});
