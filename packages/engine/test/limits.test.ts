import { expect } from 'chai';
import type { Document } from 'mongodb';
import { MongoClient } from 'mongodb';
import { type RunningEngine, startEngine } from '../src/index.js';
import { failure, removeFolder, temporaryFolder } from './support/engine.js';

describe('embedded engine: limits and versions', () => {
  const folder = temporaryFolder();
  let engine: RunningEngine;
  let client: MongoClient;
  before(async () => {
    engine = await startEngine({
      dataDir: folder,
      version: '5.0',
      limits: {
        sortBytes: 20_000,
        pushBytes: 20_000,
        addToSetBytes: 20_000,
        lookupBytes: 20_000,
        groupBytes: 20_000,
        facetBytes: 20_000,
        pipelineDepth: 3,
        pipelineLength: 5,
      },
    });
    client = await MongoClient.connect(engine.uri);
    const rows = Array.from({ length: 500 }, (_, i) => ({
      _id: i as never,
      a: i % 7,
      s: `${i}`.padEnd(200, 'x'),
    }));
    await client.db('d').collection('c').insertMany(rows);
  });
  after(async () => {
    await client.close();
    await engine.close();
    removeFolder(folder);
  });

  const run = (stages: Document[], options = {}) =>
    client.db('d').collection('c').aggregate(stages, options).toArray();
  const nested = (depth: number): Document[] =>
    depth === 0 ? [] : [{ $unionWith: { coll: 'c', pipeline: nested(depth - 1) } }];

  const REFUSED: readonly (readonly [string, Document[], number])[] = [
    ['a sort', [{ $sort: { s: 1 } }], 292],
    ['$push', [{ $group: { _id: null, l: { $push: '$s' } } }], 146],
    ['$addToSet', [{ $group: { _id: null, l: { $addToSet: '$s' } } }], 146],
    ['$facet', [{ $facet: { a: [{ $match: {} }] } }], 4031700],
    ['$lookup', [{ $limit: 1 }, { $lookup: { from: 'c', pipeline: [], as: 'l' } }], 4568],
    [
      '$lookup in $lookup',
      [
        { $limit: 1 },
        {
          $lookup: {
            from: 'c',
            pipeline: [{ $limit: 1 }, { $lookup: { from: 'c', pipeline: [], as: 'l' } }],
            as: 'l',
          },
        },
      ],
      4568,
    ],
    [
      '$graphLookup',
      [
        { $limit: 1 },
        {
          $graphLookup: {
            from: 'c',
            startWith: { $range: [0, 400] },
            connectFromField: 's',
            connectToField: '_id',
            as: 'reached',
          },
        },
      ],
      40099,
    ],
    ['nested pipelines', nested(5), 232],
    ['a long pipeline', Array.from({ length: 6 }, () => ({ $set: { x: 1 } })), 7749501],
  ];
  for (const [name, stages, code] of REFUSED) {
    it(`${name} beyond the limit is rejected`, async () => {
      expect((await failure(run(stages))).code).to.equal(code);
    });
  }

  it('a sort that would take too much memory uses an index in its order, even if the filter has a narrower one', async () => {
    const many = client.db('d').collection('many');
    await many.insertMany(Array.from({ length: 500 }, (_, i) => ({ i, a: 1, s: 'x'.repeat(200) })));
    await many.createIndexes([{ key: { a: 1 } }, { key: { i: -1 } }]);
    const sorted = await many.find({ a: 1 }).sort({ i: 1 }).toArray();
    expect(sorted.map(({ i }) => i)).to.eql(Array.from({ length: 500 }, (_, i) => i));
    expect((await failure(many.find({ a: 1 }).sort({ s: 1 }).toArray())).code).to.equal(292);
  });

  it('what stays within the limits succeeds', async () => {
    expect(await run([{ $sort: { s: 1 } }, { $limit: 2 }])).to.have.length(2);
    expect(await run([{ $sort: { s: 1 } }], { allowDiskUse: true })).to.have.length(500);
    expect(await run([{ $group: { _id: '$a', l: { $push: '$_id' } } }])).to.have.length(7);
    expect(await run(nested(2))).to.have.length(1500);
  });

  const NEWER: readonly (readonly [string, Document[], number])[] = [
    ['$sortArray', [{ $set: { x: { $sortArray: { input: [1], sortBy: 1 } } } }], 168],
    ['$bitAnd', [{ $set: { x: { $bitAnd: [1, 2] } } }], 168],
    ['limit of $filter', [{ $set: { x: { $filter: { input: [1], cond: true, limit: 1 } } } }], 28647],
    ['$top', [{ $group: { _id: 1, x: { $top: { sortBy: { a: 1 }, output: '$a' } } } }], 15952],
    ['$median', [{ $group: { _id: 1, x: { $median: { input: '$a', method: 'approximate' } } } }], 15952],
    ['$fill', [{ $fill: { output: { a: { value: 1 } } } }], 40324],
    ['$densify', [{ $densify: { field: 'a', range: { step: 1, bounds: 'full' } } }], 40324],
    ['$documents', [{ $unionWith: { pipeline: [{ $documents: [{ a: 1 }] }] } }], 40324],
    ['$tsSecond', [{ $set: { x: { $tsSecond: null } } }], 168],
  ];
  for (const [name, stages, code] of NEWER) {
    it(`${name} is unknown to an engine that emulates 5.0`, async () => {
      expect((await failure(run(stages))).code).to.equal(code);
    });
  }

  it('an engine that emulates 5.0 has the commands of 5.0', async () => {
    const db = client.db('d');
    const key = { '$**': 1, z: 1 };
    const indexes = [{ key, name: 'w', wildcardProjection: { z: 0 } }];
    const clusteredIndex = { key: { _id: 1 }, unique: true };
    const codes: [Document, number][] = [
      [{ drop: 'none' }, 26],
      [{ createIndexes: 'w', indexes }, 67],
      [{ create: 'k', clusteredIndex }, 40415],
      [{ create: 'k', changeStreamPreAndPostImages: { enabled: true } }, 40415],
    ];
    for (const [command, code] of codes)
      expect((await failure(db.command(command))).code, JSON.stringify(command)).to.equal(code);
    expect((await failure(db.aggregate([{ $documents: [{}] }]).toArray())).code).to.equal(40324);
  });

  it('a filter is validated even if the collection does not exist', async () => {
    const missing = client.db('d').collection('none');
    expect((await failure(missing.aggregate([{ $match: { a: { $mod: [0, 0] } } }]).toArray())).code).to.equal(
      2,
    );
  });
});
