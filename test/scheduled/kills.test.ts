/**
 * Processes that carry out what is scheduled are killed at random moments: every document is published exactly once, and
 * none before its time. `MANGROVE_SOAK=1` kills 100 of them.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { randomOf, SEED } from '../../packages/engine/test/support/random.js';
import { until } from '../../packages/engine/test/support/until.js';
import type { Documents } from '../../src/documents/types.js';
import { SCHEDULED } from '../../src/store/entries/schedules.js';
import { type ChangeEvent, OUTBOX } from '../../src/store/outbox/outbox.js';
import { compiled } from '../support/compiled.js';
import { type TestStore, testStore } from '../support/engine.js';
import { ARTICLE } from './library.js';
import { documentsOn } from './open.js';

const KILLS = process.env['MANGROVE_SOAK'] ? 100 : 1;
const EACH = 20;
const RUNNER = compiled('test/scheduled/runner.ts');

describe('scheduled actions of processes that are killed', function () {
  this.timeout(120_000 + KILLS * 15_000);
  let opened: TestStore;
  let documents: Documents;
  const running = new Set<ChildProcess>();

  before(async () => {
    opened = await testStore();
    documents = await documentsOn(opened.store);
  });
  after(async () => {
    for (const child of running) child.kill('SIGKILL');
    await opened?.close();
  });

  const start = async (): Promise<ChildProcess> => {
    const child = fork(RUNNER, [opened.uri, opened.name], { execArgv: [] });
    running.add(child);
    await once(child, 'message');
    return child;
  };
  const kill = async (child: ChildProcess): Promise<void> => {
    running.delete(child);
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  const waiting = (): Promise<number> => opened.store.db.collection(SCHEDULED).countDocuments();
  const published = (): Promise<number> => opened.store.db.collection('articles').countDocuments();

  it(`seed ${SEED}: are done exactly once`, async () => {
    const random = randomOf(SEED);
    const due = new Map<string, number>();
    let children = [await start(), await start()];
    for (let killed = 0; killed < KILLS; killed++) {
      const before = await published();
      const titles = Array.from({ length: EACH }, (_, number) => ({
        data: { title: `${killed} ${number}` },
      }));
      const ids = await documents.together(ARTICLE, titles);
      const at = new Date(Date.now() + 2000);
      for (const documentId of ids) due.set(documentId, at.getTime());
      await Promise.all(ids.map((documentId) => documents(ARTICLE).publish?.({ documentId, publishAt: at })));
      // Whoever is at work is killed while it publishes.
      await until(async () => (await published()) > before, published);
      await sleep(random.below(20));
      const [victim] = children.splice(random.below(2), 1);
      if (victim) await kill(victim);
      children = [...children, await start()];
    }
    await until(async () => (await waiting()) === 0, waiting, { every: 100 });
    for (const child of children) await kill(child);
    // Whatever the last ones left half-written is completed.
    await documentsOn(opened.store);
    const events = await opened.store.db
      .collection<ChangeEvent>(OUTBOX)
      .find({ event: 'entry.publish' })
      .toArray();
    expect(events.map(({ documentId }) => documentId)).to.have.members([...due.keys()]);
    for (const { documentId, at } of events)
      expect(at.getTime()).to.be.at.least(due.get(String(documentId)) ?? Number.POSITIVE_INFINITY);
    expect(await published()).to.equal(due.size);
  });
});
