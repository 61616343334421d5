import { BSONRegExp, BSONSymbol, Decimal128, Double, Timestamp } from 'bson';
import { expect } from 'chai';
import type { Collection, Document } from 'mongodb';
import { failure, openEngine, type TestEngine } from './support/engine.js';

const nested = (depth: number): Document[] =>
  depth === 0 ? [] : [{ $lookup: { from: 'c', as: 'a', pipeline: nested(depth - 1) } }];
const merge = (into: Document): Document => ({ aggregate: 'c', pipeline: [{ $merge: into }], cursor: {} });

/** A command that MongoDB rejects, and its error code. */
const REFUSED: Readonly<Record<string, readonly [Document, number]>> = {
  'min without a hint': [{ find: 'c', min: { a: 1 } }, 51173],
  'min of another index': [{ find: 'c', min: { b: 1 }, hint: { a: 1 } }, 51174],
  'max before min': [{ find: 'c', min: { a: 2 }, max: { a: 1 }, hint: { a: 1 } }, 51175],
  '$natural with a hint': [{ find: 'c', sort: { $natural: 1 }, hint: { a: 1 } }, 2],
  '$natural with a field': [{ find: 'c', sort: { $natural: 1, a: 1 } }, 2],
  'a hint of two indexes': [{ find: 'c', filter: { a: 'x' }, hint: { twice: 1 } }, 27],
  'a hint of an aggregation, to no index': [
    { aggregate: 'c', pipeline: [], cursor: {}, hint: { nope: 1 } },
    2,
  ],
  'a distinct with an invalid schema, with no documents': [
    { distinct: 'none', key: 'a', query: { $jsonSchema: { invalid: {} } } },
    9,
  ],
  'maxTimeMS beyond 31 bits': [{ find: 'c', maxTimeMS: 2 ** 31 }, 2],
  'maxTimeMS as a fraction': [{ ping: 1, maxTimeMS: 0.1 }, 2],
  'maxTimeMS as a string': [{ ping: 1, maxTimeMS: '' }, 2],
  'maxTimeMS as a boolean': [{ ping: 1, maxTimeMS: true }, 2],
  '$mod by more than 64 bits': [{ find: 'c', filter: { a: { $mod: [1e19, 1] } } }, 2],
  '$mod with a remainder of more than 64 bits': [{ find: 'c', filter: { a: { $mod: [1, 1e19] } } }, 2],
  '$lookup by a number': [
    {
      aggregate: 'c',
      pipeline: [{ $lookup: { from: 'c', localField: 1, foreignField: 'a', as: 'x' } }],
      cursor: {},
    },
    9,
  ],
  '$lookup without from': [
    {
      aggregate: 'c',
      pipeline: [{ $lookup: { from: '', localField: 'a', foreignField: 'a', as: 'x' } }],
      cursor: {},
    },
    73,
  ],
  '$lookup with let but no pipeline': [
    {
      aggregate: 'c',
      pipeline: [{ $lookup: { from: 'c', localField: 'a', foreignField: 'a', let: { b: 1 }, as: 'x' } }],
      cursor: {},
    },
    9,
  ],
  'returnKey on a view': [{ find: 'v', returnKey: true }, 168],
  'a sort by 33 fields': [
    { find: 'none', sort: Object.fromEntries([...Array(33).keys()].map((i) => [`f${i}`, 1])) },
    13103,
  ],
  'a tailable cursor on a plain collection': [{ find: 'c', tailable: true }, 2],
  'awaitData without tailable': [{ find: 'c', awaitData: true }, 9],
  'an invalid $match, with no documents': [
    { aggregate: 'none', pipeline: [{ $match: { a: { $mod: [0, 0] } } }], cursor: {} },
    2,
  ],
  'an update with an invalid filter, with no documents': [
    { update: 'none', updates: [{ q: { a: { $bogus: 1 } }, u: { $set: { a: 1 } } }] },
    2,
  ],
  '21 nested pipelines': [{ aggregate: 'c', pipeline: nested(22), cursor: {} }, 232],
  'a pipeline of 1001 stages': [
    { aggregate: 'c', pipeline: Array(1001).fill({ $match: {} }), cursor: {} },
    7749501,
  ],
  '$out to a system collection': [{ aggregate: 'c', pipeline: [{ $out: 'system.x' }], cursor: {} }, 17385],
  '$out into a view': [{ aggregate: 'c', pipeline: [{ $out: 'v' }], cursor: {} }, 166],
  '$merge into a view': [merge({ into: 'v' }), 166],
  '$merge inside $lookup': [
    {
      aggregate: 'c',
      pipeline: [{ $lookup: { from: 'c', as: 'x', pipeline: [{ $merge: 'd' }] } }],
      cursor: {},
    },
    51047,
  ],
  '$merge inside $unionWith': [
    { aggregate: 'c', pipeline: [{ $unionWith: { coll: 'c', pipeline: [{ $merge: 'd' }] } }], cursor: {} },
    31441,
  ],
  '$merge on a field that is not unique': [merge({ into: 'd', on: 'a' }), 51183],
  '$merge on a number': [merge({ into: 'd', on: 5 }), 51186],
  '$merge on nothing': [merge({ into: 'd', on: [] }), 51187],
  '$merge with an unknown field': [merge({ into: 'd', onn: 'a' }), 40415],
  '$merge with let but no pipeline': [merge({ into: 'd', let: { x: 1 } }), 51199],
  '$merge whose let defines new': [merge({ into: 'd', let: { new: 1 }, whenMatched: [] }), 51273],
  '$merge that keeps and discards': [
    merge({ into: 'd', whenMatched: 'keepExisting', whenNotMatched: 'discard' }),
    51181,
  ],
  '$merge after an explained $lookup': [
    merge({ into: 'd', whenMatched: [{ $lookup: { from: 'c', as: 'x', pipeline: [] } }] }),
    72,
  ],
};

describe('embedded engine: reads and pipelines that write', () => {
  let engine: TestEngine;
  let c: Collection<Document>;
  before(async () => {
    engine = await openEngine();
    c = engine.db.collection('c');
    await c.insertMany([
      { _id: 1, a: 1, b: 1 },
      { _id: 2, a: 2 },
      { _id: 3, a: 3, far: 1e19 },
    ] as never[]);
    await c.createIndex({ twice: 1 }, { name: 'plain' });
    await c.createIndex({ twice: 1 }, { name: 'french', collation: { locale: 'fr' } });
    await c.createIndex({ a: 1 });
    await c.createIndex({ b: 1 }, { sparse: true });
    await engine.db.createCollection('v', { viewOn: 'c' });
  });
  after(() => engine.close());

  for (const [title, [command, code]] of Object.entries(REFUSED)) {
    it(`rejects ${title}`, async () => {
      const reply = await engine.db.command(command).catch((error) => error);
      expect(reply.code ?? reply.writeErrors?.[0]?.code, reply.message).to.equal(code);
    });
  }

  it('reads a part of an index with min and max', async () => {
    const ids = async (min: Document, max: Document): Promise<unknown[]> =>
      (await c.find().hint({ a: 1 }).min(min).max(max).toArray()).map((row) => row._id);
    expect(await ids({ a: 2 }, { a: 3 })).to.deep.equal([2]);
    expect(await c.find().hint({ a: 1 }).min({ a: 2 }).toArray()).to.have.length(2);
    const uneven = c.find().hint({ a: 1 }).min({ a: 2 }).max({ b: 3 }).toArray();
    expect((await failure(uneven)).code).to.equal(51176);
  });

  it('returns keys and record ids', async () => {
    expect(await c.find({ a: 2 }).hint({ a: 1 }).returnKey(true).toArray()).to.deep.equal([{ a: 2 }]);
    const [row] = await c.find({ a: 2 }).showRecordId(true).toArray();
    expect(Object.keys(row ?? {})).to.include('$recordId');
  });

  it('counts what a hinted sparse index contains', async () => {
    expect((await engine.db.command({ count: 'c', hint: { b: 1 } }))['n']).to.equal(1);
  });

  it('finds the same with an index of a collation as without: in documents, symbols and control characters', async () => {
    const collation = { locale: 'en', strength: 2 };
    const [plain, indexed] = [
      engine.db.collection<Document>('read'),
      engine.db.collection<Document>('sought'),
    ];
    await indexed.createIndex({ a: 1 }, { collation });
    const values = [{ x: 'A' }, [{ x: 'B' }], new BSONSymbol('Q'), 'z\u0001', 'é'];
    const sought = [
      { x: 'a' },
      { x: 'b' },
      [{ x: 'b' }],
      'q',
      'Z',
      'É',
      'e',
      { $in: ['q', 'Z', { x: 'a' }] },
    ];
    const documents = values.map((a, _id) => ({ _id: _id as never, a }));
    for (const collection of [plain, indexed]) await collection.insertMany(documents);
    for (const a of sought) {
      const [there, here] = await Promise.all(
        [plain, indexed].map((collection) =>
          collection.find({ a }, { collation }).sort({ _id: 1 }).toArray(),
        ),
      );
      expect(here, JSON.stringify(a)).to.deep.equal(there);
    }
    const { queryPlanner } = await indexed.find({ a: { x: 'a' } }, { collation }).explain();
    expect(queryPlanner.winningPlan.stage).to.equal('FETCH');
  });

  it("finds the query's matches through a hinted index with another collation", async () => {
    const words = engine.db.collection('words');
    await words.insertMany([{ w: 'a' }, { w: 'A' }, { w: 'b' }]);
    await words.createIndex({ w: 1 });
    const found = words.find({ w: 'a' }).collation({ locale: 'en', strength: 2 }).hint({ w: 1 });
    expect(await found.sort({ w: 1 }).toArray()).to.have.length(2);
  });

  it('sorts by an index with a direction that is a double', async () => {
    const plan = await engine.db.command({ explain: { find: 'c', sort: { a: new Double(1) } } });
    expect(plan['queryPlanner'].winningPlan.stage).to.equal('FETCH');
  });

  it('uses the hint of an aggregation', async () => {
    const explain = { aggregate: 'c', pipeline: [{ $match: { a: 1 } }], cursor: {}, hint: '_id_' };
    const plan = await engine.db.command({ explain });
    expect(plan['queryPlanner'].winningPlan.inputStage.indexName).to.equal('_id_');
  });

  it('keeps a collection temporary on rename only if requested', async () => {
    const { db } = engine;
    for (const [to, stayTemp] of [
      ['kept', true],
      ['lasting', false],
    ] as const) {
      await db.command({ create: 'passing', temp: true });
      const renameCollection = `${db.databaseName}.passing`;
      await db.admin().command({ renameCollection, to: `${db.databaseName}.${to}`, stayTemp });
    }
    const temporary = await db.listCollections({ 'options.temp': true }).toArray();
    expect(temporary.map(({ name }) => name)).to.deep.equal(['kept']);
  });

  it('sets an empty timestamp that is inserted or replaced, but not in an _id or a nested field', async () => {
    const times = engine.db.collection<Document>('times');
    const empty = new Timestamp({ t: 0, i: 0 });
    await times.insertOne({ _id: empty, at: empty, in: { at: empty } } as never);
    const first = (await times.findOne()) as Document;
    expect([first['_id'].isZero(), first['at'].isZero(), first['in'].at.isZero()]).to.deep.equal([
      true,
      false,
      true,
    ]);
    await times.replaceOne({}, { at: empty });
    expect(await times.countDocuments({ _id: empty, at: { $gt: first['at'] } })).to.equal(1);
  });

  it('returns the key by which a list was found', async () => {
    const listed = engine.db.collection('listed');
    await listed.insertOne({ a: [2, 1, 3] });
    await listed.createIndex({ a: 1 });
    for (const [min, key] of [
      [0, 1],
      [2, 2],
    ] as const) {
      const command = {
        find: 'listed',
        min: { a: min },
        hint: { a: 1 },
        returnKey: true,
      };
      const reply = await engine.db.command(command);
      expect(reply['cursor'].firstBatch).to.deep.equal([{ a: key }]);
    }
  });

  const CONFLICTS: readonly (readonly [Document, Document, number])[] = [
    [{ x: { $all: [1, 2] } }, { $set: { a: 1 } }, 54],
    [{ x: {}, 'x.y': 1 }, { $set: { a: 1 } }, 54],
    [{ _id: { $all: [1, 2] } }, { a: 1 }, 54],
    [{ _id: 1, '_id.x': 1 }, { a: 1 }, 111],
    [{ '_id.x': 1 }, { a: 1 }, 111],
  ];
  for (const [q, u, code] of CONFLICTS) {
    it(`creates no document for ${JSON.stringify(q)}`, async () => {
      const reply = await engine.db.command({ update: 'ups', updates: [{ q, u, upsert: true }] });
      expect(reply['writeErrors']?.[0]?.code).to.equal(code);
    });
  }

  it('returns the element of $elemMatch after the other fields, and with exclusions', async () => {
    const lists = engine.db.collection('lists');
    await lists.insertOne({ _id: 1, a: [{ k: 1 }, { k: 2 }], b: 1, c: 1 } as never);
    const shown = async (projection: Document): Promise<string> =>
      JSON.stringify(await lists.findOne({}, { projection }));
    const a = { $elemMatch: { k: 2 } };
    expect(await shown({ a, b: 1 })).to.equal('{"_id":1,"b":1,"a":[{"k":2}]}');
    expect(await shown({ a, b: 0 })).to.equal('{"_id":1,"a":[{"k":2}],"c":1}');
    expect(await shown({ a })).to.equal('{"_id":1,"a":[{"k":2}]}');
    for (const [projection, code] of [
      [{ 'a.b': a }, 31275],
      [{ a: { $elemMatch: 1 } }, 31274],
      [{ 'b.$': 1, a }, 31255],
    ] as const) {
      const reply = lists.find({ b: 1 }, { projection }).toArray();
      expect((await failure(reply)).code, JSON.stringify(projection)).to.equal(code);
    }
  });

  it('keeps the _id of documents that $merge updates with a pipeline that omits it', async () => {
    const [from, into] = [engine.db.collection('from'), engine.db.collection('into')];
    await from.insertOne({ _id: 1 } as never);
    await into.insertOne({ _id: 1, within: { x: 1 } } as never);
    await from
      .aggregate([{ $merge: { into: 'into', whenMatched: [{ $replaceWith: '$within' }] } }])
      .toArray();
    expect(await into.find().toArray()).to.deep.equal([{ _id: 1, x: 1 }]);
  });

  it('a replacement takes only the _id from a filter', async () => {
    const q = { $and: [{ _id: 7, x: 1 }, { x: 1 }], 'x.y': 2 };
    await engine.db.command({ update: 'ups', updates: [{ q, u: { a: 1 }, upsert: true }] });
    expect(await engine.db.collection('ups').findOne({ a: 1 })).to.deep.equal({ _id: 7, a: 1 });
  });

  it('returns the same with and without an index', async () => {
    const odd = engine.db.collection('odd');
    await odd.insertMany([
      { r: 'abc' },
      { r: new BSONRegExp('^a') },
      { r: 'b' },
      { n: Number.NaN },
      { n: 0.5 },
      { n: Decimal128.fromString('NaN'), a: [{ b: 1 }] },
    ]);
    const counts = async (): Promise<number[]> => [
      (await odd.find({ r: new BSONRegExp('^a') }).toArray()).length,
      (await odd.find({ n: { $lt: new Double(1) } }).toArray()).length,
      (await odd.find({ n: { $gte: Decimal128.fromString('NaN') } }).toArray()).length,
      (await odd.find({ 'a.0': null, a: { $exists: true } }).toArray()).length,
    ];
    expect(await counts()).to.deep.equal([2, 1, 2, 1]);
    await odd.createIndex({ r: 1 });
    await odd.createIndex({ n: 1 });
    await odd.createIndex({ 'a.0': 1 });
    expect(await counts()).to.deep.equal([2, 1, 2, 1]);
  });

  it('explains a pipeline that writes and writes nothing', async () => {
    for (const last of [{ $out: 'written' }, { $merge: 'written' }]) {
      const command = { aggregate: 'c', pipeline: [{ $match: { a: 1 } }, last], cursor: {} };
      const plan = await engine.db.command({ ...command, explain: true });
      expect(JSON.stringify(plan)).to.include('winningPlan');
      const run = await engine.db.command({ explain: command, verbosity: 'executionStats' });
      expect(JSON.stringify(run)).to.include('executionStages');
    }
    expect(await engine.db.listCollections({ name: 'written' }).toArray()).to.deep.equal([]);
  });

  it('validates what $out and $merge write', async () => {
    const { db } = engine;
    await db.createCollection('strict', { validator: { a: { $lt: 2 } } });
    for (const last of [{ $out: 'strict' }, { $merge: 'strict' }]) {
      const rows = (options: Document): Promise<unknown> => c.aggregate([last], options).toArray();
      expect((await failure(rows({}))).code).to.equal(121);
      expect(await db.collection('strict').countDocuments({ a: { $gte: 2 } })).to.equal(0);
      await rows({ bypassDocumentValidation: true });
      await db.collection('strict').deleteMany({});
    }
  });

  it('merges on a dotted field, and rejects documents without it', async () => {
    const target = engine.db.collection('dotted');
    await target.createIndex({ 'k.n': 1 }, { unique: true });
    await target.insertOne({ _id: 9 as never, k: { n: 1 }, old: true });
    const run = (document: Document): Promise<unknown> =>
      c
        .aggregate([{ $limit: 1 }, { $replaceWith: document }, { $merge: { into: 'dotted', on: 'k.n' } }])
        .toArray();
    await run({ k: { n: 1 }, x: 1 });
    expect(await target.findOne({}, { projection: { _id: 0 } })).to.deep.equal({
      k: { n: 1 },
      old: true,
      x: 1,
    });
    expect((await failure(run({ x: 1 }))).code).to.equal(51132);
    expect((await failure(run({ _id: 5, k: { n: 1 } }))).code).to.equal(66);
  });

  it('merges the other documents if one fails', async () => {
    const target = engine.db.collection('partly');
    await target.insertOne({ _id: 2 as never, old: true });
    const run = c.aggregate([{ $merge: { into: 'partly', whenMatched: 'fail' } }]).toArray();
    expect((await failure(run)).code).to.equal(11000);
    const rows = await target.find().sort({ _id: 1 }).toArray();
    expect(rows.map((row) => row._id)).to.deep.equal([1, 2, 3]);
    expect(rows[1]).to.deep.equal({ _id: 2, old: true });
  });

  it('keeps the changes of a failed multi-update, and counts none of them', async () => {
    const mixed = engine.db.collection('mixed');
    await mixed.insertMany([{ a: 1 }, { a: 'x' }, { a: 1 }]);
    const statement = { q: {}, u: { $inc: { a: 1 } }, multi: true };
    const reply = await engine.db.command({ update: 'mixed', updates: [statement] });
    expect([reply['n'], reply['nModified'], reply['writeErrors'][0].code]).to.deep.equal([0, 0, 14]);
    expect((await mixed.find().toArray()).map((row) => row['a'])).to.deep.equal([2, 'x', 1]);
  });

  it('ends cursors of dropped collections', async () => {
    const { db } = engine;
    for (const end of ['drop', 'dropIndexes', 'dropDatabase', 'rename'] as const) {
      const own = end === 'dropDatabase' ? engine.client.db(`${db.databaseName}_other`) : db;
      const gone = own.collection('gone');
      await gone.insertMany([...Array(10).keys()].map((n) => ({ n })));
      await gone.createIndex({ n: 1 });
      const cursor = gone.find({ n: { $gte: 0 } }).batchSize(2);
      await cursor.next();
      if (end === 'drop') await gone.drop();
      if (end === 'dropIndexes') await gone.dropIndexes();
      if (end === 'dropDatabase') await own.dropDatabase();
      if (end === 'rename') await gone.rename('moved');
      expect((await failure(cursor.toArray())).code, end).to.equal(175);
      await gone.drop().catch(() => undefined);
    }
  });
});
