/** Pages gathered in one document, whose rows stay bytes, have the same results as with decoded rows. */
import { expect } from 'chai';
import type { Document } from 'mongodb';
import { gatheredRows } from '../../src/embedded/aggregation/index.js';
import { openEngine, type TestEngine } from './support.js';

const ROWS = Array.from({ length: 70 }, (_, n) => ({
  _id: n as never,
  n,
  tag: `t${n % 3}`,
  tags: [`t${n % 4}`, 't1', null],
  parts: [{ tag: `t${n % 5}`, hidden: 'x' }, { tag: 't0' }],
  at: new Date(n * 1000),
  constructor: 'own',
  hidden: 'x',
}));
const TAGS = ['t0', 't1', 't2', 't3', null].map((name, n) => ({ _id: n as never, name, group: `g${n % 2}` }));

const SHOW = { $project: { _id: 0, n: 1, tag: 1, tags: 1, 'parts.tag': 1, at: 1, constructor: 1 } };
const GATHER = { $group: { _id: null, rows: { $push: '$$ROOT' } } };
const each = (body: unknown, as = 'row') => ({ $map: { input: '$rows', as, in: body } });
const flat = (lists: unknown) => ({
  $reduce: { input: lists, initialValue: [], in: { $concatArrays: ['$$value', '$$this'] } },
});
const found = (by: unknown, more: Document = {}): Document[] => [
  { $set: { found: { $setDifference: [by, [null]] } } },
  { $lookup: { from: 'tags', localField: 'found', foreignField: 'name', as: 'found', ...more } },
];
const named = { $project: { _id: 0, name: 1 } };

const lookedUp = (localField: string): Document => ({
  $lookup: { from: 'tags', localField, foreignField: 'name', as: 'f', pipeline: [named] },
});

/** What follows the page, and the fields of its rows that are read. */
const GATHERED: readonly (readonly [string, Document[], string[]])[] = [
  ['nothing', [], []],
  ['a field', found(each('$$row.tag')), ['tag']],
  ['a list', found(flat(each({ $ifNull: ['$$row.tags', []] }))), ['tags']],
  ['a path through a list', found(flat(each('$$row.parts.tag'))), ['parts']],
  ['a name that every object has', found(each('$$row.constructor')), ['constructor']],
  ['a lookup with a pipeline', found(each('$$row.tag'), { pipeline: [named] }), ['tag']],
  ['a lookup of missing values', found(each('$$row.missing'), { pipeline: [named] }), ['missing']],
  [
    'two lookups',
    [
      ...found(each('$$row.tag')),
      { $set: { groups: { $map: { input: '$found', as: 'row', in: '$$row.group' } } } },
      { $lookup: { from: 'tags', localField: 'groups', foreignField: 'group', as: 'groups' } },
    ],
    ['tag'],
  ],
  [
    'a lookup by variables',
    [
      { $set: { tags: each('$$row.tag') } },
      {
        $lookup: {
          from: 'tags',
          let: { tags: '$tags' },
          pipeline: [{ $match: { $expr: { $in: ['$name', '$$tags'] } } }],
          as: 'found',
        },
      },
    ],
    ['tag'],
  ],
  ['the path of a lookup', [lookedUp('rows.tag')], ['tag']],
  ['the path of a lookup to lists', [lookedUp('rows.tags')], ['tags']],
  ['the path of a lookup through lists', [lookedUp('rows.parts.tag')], ['parts']],
  ['the path of a lookup to what is not shown', [lookedUp('rows.hidden')], ['hidden']],
  ['the path of a lookup to hidden members', [lookedUp('rows.parts.hidden')], ['parts']],
  ['a text that looks like a path', [{ $set: { text: { $literal: '$rows' } } }], []],
];

const DECODED: readonly (readonly [string, Document[]])[] = [
  ['whole rows', [{ $set: { first: { $first: '$rows' } } }]],
  ['whole rows by a variable', [{ $set: { same: each('$$row') } }]],
  ['whole rows as the root', [{ $set: { same: each('$$ROOT.rows.n') } }]],
  ['a path of rows', [{ $set: { tags: '$rows.tag' } }]],
  ['a field by its name', [{ $set: { rest: { $size: { $getField: 'rows' } } } }]],
  ['rows as what paths are read from', [{ $set: { tags: each('$tag', 'CURRENT') } }]],
  ['rows without a name', [{ $set: { tags: { $map: { input: '$rows', in: '$$this.tag' } } } }]],
  ['rows that change', [{ $set: { 'rows.more': 1 } }]],
  ['rows that a lookup reads', [lookedUp('rows')]],
  ['a row by its place', [lookedUp('rows.1.tag')]],
  [
    'rows that a lookup replaces',
    [{ $lookup: { from: 'tags', localField: 'n', foreignField: 'name', as: 'rows.found' } }],
  ],
  [
    'rows that a variable holds',
    [
      {
        $lookup: {
          from: 'tags',
          let: { all: '$rows' },
          pipeline: [{ $set: { n: { $size: '$$all' } } }],
          as: 'f',
        },
      },
    ],
  ],
  ['another stage', [{ $unwind: '$rows' }]],
];

describe('embedded engine: a page gathered in one document', () => {
  let engine: TestEngine;
  before(async () => {
    engine = await openEngine();
    await engine.db.collection<Document>('rows').insertMany(ROWS);
    await engine.db.collection<Document>('tags').insertMany(TAGS);
    await engine.db.collection('tags').createIndex({ name: 1 });
  });
  after(() => engine.close());

  const PAGE = [{ $sort: { _id: 1 } }, { $limit: 66 }];
  const answer = async (stages: Document[]) => {
    const [row] = await engine.db.collection('rows').aggregate(stages, { raw: true }).toArray();
    return Buffer.from(row as unknown as Uint8Array).toString('latin1');
  };
  const isSame = async (stages: Document[]) => {
    // Between the two stages, another one makes the rows be decoded.
    const decoded = await answer([...PAGE, SHOW, { $match: {} }, GATHER, ...stages]);
    expect((await answer([...PAGE, SHOW, GATHER, ...stages])) === decoded).to.equal(true);
  };

  for (const [name, stages, fields] of GATHERED)
    it(`keeps rows as bytes: ${name}`, async () => {
      expect([...(gatheredRows([SHOW, GATHER, ...stages])?.fields ?? ['none'])]).to.have.members(fields);
      await isSame(stages);
    });

  for (const [name, stages] of DECODED)
    it(`decodes rows: ${name}`, async () => {
      expect(gatheredRows([SHOW, GATHER, ...stages])).to.equal(undefined);
      await isSame(stages);
    });

  it('decodes rows that are computed, or grouped in another way', async () => {
    const others = [
      { _id: '$tag', rows: { $push: '$$ROOT' } },
      { _id: null, rows: { $push: '$tag' } },
      { _id: null, rows: { $push: '$$ROOT' }, n: { $sum: 1 } },
      { _id: null, rows: { $addToSet: '$$ROOT' } },
    ];
    for (const group of others) expect(gatheredRows([SHOW, { $group: group }])).to.equal(undefined);
    const computed = await answer([...PAGE, { $project: { m: { $add: ['$n', 1] } } }, GATHER]);
    expect(computed).to.equal(
      await answer([...PAGE, { $project: { m: { $add: ['$n', 1] } } }, { $match: {} }, GATHER]),
    );
  });
});
