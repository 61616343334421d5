import { expect } from 'chai';
import { createSequences } from '../../src/store/entries/sequence.js';
import { type TestStore, testStore } from '../support/engine.js';

describe('createSequences', () => {
  let opened: TestStore;
  before(async () => {
    opened = await testStore();
  });
  after(() => opened.close());
  const open = (highest = 0, block = 5) =>
    createSequences(
      opened.store,
      async () => highest,
      () => block,
    );

  it('counts from one, across blocks', async () => {
    const sequences = open();
    expect(await sequences.take('a', 3)).to.deep.equal([1, 2, 3]);
    expect(await sequences.take('a', 4)).to.deep.equal([4, 5, 6, 7]);
    expect(await sequences.take('a', 0)).to.deep.equal([]);
    expect(await sequences.take('a', 12)).to.deep.equal([8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
  });
  it('skips the rest of a block after a restart, and never repeats a number', async () => {
    await open().take('b', 1);
    expect(await open().take('b', 1)).to.deep.equal([6]);
  });
  it('starts above existing ids', async () => {
    expect(await open(41).take('c', 1)).to.deep.equal([42]);
  });
  it('never repeats a number under concurrency, even with a new counter', async () => {
    const processes = Array.from({ length: 6 }, () => open());
    const taken = await Promise.all(
      Array.from({ length: 60 }, (_, at) => processes[at % 6]?.take('d', 1 + (at % 3)) ?? []),
    );
    const numbers = taken.flat();
    expect(new Set(numbers).size).to.equal(numbers.length);
  });
  it('continues after a failure', async () => {
    let down = true;
    const sequences = createSequences(
      opened.store,
      async () => {
        if (down) throw new Error('down');
        return 0;
      },
      () => 5,
    );
    expect(await sequences.take('e', 1).catch((error: Error) => error.message)).to.equal('down');
    down = false;
    expect(await sequences.take('e', 1)).to.deep.equal([1]);
  });
  it('reports why the server rejects a new counter', async () => {
    const { db } = opened.store;
    await db.command({ collMod: 'mangrove.sequences', validator: { last: { $lt: 0 } } });
    const refused = await open()
      .take('refused', 1)
      .catch((error: unknown) => error);
    await db.command({ collMod: 'mangrove.sequences', validator: {} });
    expect(String(refused)).to.match(/^MongoServerError: .*failed validation/);
  });
});
