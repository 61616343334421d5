/** What writes find among entries that are not stored yet is what MongoDB finds once they are. */
import { Decimal128, Long } from 'bson';
import { expect } from 'chai';
import { randomOf, SEED } from '../../packages/engine/test/support/random.js';
import type { Entry } from '../../src/store/entries/changes.js';
import { readEntries } from '../../src/store/entries/entries.js';
import { matches } from '../../src/store/entries/matches.js';
import { Pending } from '../../src/store/entries/pending.js';
import { isBson } from '../../src/values/bson.js';
import { type TestStore, testStore } from '../support/engine.js';
import { has } from '../support/engines/lacks.js';

const random = randomOf(SEED);
const pick = <T>(list: readonly T[]): T => list[random.below(list.length)] as T;

const DATE = new Date('2026-01-02T03:04:05.678Z');
/** Equal ones in several BSON types. */
const VALUES: readonly unknown[] = [
  null,
  'a',
  'b',
  '1',
  '',
  1,
  2,
  -1.5,
  Long.fromNumber(1),
  Long.fromString('9007199254740993'),
  Decimal128.fromString('1.0'),
  Decimal128.fromString('-1.50'),
  true,
  false,
  DATE,
  new Date(0),
];

/** A member of a list that every engine compares as MongoDB does. */
const listed = (): unknown =>
  pick(
    has('equal numbers of any type in a list')
      ? VALUES
      : VALUES.filter((value) => typeof value !== 'number' && !isBson(value)),
  );

const item = (): Entry => ({ __type: pick(['x', 'y']), documentId: pick(['a', 'b']) });
const entry = (_id: number): Entry => ({
  _id: `e${_id}`,
  documentId: pick(['a', 'b', 'c']),
  locale: pick(['en', 'fr', null]),
  ...(random.below(4) > 0 && { value: pick(VALUES) }),
  links: Array.from({ length: random.below(3) }, () => pick(['a', 'b', 'c'])),
  items: Array.from({ length: random.below(3) }, item),
  part: { name: pick(['a', 'b', null]), inner: { number: pick([1, 2]) } },
});

const filters: readonly (() => Entry)[] = [
  () => ({}),
  () => ({ documentId: pick(['a', 'b']) }),
  () => ({ documentId: { $in: ['a', 'c'] }, locale: pick(['en', null]) }),
  () => ({ value: pick(VALUES) }),
  () => ({ value: pick(VALUES), documentId: { $ne: 'a' } }),
  () => ({ value: { $in: [listed(), listed()] } }),
  () => ({ value: { $nin: [listed(), null] } }),
  () => ({ links: pick(['a', 'b']) }),
  () => ({ links: { $ne: pick(['a', 'b']) } }),
  () => ({ items: { $elemMatch: item() } }),
  () => ({ 'items.documentId': pick(['a', 'b']), 'items.__type': 'x' }),
  () => ({ 'part.name': pick(['a', 'b', null]), 'part.inner.number': pick([1, Long.fromNumber(2)]) }),
  () => ({ $or: [{ locale: 'en' }, { value: pick(VALUES) }] }),
  () => ({ $and: [{ locale: { $ne: null } }, { documentId: { $nin: ['a'] } }] }),
  () => ({ _id: { $in: ['e1', 'e2', 'e30'] } }),
];

describe('filters on entries that are not stored yet', () => {
  let opened: TestStore;
  const entries = Array.from({ length: 60 }, (_, at) => entry(at));
  before(async () => {
    opened = await testStore();
    await opened.store.db.collection('some').insertMany(entries as never[]);
  });
  after(() => opened?.close());

  const idsOf = (found: readonly Entry[]): unknown[] => found.map(({ _id }) => _id).sort();

  it('find what the database finds', async () => {
    let found = 0;
    for (let round = 0; round < 300; round++) {
      const filter = pick(filters)();
      const stored = await readEntries(opened.store.db, 'some', filter);
      expect(idsOf(entries.filter((one) => matches(one, filter))), JSON.stringify(filter)).to.deep.equal(
        idsOf(stored),
      );
      found += stored.length;
    }
    expect(found).to.be.above(1000);
  });

  it('changes make of what is stored what will be stored', async () => {
    const { db } = opened.store;
    const pending = new Pending();
    for (let round = 0; round < 40; round++) {
      const id = `e${random.below(80)}`;
      const [before = null] = pending.found('some', { _id: id }, await readEntries(db, 'some', { _id: id }));
      const after = random.below(4) === 0 ? null : { ...entry(0), _id: id };
      if (before || after) pending.add([{ collection: 'some', id, before, after }]);
    }
    const after = new Map(entries.map((one) => [one['_id'], one]));
    for (const step of pending.steps()) {
      expect(step.before?.['value']).to.deep.equal(after.get(step.id)?.['value']);
      if (step.after) after.set(step.id, step.after);
      else after.delete(step.id);
    }
    for (const make of filters) {
      const filter = make();
      const seen = pending.found('some', filter, await readEntries(db, 'some', filter));
      expect(idsOf(seen), JSON.stringify(filter)).to.deep.equal(
        idsOf([...after.values()].filter((one) => matches(one, filter))),
      );
    }
  });

  it('an operator that writes do not use is refused', () => {
    for (const filter of [{ value: { $gt: 1 } }, { $nor: [] }, { value: { $constructor: 1 } }])
      expect(() => matches({ value: 2 }, filter)).to.throw(/transaction/);
  });
});
