/** A commit for which the driver throws an error that is not a server's: it may have been applied. */
import { ObjectId } from 'bson';
import { expect } from 'chai';
import { ClientSession } from 'mongodb';
import { errors } from '../../src/errors.js';
import type { Store } from '../../src/store/client.js';
import { isUnavailable } from '../../src/store/connection/unavailable.js';
import { Changes } from '../../src/store/entries/changes.js';
import { writeInTransaction } from '../../src/store/writes/transaction.js';
import { type TestStore, testStore } from '../support/engine.js';
import { has } from '../support/engines/lacks.js';

describe('a commit with an error that is not a server’s', () => {
  let opened: TestStore;
  before(async function () {
    if (!has('transactions')) this.skip();
    opened = await testStore();
    await opened.store.db.createCollection('books');
  });
  after(() => opened?.close());

  const commit = ClientSession.prototype.commitTransaction;
  afterEach(() => {
    ClientSession.prototype.commitTransaction = commit;
  });
  /** The driver fails after the first commits. */
  const failing = (times: number): void => {
    let left = times;
    ClientSession.prototype.commitTransaction = async function (this: ClientSession) {
      await commit.call(this);
      if (left-- > 0) throw new TypeError('of the driver');
    };
  };
  const write = async (title: string): Promise<void> => {
    const changes = new Changes();
    changes.insert('books', { _id: new ObjectId(), title });
    const store: Store = {
      ...opened.store,
      writesAcross: false,
      writesAtOnce: false,
      writeLimits: { retryMS: 300, maxCommitTimeMS: 5000 },
    };
    await writeInTransaction(store, { steps: changes.steps(), events: [] });
  };
  const stored = (title: string): Promise<number> =>
    opened.store.db.collection('books').countDocuments({ title });

  it('is sent again, and takes effect once', async () => {
    failing(1);
    await write('once');
    expect(await stored('once')).to.equal(1);
  });

  it('counts as an unavailable database if that does not help', async () => {
    failing(Infinity);
    const error = await write('always').catch((thrown: unknown) => thrown);
    expect(isUnavailable(error)).to.equal(true);
    expect(errors.unavailable(error)).to.include({ status: 503, cause: error });
  });
});
