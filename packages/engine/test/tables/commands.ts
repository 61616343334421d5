import { type Document, Double } from 'bson';

/** Documents of the collection `one`, a command on it, and the result. */
type Row = [
  title: string,
  documents: readonly Document[],
  command: Document,
  part: (reply: Document) => unknown,
  wanted: unknown,
];

const values = (reply: Document): unknown => reply['values'];
const found = (reply: Document): unknown => reply['cursor'].firstBatch;
const value = (reply: Document): unknown => reply['value'];

const distinct = (key: string): Document => ({ distinct: 'one', key });
const find = (filter: Document, more: Document = {}): Document => ({ find: 'one', filter, ...more });
const aggregate = (...pipeline: Document[]): Document => ({ aggregate: 'one', pipeline, cursor: {} });
const modify = (more: Document): Document => ({ findAndModify: 'one', ...more });

const NESTED = [{ _id: 1, a: [{ b: 1 }, {}, { b: [2, [3]] }] }];
const SORTED = [
  { _id: 1, a: 3, b: 'x' },
  { _id: 2, a: 1, b: 'y' },
];
const CHAIN = [
  { _id: 1, to: 2, x: 5 },
  { _id: 2, to: 3, x: 5 },
  { _id: 3, x: 6 },
];

export const TABLE: readonly Row[] = [
  ['distinct skips missing fields in an array', NESTED, distinct('a.b'), values, [1, 2, [3]]],
  ['distinct at a position of an array', NESTED, distinct('a.0.b'), values, [1]],
  ['distinct skips documents without the field', [{ _id: 1 }], distinct('a'), values, []],
  [
    'a pattern matches strings and itself',
    [
      { _id: 1, r: /^a/ },
      { _id: 2, r: 'abc' },
    ],
    find({ r: /^a/ }, { projection: { _id: 1 }, sort: { _id: 1 } }),
    found,
    [{ _id: 1 }, { _id: 2 }],
  ],
  ['no range contains NaN', [{ _id: 1, a: Number.NaN }], find({ a: { $lt: new Double(1) } }), found, []],
  [
    'the sort key of a find',
    SORTED,
    find({}, { sort: { a: 1 }, projection: { key: { $meta: 'sortKey' } } }),
    found,
    [
      { _id: 2, a: 1, b: 'y', key: [1] },
      { _id: 1, a: 3, b: 'x', key: [3] },
    ],
  ],
  [
    'the sort key of a pipeline',
    SORTED,
    aggregate({ $sort: { b: -1, a: 1 } }, { $set: { n: 1 } }, { $project: { key: { $meta: 'sortKey' } } }),
    found,
    [
      { _id: 2, key: ['y', 1] },
      { _id: 1, key: ['x', 3] },
    ],
  ],
  [
    'the key of an index',
    SORTED,
    find({ _id: 2 }, { hint: { _id: 1 }, projection: { a: 1, key: { $meta: 'indexKey' } } }),
    found,
    [{ _id: 2, a: 1, key: { _id: 2 } }],
  ],
  [
    'the key of an index together with the sort key',
    SORTED,
    find({}, { hint: { _id: 1 }, sort: { a: 1 }, returnKey: true, projection: { k: { $meta: 'sortKey' } } }),
    found,
    [
      { _id: 2, k: [1] },
      { _id: 1, k: [3] },
    ],
  ],
  [
    'recordId is an integer of the collection',
    SORTED,
    aggregate({ $project: { _id: 0, is: { $isNumber: { $meta: 'recordId' } } } }, { $limit: 1 }),
    found,
    [{ is: true }],
  ],
  [
    'restrictSearchWithMatch reads variables of an enclosing $lookup',
    CHAIN,
    aggregate(
      { $match: { _id: { $gt: 1 } } },
      {
        $lookup: {
          from: 'one',
          let: { q: '$x' },
          as: 'l',
          pipeline: [
            { $match: { _id: { $lt: 3 } } },
            {
              $graphLookup: {
                from: 'one',
                startWith: '$to',
                connectFromField: 'to',
                connectToField: '_id',
                as: 'g',
                restrictSearchWithMatch: { $expr: { $eq: ['$x', '$$q'] } },
              },
            },
            { $project: { g: { $map: { input: '$g', in: '$$this._id' } } } },
          ],
        },
      },
      { $project: { l: 1 } },
    ),
    found,
    [
      {
        _id: 2,
        l: [
          { _id: 1, g: [2] },
          { _id: 2, g: [] },
        ],
      },
      {
        _id: 3,
        l: [
          { _id: 1, g: [] },
          { _id: 2, g: [3] },
        ],
      },
    ],
  ],
  [
    'findAndModify returns the element that the old document matched by',
    [{ _id: 1, a: [1, 2] }],
    modify({ query: { a: 2 }, update: { $set: { x: 1 } }, fields: { 'a.$': 1 } }),
    value,
    { _id: 1, a: [2] },
  ],
  [
    'a positional projection selects from the first array of the path',
    [{ _id: 1, a: [{ b: [1, 2] }, { b: [3, 4] }] }],
    find({ 'a.b': 3 }, { projection: { 'a.b.$': 1 } }),
    found,
    [{ _id: 1, a: [{ b: [3, 4] }] }],
  ],
  [
    '$slice enters one array',
    [{ _id: 1, a: [[{ b: [1, 2, 3] }]] }],
    find({}, { projection: { 'a.b': { $slice: 2 } } }),
    found,
    [{ _id: 1, a: [[{ b: [1, 2, 3] }]] }],
  ],
  [
    'grouping by a document of one missing field is grouping by null',
    [{ _id: 1, a: null }, { _id: 2 }],
    aggregate({ $group: { _id: { a: '$a' }, n: { $sum: 1 } } }),
    found,
    [{ _id: { a: null }, n: 2 }],
  ],
  [
    'a variable named CURRENT replaces the document',
    [{ _id: 1, a: 1, o: { a: 2 } }],
    aggregate({ $project: { v: { $let: { vars: { CURRENT: '$o' }, in: '$a' } } } }),
    found,
    [{ _id: 1, v: 2 }],
  ],
];

/** Commands that MongoDB rejects, on one document, and its error codes. */
export const REFUSED: readonly [document: Document, command: Document, code: number][] = [
  [{ a: 1 }, modify({ query: {}, remove: true, upsert: true }), 9],
  [{ a: 1 }, modify({ query: {}, remove: true, new: true }), 9],
  [{ a: 1 }, modify({ query: {}, remove: true, update: { $set: { a: 1 } } }), 9],
  [{ a: 1 }, modify({ query: {}, remove: true, arrayFilters: [] }), 9],
  [
    { a: [1, 2] },
    modify({ query: { a: 2 }, update: { $set: { x: 1 } }, new: true, fields: { 'a.$': 1 } }),
    2,
  ],
  [{ a: [1, 2, 3], b: [1] }, find({ b: 1, a: 3 }, { projection: { 'b.$': 1 } }), 51247],
  [{ a: 1, b: [1] }, find({ a: 1 }, { projection: { 'b.$': 1 } }), 51246],
  [{ a: [1, 2] }, find({ a: 1 }, { projection: { 'a.$.b.$': 1 } }), 31287],
  [{ a: [1, 2] }, find({ a: 1 }, { projection: { 'a.$.': 1 } }), 31270],
  [{ a: 1 }, find({}, { projection: { k: { $meta: 'sortKey' } } }), 2],
  [{ a: 1 }, find({}, { projection: { k: { $meta: 'nope' } } }), 17308],
  [{ a: 1 }, aggregate({ $project: { k: { $meta: 5 } } }), 17307],
  [{ a: 1 }, aggregate({ $project: { k: { $meta: 'textScore' } } }), 40218],
  [{ a: 1 }, aggregate({ $project: { k: { $meta: 'sortKey' } } }), 40218],
  ...(
    [
      [{ from: 5 }, 9],
      [{ from: '' }, 73],
      [{ as: 0 }, 40103],
      [{ as: '$x' }, 16410],
      [{ connectToField: 1 }, 40103],
      [{ depthField: 0 }, 40103],
      [{ maxDepth: 'x' }, 40100],
      [{ maxDepth: -1 }, 40101],
      [{ maxDepth: 2.5 }, 40102],
      [{ restrictSearchWithMatch: 'x' }, 40185],
      [{ restrictSearchWithMatch: { $expr: '$$none' } }, 17276],
      [{ nope: 1 }, 40104],
    ] as const
  ).map(([more, code]): [Document, Document, number] => [
    { a: 1 },
    aggregate({
      $graphLookup: {
        from: 'one',
        startWith: '$a',
        connectFromField: 'a',
        connectToField: 'a',
        as: 'g',
        ...more,
      },
    }),
    code,
  ]),
];
