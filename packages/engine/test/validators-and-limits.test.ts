import { expect } from 'chai';
import { type Collection, type Document, MongoClient, Timestamp } from 'mongodb';
import { startEngine } from '../src/index.js';
import { failure, openEngine, removeFolder, type TestEngine, temporaryFolder } from './support/engine.js';
import { until } from './support/until.js';

/** Schemas that are not valid validators, and the error code. */
const UNUSABLE: readonly [Document, number][] = [
  [{ properties: { a: { minItems: 'x' } } }, 9],
  [{ properties: { a: { maximum: '5' } } }, 14],
  [{ properties: { a: { uniqueItems: 1 } } }, 14],
  [{ properties: { a: { additionalItems: 1 } } }, 14],
  [{ required: [] }, 9],
  [{ required: ['a', 'a'] }, 9],
  [{ required: 'a' }, 14],
  [{ properties: { a: 5 } }, 14],
  [{ minimum: 1, exclusiveMinimum: 1 }, 14],
  [{ exclusiveMinimum: true }, 9],
  [{ multipleOf: 0 }, 9],
  [{ allOf: [] }, 9],
  [{ type: 'integer' }, 9],
  [{ type: 'string', bsonType: 'string' }, 9],
  [{ frob: 1 }, 9],
];

/** A schema, a document that it rejects, and the rules named in the response. */
const RULES: readonly [Document, Document, unknown][] = [
  [
    { required: ['a', 'b'] },
    { a: 1 },
    [{ operatorName: 'required', specifiedAs: { required: ['a', 'b'] }, missingProperties: ['b'] }],
  ],
  [
    { properties: { a: { bsonType: 'string', description: 'a name' } } },
    { a: 1 },
    [
      {
        operatorName: 'properties',
        propertiesNotSatisfied: [
          {
            propertyName: 'a',
            description: 'a name',
            details: [
              {
                operatorName: 'bsonType',
                specifiedAs: { bsonType: 'string' },
                reason: 'type did not match',
                consideredValue: 1,
                consideredType: 'int',
              },
            ],
          },
        ],
      },
    ],
  ],
  [
    { properties: { _id: {}, a: {} }, additionalProperties: false },
    { a: 1, c: 2 },
    [
      {
        operatorName: 'additionalProperties',
        specifiedAs: { additionalProperties: false },
        additionalProperties: ['c'],
      },
    ],
  ],
  [
    { properties: { n: { minimum: 5, exclusiveMinimum: true } } },
    { n: 5 },
    [
      {
        operatorName: 'properties',
        propertiesNotSatisfied: [
          {
            propertyName: 'n',
            details: [
              {
                operatorName: 'minimum',
                specifiedAs: { minimum: 5, exclusiveMinimum: true },
                reason: 'comparison failed',
                consideredValue: 5,
              },
            ],
          },
        ],
      },
    ],
  ],
  [
    { properties: { l: { items: { enum: ['x'] } } } },
    { l: ['x', 'y'] },
    [
      {
        operatorName: 'properties',
        propertiesNotSatisfied: [
          {
            propertyName: 'l',
            details: [
              {
                operatorName: 'items',
                reason: 'At least one item did not match the sub-schema',
                itemIndex: 1,
                details: [
                  {
                    operatorName: 'enum',
                    specifiedAs: { enum: ['x'] },
                    reason: 'value was not found in enum',
                    consideredValue: 'y',
                  },
                ],
              },
            ],
          },
        ],
      },
    ],
  ],
  [
    { oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    { a: 1, b: 1 },
    [{ operatorName: 'oneOf', reason: 'more than one subschema matched', matchingSchemaIndexes: [0, 1] }],
  ],
];

const computed = (expression: Document): Document => ({ $project: { x: expression } });
const grouped = (accumulator: Document): Document => ({ $group: { _id: null, x: accumulator } });
const TOP = { sortBy: { _id: 1 }, output: '$a' };

/** By version: features of later versions only, and the resulting error code. */
const NEWER: Readonly<Record<string, readonly (readonly [Document, number])[]>> = {
  '5.0': [
    [computed({ $tsSecond: '$t' }), 168],
    [computed({ $tsIncrement: '$t' }), 168],
    [computed({ $sortArray: { input: '$a', sortBy: 1 } }), 168],
    ...['$firstN', '$lastN', '$minN', '$maxN'].flatMap((name): [Document, number][] => [
      [computed({ [name]: { input: '$a', n: 1 } }), 168],
      [grouped({ [name]: { input: '$a', n: 1 } }), 15952],
    ]),
    [computed({ $filter: { input: '$a', cond: true, limit: 1 } }), 28647],
    ...['$top', '$bottom'].flatMap((name): [Document, number][] => [
      [grouped({ [name]: TOP }), 15952],
      [grouped({ [`${name}N`]: { ...TOP, n: 1 } }), 15952],
    ]),
  ],
  '6.0': [
    ...['$bitAnd', '$bitOr', '$bitXor'].map((name): [Document, number] => [
      computed({ [name]: [1, 2] }),
      168,
    ]),
    [computed({ $bitNot: 1 }), 168],
    [computed({ $median: { input: '$a', method: 'approximate' } }), 168],
    [computed({ $percentile: { input: '$a', p: [0.5], method: 'approximate' } }), 168],
    [grouped({ $median: { input: '$_id', method: 'approximate' } }), 15952],
    [grouped({ $percentile: { input: '$_id', p: [0.5], method: 'approximate' } }), 15952],
  ],
  '7.0': [
    [computed({ $toUUID: '$a' }), 31325],
    [computed({ $convert: { input: 1, to: 'int', format: 'hex' } }), 9],
    [computed({ $convert: { input: 1, to: { type: 'int' } } }), 9],
  ],
};

describe('embedded engine: validators', () => {
  let engine: TestEngine;
  let count = 0;
  before(async () => {
    engine = await openEngine();
  });
  after(() => engine.close());

  const made = async (validator: Document): Promise<Collection<Document>> => {
    count += 1;
    return engine.db.createCollection(`v${count}`, { validator });
  };
  const infoOf = async (validator: Document, document: Document): Promise<Document> => {
    const error = await failure((await made(validator)).insertOne(document));
    expect(error.code).to.equal(121);
    return (error as unknown as { errInfo: Document }).errInfo;
  };

  for (const [schema, code] of UNUSABLE) {
    it(`rejects the schema ${JSON.stringify(schema)}`, async () => {
      expect((await failure(made({ $jsonSchema: schema }))).code).to.equal(code);
    });
  }

  for (const [schema, document, rules] of RULES) {
    it(`reports which rules of ${JSON.stringify(schema)} are violated`, async () => {
      const info = await infoOf({ $jsonSchema: schema }, { _id: 1, ...document });
      expect(info['failingDocumentId']).to.equal(1);
      expect(info['details']).to.deep.equal({
        operatorName: '$jsonSchema',
        schemaRulesNotSatisfied: rules,
      });
    });
  }

  it('reports which conditions of a filter are violated', async () => {
    expect((await infoOf({ a: { $gt: 5 } }, { a: 1 }))['details']).to.deep.equal({
      operatorName: '$gt',
      specifiedAs: { a: { $gt: 5 } },
      reason: 'comparison failed',
      consideredValue: 1,
    });
    expect((await infoOf({ a: 1, b: 1 }, { b: 2 }))['details']).to.deep.equal({
      operatorName: '$and',
      clausesNotSatisfied: [
        { index: 0, details: { operatorName: '$eq', specifiedAs: { a: 1 }, reason: 'field was missing' } },
        {
          index: 1,
          details: {
            operatorName: '$eq',
            specifiedAs: { b: 1 },
            reason: 'comparison failed',
            consideredValue: 2,
          },
        },
      ],
    });
  });

  it('compares documents in lists whatever the order of their fields', async () => {
    const unique = await made({ $jsonSchema: { properties: { l: { uniqueItems: true } } } });
    expect(
      (
        await failure(
          unique.insertOne({
            l: [
              { x: 1, y: 1 },
              { y: 1, x: 1 },
            ],
          }),
        )
      ).code,
    ).to.equal(121);
    const listed = await made({ $jsonSchema: { properties: { l: { enum: [{ y: 1, x: 1 }] } } } });
    await listed.insertOne({ l: { x: 1, y: 1 } });
  });

  it('rejects a replacement that leaves an invalid document unchanged', async () => {
    const c = engine.db.collection('late');
    await c.insertOne({ _id: 1 as never, a: 1 });
    await engine.db.command({ collMod: 'late', validator: { a: 2 } });
    expect((await failure(c.replaceOne({ _id: 1 as never }, { a: 1 }))).code).to.equal(121);
  });
});

describe('embedded engine: limits and versions', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => removeFolder(folder));

  const withEngine = async (
    options: Omit<Parameters<typeof startEngine>[0], 'dataDir'>,
    work: (client: MongoClient) => Promise<void>,
  ): Promise<void> => {
    const engine = await startEngine({ dataDir: folder, ...options });
    const client = await MongoClient.connect(engine.uri);
    try {
      await work(client);
    } finally {
      await client.close();
      await engine.close();
    }
  };

  it('rejects sorts, groups and lists that take too much memory, unless the disk may be used', async () => {
    const limits = {
      sortBytes: 2000,
      groupBytes: 2000,
      pushBytes: 2000,
      addToSetBytes: 2000,
      writeBatch: 50,
    };
    await withEngine({ limits, version: '5.0' }, async (client) => {
      const c = client.db('t').collection('c');
      await c.insertMany([...Array(40).keys()].map((n) => ({ n, text: `${n}`.padEnd(100) })));
      const code = async (work: Promise<unknown>): Promise<unknown> => (await failure(work)).code;
      expect(await code(c.find().sort({ text: 1 }).toArray())).to.equal(292);
      expect(await c.find().sort({ text: 1 }).allowDiskUse().toArray()).to.have.length(40);
      expect(await c.find().sort({ text: 1 }).limit(3).toArray()).to.have.length(3);
      const reshaped = [{ $project: { text: 1 } }, { $set: { x: 1 } }, { $sort: { x: 1, text: 1 } }];
      expect(await code(c.aggregate(reshaped).toArray())).to.equal(292);
      const byText = [{ $group: { _id: '$text', most: { $max: '$text' } } }];
      expect(await code(c.aggregate(byText).toArray())).to.equal(292);
      expect(await c.aggregate(byText, { allowDiskUse: true }).toArray()).to.have.length(40);
      for (const name of ['$push', '$addToSet']) {
        const gathered = [{ $group: { _id: null, all: { [name]: '$text' } } }];
        expect(await code(c.aggregate(gathered, { allowDiskUse: true }).toArray()), name).to.equal(146);
      }
      const many = { insert: 'c', documents: [...Array(51)].map(() => ({})) };
      expect(await code(client.db('t').command(many))).to.equal(16);
      const admin = client.db('admin');
      await admin.command({ setParameter: 1, internalQueryMaxBlockingSortMemoryUsageBytes: 1_000_000 });
      expect(await c.find().sort({ text: 1 }).toArray()).to.have.length(40);
    });
  });

  it('returns no row twice if a sort fails after its first rows', async () => {
    await withEngine({ limits: { sortBytes: 2000 } }, async (client) => {
      const c = client.db('t').collection('runs');
      await c.createIndexes([{ key: { kind: 1, a: 1 } }, { key: { a: 1, b: 1 } }]);
      const rows = [...Array(40).keys()].map((n) => ({ kind: 1, a: n >> 2, b: -n, text: ''.padEnd(100) }));
      await c.insertMany(rows);
      const found = await c
        .find({ kind: 1, a: { $gte: 0 } })
        .sort({ a: 1, b: 1 })
        .toArray();
      const order = (a: Document, b: Document): number => a['a'] - b['a'] || a['b'] - b['b'];
      expect(found).to.deep.equal([...rows].sort(order));
    });
  });

  it('reads and sets the lifetime of transactions, and reads feature flags', async () => {
    await withEngine({}, async (client) => {
      const admin = client.db('admin');
      const parameters = { transactionLifetimeLimitSeconds: 1, featureFlagWindowFunctions: 1 };
      expect(await admin.command({ getParameter: 1, ...parameters })).to.deep.include({
        transactionLifetimeLimitSeconds: 60,
        featureFlagWindowFunctions: { value: true, version: '5.0' },
      });
      const changed = await admin.command({ setParameter: 1, transactionLifetimeLimitSeconds: 1 });
      expect(changed['was']).to.equal(60);
      const c = client.db('t').collection('c');
      const session = client.startSession();
      session.startTransaction();
      await c.insertOne({ _id: 1 as never }, { session });
      const ended = async (): Promise<boolean> =>
        c.findOne({}, { session }).then(
          () => false,
          () => true,
        );
      await until(ended, () => 'the transaction is still there', { every: 200 });
      expect((await failure(session.commitTransaction())).code).to.equal(251);
      expect(await c.countDocuments()).to.equal(0);
      await session.endSession();
    });
  });

  for (const version of Object.keys(NEWER)) {
    it(`hides what is newer than ${version}`, async () => {
      await withEngine({ version }, async (client) => {
        const c = client.db('t').collection('c');
        await c.insertOne({ _id: 1 as never, a: [2, 1], t: new Timestamp({ t: 1, i: 1 }) });
        for (const later of Object.keys(NEWER).filter((name) => name >= version)) {
          for (const [stage, code] of NEWER[later] ?? []) {
            const error = await failure(c.aggregate([stage]).toArray());
            expect(error.code, JSON.stringify(stage)).to.equal(code);
          }
        }
        for (const earlier of Object.keys(NEWER).filter((name) => name < version))
          for (const [stage] of NEWER[earlier] ?? []) await c.aggregate([stage]).toArray();
      });
    });
  }

  it('limits the expiry of documents as version 5.0 does', async () => {
    const commands: [Document, number][] = [
      [{ createIndexes: 't', indexes: [{ key: { a: 1 }, name: 'a', expireAfterSeconds: 2 ** 31 - 1 }] }, 67],
      [{ collMod: 't', index: { name: 'k', expireAfterSeconds: 5 } }, 72],
    ];
    for (const version of ['5.0', '6.0']) {
      await withEngine({ version }, async (client) => {
        const db = client.db('t');
        await db.collection('t').createIndex({ k: 1 }, { name: 'k' });
        for (const [command, code] of commands) {
          if (version === '5.0') expect((await failure(db.command(command))).code).to.equal(code);
          else await db.command(command);
        }
      });
    }
  });

  it('announces the configured version', async () => {
    await withEngine({ version: '5.0' }, async (client) => {
      const admin = client.db('admin');
      expect((await admin.command({ buildInfo: 1 }))['version']).to.equal('5.0.0');
      expect((await admin.command({ hello: 1 }))['maxWireVersion']).to.equal(13);
      const same = client.db('t');
      await same.createCollection('c');
      expect((await failure(same.createCollection('c'))).code).to.equal(48);
    });
    const error = await failure(startEngine({ dataDir: folder, version: '4.4' }));
    expect(error.message).to.match(/5\.0, 6\.0, 7\.0/);
  });
});
