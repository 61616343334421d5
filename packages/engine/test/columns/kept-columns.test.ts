import { expect } from 'chai';
import type { Collection, Document } from 'mongodb';
import type { Engine } from '../../src/engine.js';
import { Meter } from '../../src/planner/meter.js';
import { countQuery } from '../../src/planner/run-query.js';
import { deleteRecord, storedRecord } from '../../src/records/records.js';
import { recordOf, tableRange } from '../../src/storage/layout.js';
import { atOnce } from '../../src/values/pace.js';
import { ALL_SHORTCUTS } from '../../src/values/shortcuts.js';
import { currentWork, STEPS, type Work, within } from '../../src/values/work.js';
import { insertRows, type OwnEngine, openOwnEngine } from '../own-engine.js';
import { openEngine, type TestEngine } from '../support/engine.js';

const ROWS = 2000;
const BYTES = 100_000;

describe('embedded/columns: the cache', () => {
  let own: OwnEngine;
  let engine: Engine;
  before(async () => {
    own = openOwnEngine({ bytes: BYTES, least: 1 });
    ({ engine } = own);
    await insert(0, ROWS);
  });
  after(() => own.close());

  const insert = (from: number, count: number): Promise<void> =>
    insertRows(
      engine,
      Array.from({ length: count }, (_, i) => {
        const n = from + i;
        return { _id: n, n, m: -n, kind: 'usual', text: `text ${n} `.repeat(30) };
      }),
    );
  /** Counts by a scan, `times` times with a different value each. */
  const count = (path: string, times = 3): number => {
    let found = -1;
    for (let n = 0; n < times; n++) {
      const reader = engine.snapshot();
      const collection = reader.catalog.get('d', 'c');
      if (collection === undefined) throw new Error('no collection');
      const request = {
        filter: { [path]: { $ne: `other ${n}` } },
        columns: engine.columns,
        shortcuts: ALL_SHORTCUTS,
      };
      found = atOnce(countQuery(reader, collection, request, new Meter(undefined)));
      reader.close();
    }
    return found;
  };

  it('starts when a path is queried twice', () => {
    count('kind', 1);
    expect(engine.columns.size).to.equal(0);
    count('kind', 1);
    // A number for each record, a byte that refers to its value, and the only value once.
    expect(engine.columns.size).to.be.within(ROWS * 9, ROWS * 9 + 100);
  });

  it('keeps what was used last, within its limit of bytes', () => {
    for (const path of ['n', 'm', 'n', 'kind', 'none', 'm']) {
      expect(count(path)).to.equal(ROWS);
      expect(engine.columns.size).to.be.within(1, BYTES);
    }
  });

  it('keeps no column that would take too much', () => {
    const before = engine.columns.size;
    expect(count('text', 5)).to.equal(ROWS);
    expect(engine.columns.size).to.equal(before);
  });

  it('drops a column when many records were written, and rebuilds it', async () => {
    await insert(ROWS, 10);
    expect(count('kind')).to.equal(ROWS + 10);
    expect(engine.columns.size).to.be.greaterThan(0);
    await insert(ROWS + 10, 200);
    expect(engine.columns.size).to.equal(0);
    expect(count('kind')).to.equal(ROWS + 210);
    expect(engine.columns.size).to.be.greaterThan(0);
  });
});

describe('embedded/columns: a scan whose time is over', () => {
  let own: OwnEngine;
  before(async () => {
    own = openOwnEngine({ bytes: BYTES, least: 1 });
    await insertRows(
      own.engine,
      Array.from({ length: ROWS }, (_, _id) => ({ _id, a: `name ${_id}` })),
    );
  });
  after(() => own.close());

  /** Counts with or without columns; ended after so many looks at the clock. */
  const count = (filter: Document, isByColumns: boolean, checks = Number.POSITIVE_INFINITY): number => {
    const reader = own.engine.snapshot();
    let left = checks;
    const check = (): void => {
      left -= 1;
      if (left < 0) throw new Error('time is up');
    };
    try {
      const collection = reader.catalog.get('d', 'c');
      if (collection === undefined) throw new Error('no collection');
      const asked = { filter, shortcuts: ALL_SHORTCUTS, ...(isByColumns && { columns: own.engine.columns }) };
      const work: Work = { ...currentWork(), check };
      return within(work, () => atOnce(countQuery(reader, collection, asked, new Meter(undefined))));
    } finally {
      reader.close();
    }
  };

  it('leaves what it has collected to the next, whatever is written in between', async () => {
    const filter = { a: { $regex: 'e 19' } };
    const enough = ROWS / STEPS;
    count(filter, true);
    const counted = (): number => {
      try {
        return count(filter, true, enough / 2);
      } catch {
        return -1;
      }
    };
    expect(counted()).to.equal(-1);
    expect(own.engine.columns.size).to.be.greaterThan(0);
    await own.engine.writer.run((batch) => {
      const collection = batch.catalog.get('d', 'c');
      if (collection === undefined) throw new Error('no collection');
      const stored = [...batch.entries(tableRange(collection.table))];
      for (const row of [3, 19, 190, ROWS - 8, ROWS - 2]) {
        const entry = stored[row];
        if (entry === undefined) throw new Error('no record');
        deleteRecord(batch, collection, storedRecord({ record: recordOf(entry.key), bytes: entry.value }));
      }
    });
    await insertRows(own.engine, [{ _id: -1, a: 'name 19' }]);
    const found = Array.from({ length: 4 }, counted);
    expect(found.at(-1)).to.equal(count(filter, false));
  });
});

describe('embedded/columns: what uses them', () => {
  let engine: TestEngine;
  let rows: Collection<{ _id: number; kind: string; n: number }>;
  before(async () => {
    engine = await openEngine();
    rows = engine.db.collection('rows');
    await rows.insertMany(
      Array.from({ length: 800 }, (_, _id) => ({ _id, kind: `k${_id % 5}`, n: _id % 9 })),
    );
  });
  after(() => engine.close());

  /** The explain output for a command. */
  const columnsOf = async (command: Document): Promise<unknown> => {
    const reply = await engine.db.command({ explain: command, verbosity: 'queryPlanner' });
    const { winningPlan } = reply['queryPlanner'];
    return (winningPlan.inputStage ?? winningPlan).columns;
  };
  const FIND = { find: 'rows', filter: { kind: 'k1' } };

  it('explain names existing columns, and builds none', async () => {
    for (let times = 0; times < 4; times++) expect(await columnsOf(FIND)).to.equal(undefined);
    for (const kind of ['k0', 'k2', 'k3']) await rows.find({ kind }).toArray();
    expect(await columnsOf(FIND)).to.deep.equal(['kind']);
    expect(await columnsOf({ find: 'rows', filter: { n: 1 } })).to.equal(undefined);
  });

  it('counts, distinct values, updates, deletes and joins use them', async () => {
    expect(await columnsOf({ count: 'rows', query: FIND.filter })).to.deep.equal(['kind']);
    const request = { distinct: 'rows', key: 'n', query: FIND.filter };
    for (const kind of ['k0', 'k2', 'k3']) await rows.distinct('n', { kind });
    expect(await columnsOf(request)).to.deep.equal(['kind', 'n']);
    expect((await rows.distinct('n', FIND.filter)).sort()).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    const update = { q: FIND.filter, u: { $set: { n: 10 } }, multi: true };
    expect(await columnsOf({ update: 'rows', updates: [update] })).to.deep.equal(['kind']);
    expect((await rows.updateMany({ kind: 'k1', n: 3 }, { $set: { n: 10 } })).modifiedCount).to.equal(18);
    expect((await rows.deleteMany({ kind: 'k1', n: 10 })).deletedCount).to.equal(18);
    expect((await rows.deleteMany({ kind: 'k1', n: 10 })).deletedCount).to.equal(0);
    const join = { from: 'rows', localField: 'kind', foreignField: 'kind', as: 'found' };
    const joined = await rows
      .aggregate([
        { $match: { _id: { $lt: 5 } } },
        { $lookup: join },
        { $set: { found: { $size: '$found' } } },
      ])
      .toArray();
    expect(joined.map(({ found }) => found)).to.deep.equal([160, 142, 160, 160, 160]);
  });
});

describe('embedded/columns: transactions', () => {
  let engine: TestEngine;
  before(async () => {
    engine = await openEngine();
  });
  after(() => engine.close());

  it('see their own state, while others see the committed one', async () => {
    const rows = engine.db.collection<{ _id: number; a: number }>('rows');
    await rows.insertMany(Array.from({ length: 800 }, (_, _id) => ({ _id, a: _id % 4 })));
    const filter = { a: { $gte: 2 } };
    const counted = () => rows.countDocuments({ ...filter, _id: { $gte: 0 } });
    for (let n = 0; n < 4; n++) expect(await counted()).to.equal(400);
    await engine.client.withSession(async (session) => {
      session.startTransaction();
      await rows.updateOne({ _id: 0 }, { $set: { a: 3 } }, { session });
      await rows.deleteOne({ _id: 2 }, { session });
      await rows.deleteOne({ _id: 3 }, { session });
      const own = () =>
        rows
          .find({ ...filter }, { session })
          .sort({ a: 1 })
          .limit(500)
          .toArray();
      for (let n = 0; n < 3; n++) expect((await own()).length).to.equal(399);
      expect(await counted()).to.equal(400);
      await rows.insertOne({ _id: 1000, a: 2 });
      for (let n = 0; n < 3; n++) expect((await own()).length).to.equal(399);
      expect(await counted()).to.equal(401);
      await session.commitTransaction();
    });
    const left = (await rows.find({}).toArray()).filter(({ a }) => a >= 2).length;
    expect(await counted()).to.equal(left);
  });
});
