import { expect } from 'chai';
import fc from 'fast-check';
import { BSON, Decimal128, type Document, Double, Long, ObjectId } from 'mongodb';
import { openEngine, type TestEngine } from './support/engine.js';

const { EJSON } = BSON;
const RUNS = process.env['MANGROVE_SOAK'] ? 500 : 40;
const TYPED: readonly unknown[] = [
  new Double(1),
  Long.fromNumber(2),
  Long.fromString('9007199254740993'),
  Decimal128.fromString('2.0'),
  -0.5,
  new ObjectId('0123456789abcdef01234567'),
  'a\u0000\u0001é',
];
const VALUES: readonly unknown[] = [
  null,
  0,
  1,
  2,
  3,
  'a',
  'ab',
  'b',
  true,
  false,
  new Date(0),
  [],
  [1, 2],
  ['a', 3],
  { x: 1 },
  [{ x: 1 }, { x: 2 }],
  ...TYPED,
];

const value = fc.constantFrom(...VALUES);
const document = fc.record({ a: value, b: value, c: value }, { requiredKeys: [] });
const scalar = fc.constantFrom(null, 0, 1, 2, 'a', 'ab', true, new Date(0));
const condition = fc.oneof(
  scalar,
  value,
  fc.record({ $gt: scalar }),
  fc.record({ $lte: scalar }),
  fc.record({ $gte: fc.constantFrom(0, 1), $lt: fc.constantFrom(2, 3) }),
  fc.record({ $in: fc.array(scalar, { maxLength: 3 }) }),
  fc.record({ $ne: scalar }),
  fc.record({ $nin: fc.array(scalar, { maxLength: 2 }) }),
  fc.record({ $exists: fc.boolean() }),
  fc.constant(/^a/),
  fc.constant({ $not: { $gt: 1 } }),
  fc.constant({ $elemMatch: { x: 1 } }),
  fc.constant({ $all: [1, 2] }),
  fc.constant({ $type: 'string' }),
);
const path = fc.constantFrom('a', 'b', 'c', 'a.x', 'b.x');
const clause = fc.tuple(path, condition).map(([name, test]): Document => ({ [name]: test }));
const filter = fc.oneof(
  clause,
  fc.tuple(clause, clause).map(([x, y]): Document => ({ ...x, ...y })),
  fc.array(clause, { minLength: 1, maxLength: 3 }).map((clauses): Document => ({ $and: clauses })),
  fc.array(clause, { minLength: 1, maxLength: 3 }).map((clauses): Document => ({ $or: clauses })),
);
const sort = fc.option(
  fc.constantFrom<Document[]>(
    { a: 1, _id: 1 },
    { a: -1, _id: 1 },
    { a: 1, b: -1, _id: 1 },
    { a: -1, c: 1, _id: -1 },
    { b: -1, c: -1, a: 1, _id: 1 },
    { b: -1, a: 1, _id: 1 },
    { 'a.x': 1, _id: -1 },
    { _id: -1 },
  ),
  { nil: { _id: 1 } as Document },
);

const INDEXES: readonly [Document, Document][] = [
  [{ a: 1 }, {}],
  [{ a: -1, b: 1 }, {}],
  [{ b: 1, a: -1, _id: 1 }, {}],
  [{ 'a.x': 1 }, { sparse: true }],
  [{ a: 1, _id: 1 }, {}],
  [{ c: 1 }, { partialFilterExpression: { b: { $exists: true } } }],
  [{ b: 1 }, {}],
  [{ c: -1, 'b.x': 1 }, {}],
];

const PROJECTIONS: readonly Document[] = [
  { _id: 1 },
  { a: 1, _id: 0 },
  { a: 1 },
  { b: 1, _id: 0 },
  { 'a.x': 1, _id: 0 },
  { c: true, _id: 0 },
];

const request = fc.record({
  filter,
  sort,
  skip: fc.nat(3),
  limit: fc.constantFrom(0, 2, 5),
  key: fc.constantFrom('a', 'b', 'c', 'a.x'),
  projection: fc.constantFrom(...PROJECTIONS),
});

/** Equal numbers are one value, whichever of them occurs first. */
const sortable = (value: unknown): string =>
  typeof value === 'number' || value instanceof Long || value instanceof Double || value instanceof Decimal128
    ? String(Number(value))
    : EJSON.stringify(value);

const MANY = Array.from({ length: 10_000 }, (_, i) => i);

describe('embedded engine: planner', () => {
  let engine: TestEngine;
  before(async () => {
    engine = await openEngine();
  });
  after(() => engine.close());

  it(`an index changes no result (${RUNS} random collections)`, async function () {
    this.timeout(600_000);
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(document, { minLength: 1, maxLength: 25 }),
        fc.array(request, { minLength: 3, maxLength: 6 }),
        fc.subarray([...INDEXES], { minLength: 1 }),
        async (documents, queries, indexes) => {
          round += 1;
          const plain = engine.db.collection<Document>(`plain${round}`);
          const indexed = engine.db.collection<Document>(`indexed${round}`);
          const rows = documents.map((row, i) => ({ _id: i, ...row }));
          for (const [key, options] of indexes) {
            try {
              await indexed.createIndex(key, options);
            } catch {}
          }
          await plain.insertMany(rows as Document[]);
          // Two arrays in one compound key are rejected; such rows are left out of both.
          for (const row of rows) {
            try {
              await indexed.insertOne(row as Document);
            } catch {
              await plain.deleteOne({ _id: row._id as never });
            }
          }
          for (const query of queries) {
            const ids = async (collection: typeof plain) =>
              (
                await collection
                  .find(query.filter)
                  .sort(query.sort)
                  .skip(query.skip)
                  .limit(query.limit)
                  .toArray()
              ).map((row) => row._id);
            // A sort over two arrays of one document is rejected wherever its keys are computed.
            const [found, wanted] = await Promise.all(
              [indexed, plain].map((c) =>
                ids(c).catch((error: { code?: unknown }) => {
                  if (error.code !== 2) throw error;
                  return undefined;
                }),
              ),
            );
            if (found && wanted) expect(found, JSON.stringify({ query, indexes })).to.deep.equal(wanted);
            expect(await indexed.countDocuments(query.filter)).to.equal(
              await plain.countDocuments(query.filter),
            );
            const { key, projection } = query;
            const values = async (collection: typeof plain) =>
              new Set((await collection.distinct(key, query.filter)).map(sortable));
            expect(await values(indexed), JSON.stringify({ query, indexes })).to.deep.equal(
              await values(plain),
            );
            const groups = async (collection: typeof plain) =>
              (
                await collection
                  .aggregate([{ $match: query.filter }, { $group: { _id: `$${key}` } }])
                  .toArray()
              )
                .map(({ _id }) => sortable(_id))
                .sort();
            expect(await groups(indexed), JSON.stringify({ query, indexes })).to.deep.equal(
              await groups(plain),
            );
            const shown = async (collection: typeof plain) => {
              const rows = await collection
                .find(query.filter, { projection, promoteValues: false })
                .toArray();
              return rows.map((row) => EJSON.stringify(row, { relaxed: false })).sort();
            };
            expect(await shown(indexed), JSON.stringify({ query, indexes })).to.deep.equal(
              await shown(plain),
            );
          }
          await plain.drop();
          await indexed.drop();
        },
      ),
      { numRuns: RUNS },
    );
  });

  const stages = (plan: Document): string[] => [
    plan['stage'],
    ...(plan['inputStage'] ? stages(plan['inputStage']) : []),
    ...(plan['inputStages'] ?? []).flatMap(stages),
  ];
  const CASES: readonly [string, Document, Document | undefined, string[]][] = [
    ['equality', { a: 1 }, undefined, ['FETCH', 'IXSCAN']],
    ['a range', { a: { $gt: 1, $lt: 5 } }, undefined, ['FETCH', 'IXSCAN']],
    ['$in', { a: { $in: [1, 2] } }, undefined, ['FETCH', 'IXSCAN']],
    ['an anchored pattern', { s: /^x/ }, undefined, ['FETCH', 'IXSCAN']],
    ['an unanchored pattern', { s: /x/ }, undefined, ['COLLSCAN']],
    ['no index', { z: 1 }, undefined, ['COLLSCAN']],
    ['a sort', {}, { a: 1 }, ['FETCH', 'IXSCAN']],
    ['equality, then a sort by the next field', { a: 1 }, { b: -1 }, ['FETCH', 'IXSCAN']],
    ['a sort without an index', { a: 1 }, { z: 1 }, ['SORT', 'FETCH', 'IXSCAN']],
    ['$or over two indexes', { $or: [{ a: 1 }, { s: 'x' }] }, undefined, ['FETCH', 'OR', 'IXSCAN', 'IXSCAN']],
    [
      '$or over values of one path',
      { $or: [{ a: 1 }, { a: { $in: [2, 3] } }] },
      undefined,
      ['FETCH', 'IXSCAN'],
    ],
    ['$elemMatch', { list: { $elemMatch: { x: 5, y: { $gt: 1 } } } }, undefined, ['FETCH', 'IXSCAN']],
    ['$elemMatch of a missing field', { list: { $elemMatch: { x: null } } }, undefined, ['COLLSCAN']],
    ['$elemMatch of a place', { list: { $elemMatch: { 'x.0': 5 } } }, undefined, ['COLLSCAN']],
    ['$elemMatch of values', { list: { $elemMatch: { $gt: 5 } } }, undefined, ['COLLSCAN']],
    ['a whole array', { a: [1, 2] }, undefined, ['FETCH', 'IXSCAN']],
    ['the _id', { _id: 1 }, undefined, ['IDHACK']],
    ['$ne', { a: { $ne: 1 } }, undefined, ['COLLSCAN']],
    ['a partial index that the filter implies', { p: 1, live: true }, undefined, ['FETCH', 'IXSCAN']],
    ['a partial index that the filter does not imply', { p: 1 }, undefined, ['COLLSCAN']],
    ['a partial index with a range: a value inside', { u: { $eq: 'x' } }, undefined, ['FETCH', 'IXSCAN']],
    [
      'a partial index with a range: values inside',
      { u: { $in: ['x', 'y'] } },
      undefined,
      ['FETCH', 'IXSCAN'],
    ],
    ['a partial index with a range: a narrower one', { u: { $gte: 'b' } }, undefined, ['FETCH', 'IXSCAN']],
    ['a partial index with a range: the same one', { u: { $gt: '' } }, undefined, ['FETCH', 'IXSCAN']],
    // Ours does not use what MongoDB's planner does not detect, so that a request is equally fast on both.
    ['a partial index with a range: only a pattern', { u: /^x/ }, undefined, ['COLLSCAN']],
    [
      'a partial index with a range: a pattern next to its range',
      { u: { $regex: '^x', $gte: 'x' } },
      undefined,
      ['FETCH', 'IXSCAN'],
    ],
    ['a sort by more fields than a unique index has', {}, { k: 1, a: 1 }, ['SORT', 'COLLSCAN']],
    ['a partial index with a range: its bound', { u: { $gte: '' } }, undefined, ['COLLSCAN']],
    ['a partial index with a range: a value outside', { u: { $in: ['x', null] } }, undefined, ['COLLSCAN']],
    ['a partial index with a range: another type', { u: 5 }, undefined, ['COLLSCAN']],
    [
      'a partial index of all numbers',
      { n: Long.fromString('9007199254740993') },
      undefined,
      ['FETCH', 'IXSCAN'],
    ],
    ['a partial index of all dates', { d: new Date(5) }, undefined, ['FETCH', 'IXSCAN']],
    ['a long $in', { a: { $in: MANY } }, undefined, ['FETCH', 'IXSCAN']],
  ];
  describe('explain', () => {
    before(async () => {
      const c = engine.db.collection('explained');
      await c.createIndexes([
        { key: { a: 1, b: 1 } },
        { key: { s: 1 } },
        { key: { 'list.x': 1 } },
        { key: { k: 1 }, unique: true },
        { key: { p: 1 }, partialFilterExpression: { live: true } },
        { key: { u: 1, l: 1 }, unique: true, partialFilterExpression: { u: { $gt: '' } } },
        {
          key: { n: 1, l: 1 },
          unique: true,
          partialFilterExpression: { n: { $gt: Number.NEGATIVE_INFINITY } },
        },
        { key: { d: 1, l: 1 }, unique: true, partialFilterExpression: { d: { $gt: new Date(-8.64e15) } } },
      ]);
      await c.insertMany(
        Array.from({ length: 20 }, (_, i) => ({
          ...{ a: i % 5, b: i, s: `x${i}`, k: i, p: i },
          live: i % 2 === 0,
        })),
      );
    });
    for (const [name, query, order, expected] of CASES) {
      it(`${name}: ${expected.join(' ')}`, async () => {
        const cursor = engine.db.collection('explained').find(query);
        const plan = await (order === undefined ? cursor : cursor.sort(order)).explain('queryPlanner');
        expect(stages(plan['queryPlanner'].winningPlan)).to.deep.equal(expected);
      });
    }
    const COVERED: readonly [string, Document, string[], number][] = [
      ['a count', { count: 'explained', query: { a: { $lt: 2 } } }, ['COUNT', 'COUNT_SCAN'], 8],
      [
        'a count with several ranges',
        { count: 'explained', query: { a: { $in: [1, 2] } } },
        ['COUNT', 'IXSCAN'],
        8,
      ],
    ];
    for (const [name, request, expected, keys] of COVERED) {
      it(`reads no document: ${name}`, async () => {
        const plan = await engine.db.command({ explain: request, verbosity: 'executionStats' });
        expect(stages(plan['queryPlanner'].winningPlan)).to.deep.equal(expected);
        expect(plan['executionStats']).to.include({ totalKeysExamined: keys, totalDocsExamined: 0 });
      });
    }
    const PIPELINES: readonly [string, Document[], string][] = [
      ['a count', [{ $match: { a: { $gt: 1 } } }, { $count: 'n' }], 'COUNT_SCAN'],
    ];
    for (const [name, pipeline, expected] of PIPELINES) {
      it(`reads no document in a pipeline: ${name}`, async () => {
        const plan = await engine.db.collection('explained').aggregate(pipeline).explain('executionStats');
        const explained = plan['stages'][0].$cursor;
        expect(stages(explained.queryPlanner.winningPlan)).to.include(expected);
        expect(explained.executionStats.totalDocsExamined).to.equal(0);
      });
    }
    const HINTS: readonly [Document, Document, number | undefined][] = [
      [{ a: 1 }, { '$**': 1 }, undefined],
      [{ 'c.d': { $exists: true } }, { 'c.$**': 1 }, undefined],
      [{ $or: [{ a: 1 }, { b: { $ne: null } }] }, { '$**': 1 }, undefined],
      [{ a: 1 }, { 'c.$**': 1 }, 291],
      [{ a: null }, { '$**': 1 }, 291],
      [{ a: { $not: { $gt: 1 } } }, { '$**': 1 }, 291],
      [{ a: { b: 1 } }, { '$**': 1 }, 291],
      [{ _id: 1 }, { '$**': 1 }, 291],
      [{}, { '$**': 1 }, 291],
    ];
    for (const [filter, hint, code] of HINTS) {
      it(`a hinted wildcard index for ${JSON.stringify(filter)}: ${code ?? 'used'}`, async () => {
        const c = engine.db.collection<Document>('wild');
        await c.createIndexes([{ key: { '$**': 1 } }, { key: { 'c.$**': 1 } }]);
        const found = await c
          .find(filter, { hint })
          .toArray()
          .catch((error: { code?: number }) => error.code);
        expect(found).to.deep.equal(code ?? []);
      });
    }
    it('shows an update that changes only the type of a number', async () => {
      const c = engine.db.collection<Document>('retyped');
      await c.createIndex({ n: 1 });
      await c.insertOne({ n: 1 });
      for (const n of [new Double(1), Long.fromNumber(1), Decimal128.fromString('1.0')]) {
        await c.updateOne({}, { $set: { n } });
        const shown = await c
          .find({ n: 1 }, { projection: { n: 1, _id: 0 }, promoteValues: false })
          .toArray();
        expect(shown).to.deep.equal([{ n }]);
      }
      expect((await engine.db.command({ validate: 'retyped' }))['valid']).to.equal(true);
    });
    it('reports positions of arrays by path', async () => {
      const c = engine.db.collection<Document>('places');
      await c.createIndex({ a: 1, 'b.c': 1, 'b.d': 1 });
      await c.insertOne({ a: 1, b: [{ c: [1, 2], d: 3 }] });
      const plan = await c.find({ a: 1 }).explain('queryPlanner');
      expect(plan['queryPlanner'].winningPlan.inputStage).to.deep.include({
        isMultiKey: true,
        multiKeyPaths: { a: [], 'b.c': ['b', 'b.c'], 'b.d': ['b'] },
        indexBounds: { a: ['[1, 1]'], 'b.c': ['[MinKey, MaxKey]'], 'b.d': ['[MinKey, MaxKey]'] },
      });
    });
    const BOUNDS: readonly [Document, string[]][] = [
      [{ a: { $gt: 1 } }, ['(1, inf.0]']],
      [{ a: { $lte: new Double(2) } }, ['[-inf.0, 2.0]']],
      [{ a: { $in: [3, 'x', 1] } }, ['[1, 1]', '[3, 3]', '["x", "x"]']],
      [{ a: /^ab/ }, ['["ab", "ac")', '[/^ab/, /^ab/]']],
      [{ a: { $gte: new Date(5) } }, ['[new Date(5), new Date(9223372036854775807)]']],
      [{ a: { $lt: 'b' } }, ['["", "b")']],
    ];
    for (const [query, expected] of BOUNDS) {
      it(`bounds of ${JSON.stringify(Object.values(query)[0])}: ${expected.join(', ')}`, async () => {
        const plan = await engine.db.collection('explained').find(query).explain('queryPlanner');
        expect(plan['queryPlanner'].winningPlan.inputStage.indexBounds['a']).to.deep.equal(expected);
      });
    }
    const change = (u: Document, more: Document = {}): Document => ({
      update: 'explained',
      updates: [{ q: { a: 1 }, u, ...more }],
    });
    const modify = (more: Document): Document => ({ findAndModify: 'explained', query: { a: 9 }, ...more });
    const DONE: readonly [string, Document, Document][] = [
      ['a count', { count: 'explained', query: { a: 1 }, skip: 1 }, { stage: 'COUNT', nCounted: 3 }],
      ['a whole count', { count: 'explained' }, { stage: 'RECORD_STORE_FAST_COUNT', nCounted: 20 }],
      [
        'a delete',
        { delete: 'explained', deletes: [{ q: { a: 1 }, limit: 0 }] },
        { stage: 'DELETE', nWouldDelete: 4 },
      ],
      ['an update', change({ $set: { b: 1 } }), { stage: 'UPDATE', nMatched: 1, nWouldModify: 0 }],
      ['a multi-update', change({ $set: { b: 1 } }, { multi: true }), { nMatched: 4, nWouldModify: 3 }],
      ['an upsert', modify({ update: { b: 1 }, upsert: true }), { nReturned: 0, nWouldUpsert: 1 }],
      [
        'an upsert that returns the new document',
        modify({ update: { b: 1 }, upsert: true, new: true }),
        { nReturned: 1 },
      ],
      [
        'a delete with a projection',
        modify({ remove: true, fields: { a: 1 } }),
        { stage: 'PROJECTION_DEFAULT', nReturned: 0 },
      ],
      [
        'a delete in a missing collection',
        { delete: 'none', deletes: [{ q: {}, limit: 0 }] },
        { stage: 'EOF' },
      ],
    ];
    for (const [name, command, expected] of DONE) {
      it(`reports what would be done: ${name}`, async () => {
        const plan = await engine.db.command({ explain: command, verbosity: 'executionStats' });
        expect(plan['executionStats'].executionStages).to.include(expected);
        expect(await engine.db.collection('explained').countDocuments()).to.equal(20);
      });
    }
    it('a write uses the hinted index', async () => {
      const plan = await engine.db.command({ explain: change({ $set: { b: 1 } }, { hint: { s: 1 } }) });
      const { winningPlan } = plan['queryPlanner'];
      expect(stages(winningPlan)).to.deep.equal(['UPDATE', 'FETCH', 'IXSCAN']);
      expect(winningPlan.inputStage.inputStage.indexName).to.equal('s_1');
    });
    it('an indexed page reads as many documents as it returns', async () => {
      const plan = await engine.db
        .collection('explained')
        .find({ a: 1 })
        .sort({ b: -1 })
        .limit(2)
        .explain('executionStats');
      expect(plan['executionStats'].totalDocsExamined).to.equal(2);
    });
    it('an index in the order of only the first field of a sort does not serve it', async () => {
      const plan = await engine.db
        .collection('explained')
        .find({})
        .sort({ a: -1, s: 1 })
        .limit(2)
        .explain('executionStats');
      expect(stages(plan['queryPlanner'].winningPlan)).to.deep.equal(['LIMIT', 'SORT', 'COLLSCAN']);
    });
  });
});
