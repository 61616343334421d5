import { expect } from 'chai';
import fc from 'fast-check';
import type { Document } from 'mongodb';
import type { Engine } from '../src/engine.js';
import { Meter } from '../src/planner/meter.js';
import type { Query } from '../src/planner/plan.js';
import { countQuery, runQuery } from '../src/planner/run-query.js';
import { atOnce, PAUSE } from '../src/values/pace.js';
import { ALL_SHORTCUTS } from '../src/values/shortcuts.js';
import { insertRows, type OwnEngine, openOwnEngine } from './own-engine.js';
import { openEngine, type TestEngine } from './support/engine.js';

const DOCUMENTS = 300;
const PAGE = { filter: { a: { $lt: 3 } }, sort: { b: -1 }, limit: 5 };

describe('cached counts', () => {
  let own: OwnEngine;
  let engine: Engine;
  before(() => {
    own = openOwnEngine();
    ({ engine } = own);
  });
  after(() => own.close());

  const insert = (from: number, count: number): Promise<void> =>
    insertRows(
      engine,
      Array.from({ length: count }, (_, i) => ({ _id: from + i, a: (from + i) % 7, b: (from + i) % 11 })),
    );
  /** Runs on the current state, and returns how many documents were read. */
  const reading = <T>(work: (query: Omit<Query, 'filter'>, meter: Meter) => T): [T, number] => {
    const meter = new Meter(undefined);
    const result = work({ counts: engine.counts, shortcuts: ALL_SHORTCUTS }, meter);
    return [result, meter.docsExamined];
  };
  const state = () => {
    const reader = engine.snapshot();
    const collection = reader.catalog.get('d', 'c');
    if (collection === undefined) throw new Error('no collection');
    return { reader, collection };
  };
  const countNow = (filter: Document): [number, number] =>
    reading((query, meter) => {
      const { reader, collection } = state();
      try {
        return atOnce(countQuery(reader, collection, { ...query, filter }, meter));
      } finally {
        reader.close();
      }
    });
  const matching = (filter: (n: number) => boolean, all: number): number =>
    Array.from({ length: all }, (_, n) => n).filter(filter).length;

  it('come from a sorted page and from earlier counts, until something is written', async () => {
    await insert(0, DOCUMENTS);
    const { reader, collection } = state();
    const [rows, examined] = reading((query, meter) => [
      ...runQuery(reader, collection, { ...query, ...PAGE }, meter),
    ]);
    reader.close();
    expect([rows.filter((row) => row !== PAUSE).length, examined]).to.deep.equal([5, DOCUMENTS]);
    const all = matching((n) => n % 7 < 3, DOCUMENTS);
    expect(countNow(PAGE.filter)).to.deep.equal([all, 0]);
    expect(countNow({ a: 4 })).to.deep.equal([matching((n) => n % 7 === 4, DOCUMENTS), DOCUMENTS]);
    expect(countNow({ a: 4 })).to.deep.equal([matching((n) => n % 7 === 4, DOCUMENTS), 0]);
    await insert(DOCUMENTS, 7);
    expect(countNow(PAGE.filter)).to.deep.equal([all + 3, DOCUMENTS + 7]);
    expect(countNow(PAGE.filter)).to.deep.equal([all + 3, 0]);
  });

  it('wait for a page that is being sorted, unless it is cancelled', () => {
    const { reader, collection } = state();
    const filter = { a: { $gte: 5 } };
    for (const ends of [true, false]) {
      const query = {
        filter: { ...filter, b: { $ne: ends ? 1 : 2 } },
        counts: engine.counts,
        shortcuts: ALL_SHORTCUTS,
      };
      const walk = engine.counts.begin(reader, collection, query);
      if (walk === undefined) throw new Error('no walk');
      const meter = new Meter(undefined);
      const counting = countQuery(reader, collection, query, meter);
      expect(counting.next().value).to.equal(PAUSE);
      if (ends) Object.assign(walk, { count: 77, isRunning: false });
      const count = atOnce(counting);
      expect(count === 77).to.equal(ends);
      expect(meter.docsExamined > 0).to.equal(!ends);
    }
    reader.close();
  });
});

describe('concurrent counts and pages', () => {
  let engine: TestEngine;
  before(async () => {
    engine = await openEngine();
  });
  after(() => engine.close());

  it('agree with the content, whatever was written between them', async () => {
    const rows = engine.db.collection<Document & { _id: number }>('rows');
    await rows.insertMany(Array.from({ length: 50 }, (_, _id) => ({ _id, a: _id % 5, b: _id % 3 })));
    const step = fc.record({
      id: fc.nat(60),
      a: fc.nat(4),
      kind: fc.constantFrom('update', 'delete', 'none'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 5 }), fc.nat(4), async (steps, a) => {
        for (const one of steps) {
          if (one.kind === 'update')
            await rows.updateOne({ _id: one.id }, { $set: { a: one.a } }, { upsert: true });
          if (one.kind === 'delete') await rows.deleteOne({ _id: one.id });
          const stages = [{ $match: { a: { $lte: a } } }, { $sort: { b: 1, _id: 1 } }, { $limit: 3 }];
          const [page, total] = await Promise.all([
            rows.aggregate(stages).toArray(),
            rows.countDocuments({ a: { $lte: a } }),
          ]);
          const there = (await rows.find({}).toArray()).filter((row) => row['a'] <= a);
          expect(total).to.equal(there.length);
          expect(page.length).to.equal(Math.min(3, there.length));
        }
      }),
      { numRuns: 20 },
    );
  });
});
