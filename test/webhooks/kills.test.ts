/**
 * Processes that write and deliver are killed at random moments: every change is delivered at least once to each
 * endpoint, with one id, and those of a document in order. `MANGROVE_SOAK=1` kills 200 of them.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { randomOf, SEED } from '../../packages/engine/test/support/random.js';
import { until } from '../../packages/engine/test/support/until.js';
import { ensureIndexes } from '../../src/store/indexes/sync.js';
import { OUTBOX } from '../../src/store/outbox/outbox.js';
import { type Change, currentPosition, readChanges } from '../../src/store/outbox/read-changes.js';
import { groupBy } from '../../src/values/group.js';
import { compiled } from '../support/compiled.js';
import { type TestStore, testStore } from '../support/engine.js';
import { has } from '../support/engines/lacks.js';
import { rounds } from '../support/rounds.js';
import { notes } from './notes.js';
import { type Received, type Receiver, startReceiver } from './receiver.js';

const KILLS = rounds(1, 200, 'MANGROVE_KILLS');
const PATHS = ['/one', '/two'];

const idOf = ({ headers }: Received): string => String(headers['webhook-id']);
const SENDER = compiled('test/webhooks/sender.ts');

describe('webhooks of processes that are killed', function () {
  this.timeout(120_000 + KILLS * 15_000);
  let opened: TestStore;
  let receiver: Receiver;
  const running = new Set<ChildProcess>();
  const acknowledged = new Set<string>();

  before(async function () {
    if (!has('change streams in the order of commits')) this.skip();
    opened = await testStore();
    await ensureIndexes(opened.store, notes());
    receiver = await startReceiver();
  });
  after(async () => {
    for (const child of running) child.kill('SIGKILL');
    await receiver?.close();
    await opened?.close();
  });

  const start = async (...more: readonly string[]): Promise<ChildProcess> => {
    const child = fork(SENDER, [opened.uri, opened.name, receiver.url, ...more], { execArgv: [] });
    running.add(child);
    child.on('message', ({ documentId }: { documentId?: string }) => {
      if (documentId) acknowledged.add(documentId);
    });
    await once(child, 'message');
    return child;
  };
  const kill = async (child: ChildProcess): Promise<void> => {
    running.delete(child);
    child.kill('SIGKILL');
    await once(child, 'exit');
  };

  it(`seed ${SEED}: lose nothing, and keep the order`, async () => {
    const random = randomOf(SEED);
    receiver.answer = () => ({ status: random.below(20) === 0 ? 503 : 200, after: random.below(20) });
    const after = await currentPosition(opened.store);
    let children = [await start(), await start()];
    for (let killed = 0; killed < KILLS; killed++) {
      const before = receiver.received.length;
      await sleep(random.below(700));
      // Whoever is at work is killed while it delivers.
      await receiver.count(before + 1);
      const at = random.below(2);
      const [victim] = children.splice(at, 1);
      if (victim) await kill(victim);
      children = [...children, await start()];
    }
    for (const child of children) await kill(child);
    await start('idle');

    const arrivedAt = (path: string): ReadonlyMap<string, number> => {
      const arrived = new Map<string, number>();
      for (const got of receiver.received)
        if (got.path === path && !arrived.has(idOf(got))) arrived.set(idOf(got), arrived.size);
      return arrived;
    };
    const changes: Change[] = [];
    const total = await opened.store.db.collection(OUTBOX).countDocuments();
    for await (const change of readChanges(opened.store, { after, every: 5 }))
      if (changes.push(change) === total) break;
    const known = new Set(changes.map(({ changeId }) => `msg_${changeId}`));
    // The receiver is in this process: what takes long here keeps it from answering.
    const isThere = (path: string): boolean => {
      const arrived = arrivedAt(path);
      return [...known].every((id) => arrived.has(id));
    };
    await until(
      () => PATHS.every(isThere),
      () => PATHS.map((path) => `${arrivedAt(path).size} of ${known.size}`),
      { every: 200 },
    );
    const created = new Set(changes.map(({ documentId }) => documentId));
    expect([...acknowledged].filter((documentId) => !created.has(documentId))).to.deep.equal([]);
    for (const path of PATHS) {
      const arrived = arrivedAt(path);
      expect([...arrived.keys()].filter((id) => !known.has(id))).to.deep.equal([]);
      for (const own of groupBy(changes, ({ documentId }) => documentId).values()) {
        const places = own.map(({ changeId }) => arrived.get(`msg_${changeId}`) ?? -1);
        expect(places).to.deep.equal([...places].sort((one, other) => one - other));
      }
    }
  });
});
