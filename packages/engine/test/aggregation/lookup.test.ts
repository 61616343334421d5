import type { Document } from 'bson';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  type AggregationContext,
  type FindRequest,
  pushDown,
  runPipeline,
} from '../../src/aggregation/index.js';
import { unpaced } from '../../src/values/pace.js';
import { ALL_SHORTCUTS } from '../../src/values/shortcuts.js';
import { documents } from '../differential/documents.js';
import { inMemory } from '../differential/expected.js';
import { filter } from '../differential/filters.js';
import { normal } from '../differential/normal.js';

const ARTICLES: Document[] = [
  { _id: 1, n: 3, author: 'a1', tags: ['t2', 't1'] },
  { _id: 2, n: 1, author: 'a2', tags: ['t3'] },
  { _id: 3, n: 2, author: null, tags: [] },
  { _id: 4, n: 2, parts: [{ tag: 't1' }, { tag: 't3' }, 7] },
];
const TAGS = ['red', 'blue', 'green'].map((label, i) => ({
  _id: i + 1,
  documentId: `t${i + 1}`,
  label,
  group: i % 2 ? 'g2' : 'g1',
}));
const COLLECTIONS = {
  articles: ARTICLES,
  tags: TAGS,
  authors: [
    { _id: 1, documentId: 'a1', active: true },
    { _id: 2, documentId: 'a2', active: false },
    { _id: 3 },
  ],
  groups: [
    { _id: 'g1', title: 'G1' },
    { _id: 'g2', title: 'G2' },
  ],
};

/** Runs a pipeline and records its queries of other collections. */
function run(stages: Document[]): { result: Document[]; requests: (FindRequest & { name: string })[] } {
  const memory = inMemory(COLLECTIONS);
  const requests: (FindRequest & { name: string })[] = [];
  const context: AggregationContext = {
    shortcuts: ALL_SHORTCUTS,
    collection: (name) => ({
      find: (request) => {
        requests.push({ name, ...request });
        return memory.collection(name).find(request);
      },
    }),
  };
  return { result: [...unpaced(runPipeline(ARTICLES, stages, context))], requests };
}

const labels = (result: Document[], field = 'r'): unknown[] =>
  result.map((row) => row[field].map((item: Document) => item['label'] ?? item['_id']));

describe('embedded/aggregation: $lookup', () => {
  it('joins by equality, arrays by their elements, null with missing fields', () => {
    expect(
      labels(
        run([{ $lookup: { from: 'tags', localField: 'tags', foreignField: 'documentId', as: 'r' } }]).result,
      ),
    ).to.deep.equal([['red', 'blue'], ['green'], [], []]);
    expect(
      labels(
        run([{ $lookup: { from: 'authors', localField: 'author', foreignField: 'documentId', as: 'r' } }])
          .result,
      ),
    ).to.deep.equal([[1], [2], [3], [3]]);
    expect(
      labels(
        run([{ $lookup: { from: 'tags', localField: 'parts.tag', foreignField: 'documentId', as: 'r' } }])
          .result,
      )[3],
    ).to.deep.equal(['red', 'green']);
  });

  it('sends one query for many parents, and one for what their joined documents join', () => {
    const { result, requests } = run([
      {
        $lookup: {
          from: 'tags',
          localField: 'tags',
          foreignField: 'documentId',
          pipeline: [
            { $match: { label: { $ne: 'green' } } },
            { $sort: { label: 1 } },
            { $lookup: { from: 'groups', localField: 'group', foreignField: '_id', as: 'g' } },
            { $project: { label: 1, 'g.title': 1 } },
          ],
          as: 'r',
        },
      },
    ]);
    expect(labels(result)).to.deep.equal([['blue', 'red'], [], [], []]);
    expect(result[0]?.['r'][0]).to.deep.equal({ _id: 2, label: 'blue', g: [{ title: 'G2' }] });
    expect(requests.map(({ name }) => name)).to.deep.equal(['tags', 'groups']);
  });

  it('applies limits to each parent separately', () => {
    const pipeline = [{ $sort: { label: 1 } }, { $limit: 1 }];
    const { result } = run([
      { $lookup: { from: 'tags', localField: 'tags', foreignField: 'documentId', pipeline, as: 'r' } },
    ]);
    expect(labels(result)).to.deep.equal([['blue'], ['green'], [], []]);
  });

  it('derives an index condition from $expr over let, and sends one query for equal variables', () => {
    const { result, requests } = run([
      {
        $lookup: {
          from: 'tags',
          let: { n: '$n' },
          pipeline: [{ $match: { $expr: { $eq: ['$_id', '$$n'] }, label: { $exists: true } } }],
          as: 'r',
        },
      },
    ]);
    expect(labels(result)).to.deep.equal([['green'], ['red'], ['blue'], ['blue']]);
    expect(requests).to.have.length(3);
    expect(requests[0]?.filter).to.deep.equal({ $and: [{ label: { $exists: true } }, { _id: { $eq: 3 } }] });
  });

  it('sees variables of enclosing levels', () => {
    const inner = {
      $lookup: {
        from: 'groups',
        let: { g: '$group' },
        pipeline: [{ $match: { $expr: { $eq: ['$_id', '$$g'] } } }, { $set: { outer: '$$n' } }],
        as: 'g',
      },
    };
    const { result } = run([
      {
        $lookup: {
          from: 'tags',
          let: { n: '$n', ids: '$tags' },
          pipeline: [{ $match: { $expr: { $in: ['$documentId', { $ifNull: ['$$ids', []] }] } } }, inner],
          as: 'r',
        },
      },
    ]);
    expect(result[0]?.['r'].map((tag: Document) => tag['g'][0].outer)).to.deep.equal([3, 3]);
  });

  it('$graphLookup follows links and counts depth', () => {
    const memory = inMemory({
      tree: [
        { _id: 1, p: null },
        { _id: 2, p: 1 },
        { _id: 3, p: 2 },
      ],
    });
    const stage = {
      $graphLookup: {
        from: 'tree',
        startWith: '$_id',
        connectFromField: '_id',
        connectToField: 'p',
        as: 'k',
        depthField: 'd',
      },
    };
    const [row] = [...unpaced(runPipeline([{ _id: 1 }], [stage], memory))];
    expect(row?.['k'].map((kid: Document) => [kid['_id'], Number(kid['d'])])).to.deep.equal([
      [2, 0],
      [3, 1],
    ]);
  });

  it('returns the same batched and for each parent, for any values', () => {
    fc.assert(
      fc.property(documents, documents, filter, (parents, children, matching) => {
        const context = inMemory({ children });
        const stage = (rest: Document): Document => ({
          $lookup: { from: 'children', localField: 'a.x', foreignField: 'b', ...rest, as: 'r' },
        });
        const pipeline = [{ $match: matching }, { $set: { k: '$s' } }];
        const batched = [...unpaced(runPipeline(parents, [stage({ pipeline })], context))];
        // A variable makes each parent send its own query.
        const apart = [...unpaced(runPipeline(parents, [stage({ let: { id: '$_id' }, pipeline })], context))];
        expect(normal(batched)).to.equal(normal(apart));
      }),
      { numRuns: 300 },
    );
  });
});

describe('embedded/aggregation: pushDown', () => {
  const TABLE: readonly [stages: Document[], pushed: Document][] = [
    [
      [{ $match: { a: 1 } }, { $match: { b: 1 } }, { $sort: { c: 1 } }, { $skip: 2 }, { $limit: 3 }],
      { filter: { $and: [{ a: 1 }, { b: 1 }] }, sort: { c: 1 }, skip: 2, limit: 3, left: 0 },
    ],
    [
      [{ $sort: { c: 1 } }, { $match: { a: 1 } }, { $limit: 3 }, { $skip: 1 }],
      { filter: { a: 1 }, sort: { c: 1 }, skip: 1, limit: 2, left: 0 },
    ],
    [[{ $limit: 3 }, { $match: { a: 1 } }], { filter: {}, limit: 3, left: 1 }],
    [[{ $limit: 1 }, { $skip: 1 }], { filter: {}, left: 2 }],
    [[{ $limit: 0 }], { filter: {}, left: 1 }],
    [[{ $group: { _id: '$a' } }], { filter: {}, left: 1, fields: ['_id', 'a'] }],
    [
      [{ $match: { x: 1 } }, { $project: { 'a.b': 1, c: '$d.e' } }],
      { filter: { x: 1 }, left: 1, fields: ['_id', 'a', 'd'] },
    ],
    [[{ $set: { q: '$$ROOT' } }, { $project: { a: 1 } }], { filter: {}, left: 2 }],
    [[{ $project: { a: 0 } }], { filter: {}, left: 1 }],
  ];
  for (const [stages, pushed] of TABLE) {
    it(JSON.stringify(stages), () => {
      const { rest, fields, ...request } = pushDown(stages, ALL_SHORTCUTS);
      const got = {
        ...request,
        left: rest.length,
        ...(fields === undefined ? {} : { fields: [...fields].sort() }),
      };
      expect(JSON.parse(JSON.stringify(got))).to.deep.equal(pushed);
    });
  }
});
