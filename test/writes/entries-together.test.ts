/** Reads for writes that come together are one command, and find what each finds alone. */
import { expect } from 'chai';
import { Binary, Decimal128, Long, ObjectId } from 'mongodb';
import { randomOf, SEED } from '../../packages/engine/test/support/random.js';
import { readEntries } from '../../src/store/entries/entries.js';
import { type TestStore, testStore } from '../support/engine.js';
import { has } from '../support/engines/lacks.js';

const HEX = '64b7f1f0c2a1d3e4f5a6b7c8';
/** Some of them are the same as text. */
const IDS: readonly unknown[] = [
  ...[new ObjectId(HEX), HEX, '5', 5, 5.5, '5.5', Long.fromString('9007199254740993'), '9007199254740993'],
  ...[
    new Date(5),
    new Date(5).toISOString(),
    { a: 1 },
    { a: 2 },
    { b: { a: 1 } },
    '[object Object]',
    true,
    'true',
  ],
  ...(has('an _id of every BSON type')
    ? [new Binary(Buffer.from('ab'), 0), new Binary(Buffer.from('ab'), 128)]
    : []),
  ...[Decimal128.fromString('7.25'), '7.25', ''],
];

describe('entries that are read together', () => {
  let opened: TestStore;
  before(async () => {
    opened = await testStore();
  });
  after(() => opened?.close());

  it(`seed ${SEED}: are those that each read finds, by lists of ids of every kind`, async () => {
    const { db } = opened.store;
    const random = randomOf(SEED);
    const some = db.collection<{ _id: unknown }>('things');
    const numbered = Array.from({ length: 400 }, () => new ObjectId());
    await some.insertMany([...IDS, ...numbered].map((_id, n) => ({ _id, n, list: [n, `${n}`, null, [n]] })));
    const ids = [...IDS, ...numbered.slice(0, 40), new ObjectId(), 'missing'];
    const shown = (entries: readonly object[]): string[] =>
      entries.map((one) => JSON.stringify(one)).toSorted();
    for (let round = 0; round < 30; round++) {
      const lists = Array.from({ length: 1 + random.below(8) }, () =>
        Array.from({ length: random.below(12) }, () => random.pick(ids)),
      );
      const read = (list: readonly unknown[]) => readEntries(db, 'things', { _id: { $in: list } });
      const together = await Promise.all(lists.map(read));
      const alone = [];
      for (const list of lists) alone.push(await read(list));
      expect(together.map(shown)).to.deep.equal(alone.map(shown));
      // With one more condition each read is a command of its own.
      const plain = lists.map((list) => readEntries(db, 'things', { _id: { $in: list }, n: { $gte: 0 } }));
      expect(together.map(shown)).to.deep.equal((await Promise.all(plain)).map(shown));
      await some.updateOne({ n: random.below(IDS.length) }, { $set: { changed: round } });
    }
  });
});
