/** Loops over many rows or elements check their operation on the way, and stages yield to others. */

import { expect } from 'chai';
import type { Document } from 'mongodb';
import { STAGE_NAMES } from '../src/aggregation/compile-pipeline.js';
import type { AggregationContext } from '../src/aggregation/context.js';
import { runPipeline } from '../src/aggregation/index.js';
import { ACCUMULATED } from '../src/expressions/accumulated.js';
import { ARRAYS } from '../src/expressions/arrays.js';
import { ITERATION } from '../src/expressions/iteration.js';
import { SETS } from '../src/expressions/sets.js';
import { compileFilter } from '../src/matching/index.js';
import { ByteWriter } from '../src/storage/byte-writer.js';
import { encodePaced } from '../src/storage/encode.js';
import { decodeDocument } from '../src/values/index.js';
import { DEFAULT_LIMITS } from '../src/values/limits.js';
import { gather, type Paced } from '../src/values/pace.js';
import { ALL_SHORTCUTS } from '../src/values/shortcuts.js';
import { NEWEST_VERSION, STEPS, type Work, within } from '../src/values/work.js';

const COUNT = 1600;
const rows = (): Document[] =>
  Array.from({ length: COUNT }, (_, i) => ({ _id: i, a: i % 7, b: COUNT - i, list: [i] }));

interface Seen {
  /** How often the operation was checked. */
  readonly looks: number;
  /** How often others could run. */
  readonly pauses: number;
}

/** Runs work with a clock on which every check takes a whole turn. */
function run(work: Paced<unknown>): Seen {
  let looks = 0;
  let pauses = 0;
  const by: Work = {
    limits: DEFAULT_LIMITS,
    version: NEWEST_VERSION,
    allowDiskUse: true,
    onlyReads: true,
    check: () => {
      looks += 1;
    },
  };
  const { now } = performance;
  let time = 0;
  performance.now = () => {
    time += 10;
    return time;
  };
  try {
    while (!within(by, () => work.next()).done) pauses += 1;
  } finally {
    performance.now = now;
  }
  return { looks, pauses };
}

const context: AggregationContext = {
  shortcuts: ALL_SHORTCUTS,
  collection: () => ({
    find: ({ filter }) => rows().filter(compileFilter(filter)),
    isUniqueOn: () => true,
    insertMany: () => undefined,
    replaceOne: () => undefined,
    replaceAll: () => undefined,
  }),
};

const pipeline = (stages: readonly Document[], source = rows()): Seen =>
  run(gather(runPipeline(source, stages, context)));

const LIST = { $range: [0, COUNT] };
const join = (more: Document): Document => ({ $lookup: { from: 'other', as: 'found', ...more } });

/** Each stage over many rows. */
const STAGES: Readonly<Record<string, readonly (readonly Document[])[]>> = {
  $match: [[{ $match: { b: { $gt: 1 } } }], [{ $match: { $expr: { $gt: ['$b', 1] } } }]],
  $lookup: [
    [join({ localField: 'a', foreignField: '_id' })],
    [join({ localField: '_id', foreignField: 'b', pipeline: [{ $sort: { b: 1 } }, { $limit: 1 }] })],
    [{ $limit: 8 }, join({ let: { a: '$a' }, pipeline: [{ $match: { $expr: { $ne: ['$_id', '$$a'] } } }] })],
  ],
  $unwind: [[{ $unwind: '$list' }], [{ $limit: 1 }, { $set: { list: LIST } }, { $unwind: '$list' }]],
  $bucket: [[{ $bucket: { groupBy: '$_id', boundaries: [0, 10, COUNT] } }]],
  $facet: [[{ $facet: { all: [{ $group: { _id: '$a' } }] } }]],
  $unionWith: [[{ $limit: 1 }, { $unionWith: { coll: 'other', pipeline: [{ $set: { x: 1 } }] } }]],
  $graphLookup: [
    [
      { $limit: 1 },
      {
        $graphLookup: {
          from: 'other',
          startWith: LIST,
          connectFromField: 'b',
          connectToField: '_id',
          as: 'found',
          maxDepth: 1,
        },
      },
    ],
  ],
  $documents: [[{ $documents: { $map: { input: LIST, in: { a: '$$this' } } } }, { $set: { b: 1 } }]],
  $group: [[{ $group: { _id: '$_id', all: { $push: '$b' } } }], [{ $group: { _id: null, n: { $sum: 1 } } }]],
  $sortByCount: [[{ $sortByCount: '$_id' }]],
  $count: [[{ $count: 'n' }]],
  $sort: [[{ $sort: { b: 1 } }], [{ $sort: { b: 1 } }, { $limit: 5 }]],
  $limit: [[{ $set: { x: 1 } }, { $limit: COUNT }]],
  $skip: [[{ $set: { x: 1 } }, { $skip: COUNT - 1 }]],
  $sample: [[{ $sample: { size: 5 } }]],
  $project: [[{ $project: { b: 1 } }]],
  $addFields: [[{ $addFields: { x: 1 } }]],
  $set: [[{ $set: { x: 1 } }]],
  $unset: [[{ $unset: 'a' }]],
  $replaceRoot: [[{ $replaceRoot: { newRoot: { x: '$a' } } }]],
  $replaceWith: [[{ $replaceWith: { x: '$a' } }]],
  $redact: [[{ $redact: '$$KEEP' }]],
  $out: [[{ $set: { x: 1 } }, { $out: 'there' }]],
  $merge: [[{ $set: { x: 1 } }, { $merge: { into: 'there' } }]],
};

/** They write in one commit, which nothing may interrupt. */
const AT_ONCE = ['$out', '$merge'];

/** Each operator over an array of many values, if it iterates over them. */
const BACKWARDS = { $reverseArray: '$list' };
const OVER: Readonly<Record<string, Document>> = {
  $map: { $map: { input: '$list', in: 1 } },
  $filter: { $filter: { input: '$list', cond: false } },
  $reduce: { $reduce: { input: '$list', initialValue: 0, in: 1 } },
  $concatArrays: { $concatArrays: ['$list', '$list'] },
  $range: { $range: [0, { $size: '$list' }] },
  $indexOfArray: { $indexOfArray: ['$list', -1] },
  $zip: { $zip: { inputs: ['$list', '$list'] } },
  $sortArray: { $sortArray: { input: BACKWARDS, sortBy: 1 } },
  $minN: { $minN: { input: '$list', n: 1 } },
  $maxN: { $maxN: { input: '$list', n: 1 } },
  $setUnion: { $setUnion: ['$list', '$list'] },
  $setIntersection: { $setIntersection: ['$list', '$list'] },
  $setDifference: { $setDifference: ['$list', []] },
  $setEquals: { $setEquals: ['$list', '$list'] },
  $setIsSubset: { $setIsSubset: ['$list', '$list'] },
  $anyElementTrue: { $anyElementTrue: ['$no'] },
  $allElementsTrue: { $allElementsTrue: ['$list'] },
  $sum: { $sum: '$list' },
  $avg: { $avg: '$list' },
  $min: { $min: '$list' },
  $max: { $max: '$list' },
  $stdDevPop: { $stdDevPop: '$list' },
  $stdDevSamp: { $stdDevSamp: '$list' },
  $percentile: { $percentile: { input: '$list', p: [0.5], method: 'approximate' } },
  $median: { $median: { input: '$list', method: 'approximate' } },
  $in: { $in: [-1, '$list'] },
  $arrayToObject: { $arrayToObject: '$pairs' },
};
/** They take an array as it is, a part of it or a copy at once. */
const IN_ONE_GO = [
  '$arrayElemAt',
  '$first',
  '$last',
  '$size',
  '$isArray',
  '$slice',
  '$reverseArray',
  '$firstN',
  '$lastN',
  '$let',
];

const many = Array.from({ length: COUNT }, (_, i) => i + 1);
const one = (): Document[] => [
  {
    list: many,
    no: many.map(() => false),
    pairs: many.map((i) => [`k${i}`, i]),
    docs: many.map((i) => ({ i })),
  },
];
const ENOUGH = Math.floor(COUNT / STEPS);

describe('embedded engine: checks of the operation', () => {
  it('each stage and each operator over arrays has its row', () => {
    expect(Object.keys(STAGES).sort()).to.deep.equal([...STAGE_NAMES].sort());
    const names = [ARRAYS, SETS, ITERATION, ACCUMULATED].flatMap((operators) => Object.keys(operators));
    const rowed = [...Object.keys(OVER), ...IN_ONE_GO];
    expect(names.filter((name) => !rowed.includes(name))).to.deep.equal([]);
  });

  for (const [name, pipelines] of Object.entries(STAGES))
    it(`${name} checks it every few rows and yields`, () => {
      for (const [i, stages] of pipelines.entries()) {
        const { looks, pauses } = pipeline(stages);
        expect(looks, `${i}: looks`).to.be.at.least(ENOUGH);
        if (!AT_ONCE.includes(name)) expect(pauses, `${i}: pauses`).to.be.at.least(ENOUGH / 4);
      }
    });

  for (const [name, expression] of Object.entries(OVER))
    it(`${name} checks it every few elements`, () => {
      const { looks } = pipeline([{ $project: { x: { $type: expression } } }], one());
      expect(looks).to.be.at.least(ENOUGH);
    });

  const TESTS: Readonly<Record<string, Document>> = {
    'a value in a list': { list: -1 },
    'a path through documents': { 'docs.i': -1 },
    'a position in a list': { 'docs.0.i': -1 },
    $elemMatch: { docs: { $elemMatch: { i: -1 } } },
    '$elemMatch of values': { list: { $elemMatch: { $lt: 0 } } },
    'a whole list': { list: { $eq: [...many] } },
  };
  for (const [name, filter] of Object.entries(TESTS))
    it(`a filter checks it every few elements: ${name}`, () => {
      expect(pipeline([{ $match: filter }], one()).looks).to.be.at.least(ENOUGH);
    });

  it('a row with a long list is written in turns, to the same bytes', () => {
    const [document = {}] = one();
    let bytes: Buffer = Buffer.alloc(0);
    const write = function* (): Paced<void> {
      bytes = yield* encodePaced(new ByteWriter(1e9), document);
    };
    const { looks, pauses } = run(write());
    expect(decodeDocument(bytes)).to.deep.equal(document);
    expect(looks).to.be.at.least(ENOUGH);
    expect(pauses).to.be.at.least(ENOUGH / 4);
  });
});
