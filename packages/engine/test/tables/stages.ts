import type { Document } from 'bson';

type Row = [title: string, collection: 'numbers' | 'items', stages: Document[], result: unknown[]];

export const TABLE: readonly Row[] = [
  [
    '$match, $sort, $skip, $limit',
    'numbers',
    [
      { $match: { v: { $gt: 10 } } },
      { $sort: { v: -1 } },
      { $skip: 1 },
      { $limit: 2 },
      { $project: { v: 1 } },
    ],
    [
      { _id: 5, v: 50 },
      { _id: 4, v: 40 },
    ],
  ],
  ['$limit before $skip', 'numbers', [{ $limit: 3 }, { $skip: 2 }, { $project: { _id: 1 } }], [{ _id: 3 }]],
  [
    'a window after $set',
    'numbers',
    [{ $sort: { _id: -1 } }, { $set: { w: 1 } }, { $limit: 1 }],
    [{ _id: 6, v: 60, g: 'even', w: 1 }],
  ],
  ['$set of nothing', 'items', [{ $match: { _id: 4 } }, { $set: {} }], [{ _id: 4 }]],
  [
    '$unwind',
    'items',
    [{ $unwind: '$tags' }, { $project: { tags: 1 } }],
    [
      { _id: 1, tags: 'a' },
      { _id: 1, tags: 'b' },
      { _id: 3, tags: 'x' },
    ],
  ],
  [
    '$unwind that preserves',
    'items',
    [
      { $unwind: { path: '$tags', preserveNullAndEmptyArrays: true, includeArrayIndex: 'i' } },
      { $match: { i: null } },
      { $project: { _id: 1 } },
    ],
    [{ _id: 2 }, { _id: 3 }, { _id: 4 }],
  ],
  [
    '$group',
    'numbers',
    [
      {
        $group: {
          _id: '$g',
          s: { $sum: '$v' },
          a: { $avg: '$v' },
          f: { $first: '$_id' },
          l: { $last: '$_id' },
          p: { $push: '$_id' },
          c: { $count: {} },
        },
      },
      { $sort: { _id: 1 } },
    ],
    [
      { _id: 'even', s: 120, a: 40, f: 2, l: 6, p: [2, 4, 6], c: 3 },
      { _id: 'odd', s: 90, a: 30, f: 1, l: 5, p: [1, 3, 5], c: 3 },
    ],
  ],
  [
    '$group by a missing field is null',
    'items',
    [{ $group: { _id: '$none', n: { $sum: 1 } } }],
    [{ _id: null, n: 4 }],
  ],
  [
    '$group by a document of one field turns missing into null',
    'items',
    [{ $group: { _id: { x: '$none' }, n: { $sum: 1 } } }],
    [{ _id: { x: null }, n: 4 }],
  ],
  [
    '$group by a document of two omits missing fields',
    'items',
    [{ $group: { _id: { x: '$none', y: null }, n: { $sum: 1 } } }],
    [{ _id: { y: null }, n: 4 }],
  ],
  [
    '$top, $bottomN, $maxN',
    'numbers',
    [
      {
        $group: {
          _id: null,
          t: { $top: { output: '$_id', sortBy: { v: -1 } } },
          b: { $bottomN: { n: 2, output: '$_id', sortBy: { v: 1 } } },
          m: { $maxN: { n: 2, input: '$v' } },
        },
      },
    ],
    [{ _id: null, t: 6, b: [5, 6], m: [60, 50] }],
  ],
  ['$count of nothing is nothing', 'numbers', [{ $match: { v: 0 } }, { $count: 'n' }], []],
  [
    '$sortByCount',
    'numbers',
    [{ $match: { _id: { $lt: 4 } } }, { $sortByCount: '$g' }],
    [
      { _id: 'odd', count: 2 },
      { _id: 'even', count: 1 },
    ],
  ],
  [
    '$bucket',
    'numbers',
    [{ $bucket: { groupBy: '$v', boundaries: [0, 30, 50], default: 'more' } }],
    [
      { _id: 0, count: 2 },
      { _id: 30, count: 2 },
      { _id: 'more', count: 2 },
    ],
  ],
  [
    '$facet',
    'numbers',
    [
      {
        $facet: {
          rows: [{ $limit: 1 }, { $project: { _id: 1 } }],
          total: [{ $count: 'c' }],
          none: [{ $match: { v: 0 } }],
        },
      },
    ],
    [{ rows: [{ _id: 1 }], total: [{ c: 6 }], none: [] }],
  ],
  [
    '$project nested in arrays',
    'items',
    [{ $match: { _id: 1 } }, { $project: { 'p.q': 1, n: { $size: '$tags' } } }],
    [{ _id: 1, p: { q: [1, 2] }, n: 2 }],
  ],
  [
    '$set nested, $unset',
    'items',
    [{ $match: { _id: 2 } }, { $set: { 'p.r': 1, s: '$$REMOVE' } }, { $unset: 'tags' }],
    [{ _id: 2, p: { r: 1 } }],
  ],
  ['$replaceRoot', 'items', [{ $match: { _id: 1 } }, { $replaceRoot: { newRoot: '$p' } }], [{ q: [1, 2] }]],
  [
    '$redact',
    'items',
    [{ $match: { _id: 1 } }, { $redact: { $cond: [{ $ifNull: ['$q', false] }, '$$PRUNE', '$$DESCEND'] } }],
    [{ _id: 1, tags: ['a', 'b'] }],
  ],
  [
    '$unionWith',
    'numbers',
    [{ $match: { _id: 1 } }, { $unionWith: { coll: 'items', pipeline: [{ $match: { _id: 4 } }] } }],
    [{ _id: 1, v: 10, g: 'odd' }, { _id: 4 }],
  ],
  [
    '$documents',
    'numbers',
    [{ $match: { _id: 1 } }, { $unionWith: { pipeline: [{ $documents: [{ a: 1 }] }] } }, { $skip: 1 }],
    [{ a: 1 }],
  ],
];
