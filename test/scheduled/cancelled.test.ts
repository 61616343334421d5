/** A schedule that is cancelled on a server without transactions, while a process that carried it out has been killed. */
import { expect } from 'chai';
import { cancelSchedule } from '../../src/documents/cancel-schedule.js';
import { openStore, type Store } from '../../src/store/client.js';
import { revisionOf } from '../../src/store/entries/changes.js';
import { findSchedules } from '../../src/store/entries/schedules.js';
import { type TestStore, testStore } from '../support/engine.js';
import { asStandalone } from '../support/volatile-server.js';
import { commandOf, startProxy } from '../support/wire-proxy.js';
import { ARTICLE } from './library.js';
import { documentsOn } from './open.js';

const WRITES = new Set(['insert', 'update', 'delete']);
const LEASE = 60;

/** A standalone server, as one process sees it that is killed at its nth write after `arm`. */
async function standalone({ uri, name }: TestStore) {
  let left = Number.POSITIVE_INFINITY;
  const proxy = await startProxy(uri, (message) => {
    const command = commandOf(message) ?? '';
    if (command === 'hello') return asStandalone;
    if (WRITES.has(command)) left -= 1;
    return left < 0 ? { ok: 0, code: 8000, errmsg: 'killed' } : 0;
  });
  const opened = await openStore({ uri: `${proxy.uri}&retryWrites=false`, name });
  const store: Store = { ...opened, writeLimits: { ...opened.writeLimits, leaseMS: LEASE } };
  return {
    store,
    arm: (writes: number) => {
      left = writes;
    },
    isKilled: () => left < 0,
    close: async () => {
      await opened.close();
      await proxy.close();
    },
  };
}

describe('a schedule that is cancelled by its id', function () {
  this.timeout(180_000);
  let opened: TestStore;
  before(async () => {
    opened = await testStore();
  });
  after(() => opened?.close());

  it('is not carried out by what completes the writes of a killed process', async () => {
    const documents = await documentsOn(opened.store);
    let kills = 0;
    for (let nth = 0; ; nth += 1) {
      const runner = await standalone(opened);
      const running = await documentsOn(runner.store);
      const { documentId } = await documents(ARTICLE).create({ data: { title: 'one' } });
      const publishAt = new Date(Date.now() + 3_600_000);
      await documents(ARTICLE).publish?.({ documentId: String(documentId), publishAt });
      const [schedule] = await findSchedules(opened.store.db);
      if (!schedule) throw new Error('it is not stored');
      const { _id: id, by } = schedule;
      const due = { id, revision: revisionOf({ ...schedule }), isDone: false };
      runner.arm(nth);
      const carryOut = running.carryingOut(due, { by, requestId: null })(ARTICLE).publish;
      await carryOut?.({ documentId: String(documentId) }).catch(() => undefined);
      const isKilled = runner.isKilled();
      const other = await standalone(opened);
      const isCancelled = await cancelSchedule(other.store, id);
      // What is left half done is completed by the next start.
      await documentsOn(other.store);
      await other.close();
      const published = await opened.store.db.collection('articles').countDocuments({ documentId });
      expect(published, `write ${nth}`).to.equal(isCancelled ? 0 : 1);
      expect(await findSchedules(opened.store.db)).to.eql([]);
      await runner.close();
      if (!isKilled) break;
      kills += 1;
    }
    expect(kills).to.be.above(2);
  });
});
