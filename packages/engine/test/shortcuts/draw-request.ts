import { type Document, Int32 } from 'mongodb';
import type { Random } from '../support/random.js';
import { chance } from './draw-data.js';
import { drawFilter, drawPath, drawPattern, drawValue, OF_NOTHING, type Seen } from './draw-filter.js';

/** A read, and how its results are compared. */
export interface Request {
  readonly command: Document;
  /** Whether the order of the results is defined. */
  readonly ordered: boolean;
  /** Whether any of several equal values may stand for them, such as 1 and 1.0. */
  readonly byValue: boolean;
}

const PROJECTIONS: readonly Document[] = [
  { _id: 1 },
  { a: 1 },
  { a: 1, _id: 0 },
  { b: 1, a: 1, _id: 0 },
  { 'o.x': 1, _id: 0 },
  { 'o.x': 1, 'a.x': 1, c: 1 },
  { a: 0 },
  { 'o.x': 0 },
  { z: '$a', b: 1 },
];

/** An order in which no two documents are equal. */
const wholeSort = (random: Random): Document => {
  const direction = () => random.pick([1, -1]);
  const path = drawPath(random);
  const first = chance(random, 0.25) || path === '_id' ? {} : { [path]: direction() };
  const second = chance(random, 0.15) ? { [random.pick(['b', 'c'])]: direction() } : {};
  return { ...first, ...second, _id: direction() };
};

interface Window {
  readonly skip?: number;
  readonly limit?: number;
}

const drawWindow = (random: Random): Window => ({
  ...(chance(random, 0.4) ? { skip: random.pick([0, 1, 3, 20, 400]) } : {}),
  ...(chance(random, 0.7) ? { limit: random.pick([1, 2, 7, 25, 100]) } : {}),
});

/** Texts without their case, for some requests. */
const drawCollation = (random: Random): Document =>
  chance(random, 0.04) ? { collation: { locale: 'en', strength: 2 } } : {};

function drawFind(random: Random, seen: Seen): Request {
  const ordered = chance(random, 0.6);
  const partial = !ordered && chance(random, 0.3);
  const sort = ordered ? { sort: wholeSort(random) } : partial ? { sort: { [drawPath(random)]: 1 } } : {};
  const command = {
    find: 'c',
    filter: drawFilter(random, seen),
    ...sort,
    ...(ordered ? drawWindow(random) : {}),
    ...(chance(random, 0.4) ? { projection: random.pick(PROJECTIONS) } : {}),
    ...drawCollation(random),
  };
  return { command, ordered, byValue: false };
}

/** A find that an index on its path can answer alone. */
function drawCovered(random: Random, seen: Seen): Request {
  const path = drawPath(random);
  const filter = { [path]: { $gte: drawValue(random, seen, path) ?? null } };
  const clauses = chance(random, 0.3) ? { $and: [filter, drawFilter(random, seen)] } : filter;
  const projection = { [path]: 1, ...(path === '_id' || chance(random, 0.3) ? {} : { _id: 0 }) };
  return { command: { find: 'c', filter: clauses, projection }, ordered: false, byValue: false };
}

/** What looks at no field: the first request of some collections, when nothing is known about any. */
export const drawOfNothing = (random: Random): Request => ({
  command: { find: 'c', filter: random.pick(OF_NOTHING) },
  ordered: false,
  byValue: false,
});

/** What is scanned again and again, by a path that often has no index: also what looks at no path. */
function drawScanned(random: Random, seen: Seen): Request {
  const path = drawPath(random);
  const filter = chance(random, 0.4) ? { [path]: drawPattern(random, seen, path) } : drawFilter(random, seen);
  return random.pick<() => Request>([
    () => ({ command: { find: 'c', filter }, ordered: false, byValue: false }),
    () => ({ command: { count: 'c', query: filter }, ordered: true, byValue: false }),
    () => pipeline([{ $match: filter }, { $sort: wholeSort(random) }, { $limit: 30 }], true),
  ])();
}

/** What an index serves alone, by the two fields that have one in most collections, and unions of such parts. */
function drawIndexed(random: Random, seen: Seen): Request {
  const path = random.pick(['_id', '_id', 'u', drawPath(random)]);
  const from = { [path]: { [random.pick(['$gte', '$lt'])]: drawValue(random, seen, path) ?? null } };
  const both = [path, random.pick(['_id', 'a'])].map((one) => ({ [one]: drawValue(random, seen, one) ?? 1 }));
  const direction = random.pick([1, -1]);
  const sort = path === '_id' ? { _id: direction } : { [path]: direction, _id: direction };
  return random.pick<() => Request>([
    () => ({ command: { count: 'c', query: from, ...drawWindow(random) }, ordered: true, byValue: false }),
    () => ({ command: { find: 'c', filter: { $or: both } }, ordered: false, byValue: false }),
    () => ({
      command: { find: 'c', filter: from, sort, skip: random.below(9), limit: 20 },
      ordered: true,
      byValue: false,
    }),
    () => pipeline([{ $match: from }, { $sort: sort }, { $skip: 1 + random.below(9) }], true),
    () => pipeline([{ $match: { $or: [...both, from] } }, { $sort: { _id: 1 } }, { $limit: 30 }], true),
  ])();
}

const drawCount = (random: Random, seen: Seen): Request => ({
  command: {
    count: 'c',
    query: drawFilter(random, seen),
    ...(chance(random, 0.2) ? drawWindow(random) : {}),
    ...drawCollation(random),
  },
  ordered: true,
  byValue: false,
});

const drawDistinct = (random: Random, seen: Seen): Request => ({
  command: {
    distinct: 'c',
    key: drawPath(random),
    query: chance(random, 0.5) ? {} : drawFilter(random, seen),
  },
  ordered: false,
  byValue: true,
});

const pipeline = (stages: readonly Document[], ordered: boolean, byValue = false): Request => ({
  command: { aggregate: 'c', pipeline: stages, cursor: {} },
  ordered,
  byValue,
});

const matching = (random: Random, seen: Seen): Document[] =>
  chance(random, 0.7) ? [{ $match: drawFilter(random, seen) }] : [];

/** Skips and limits in any order. */
const windowStages = (random: Random): Document[] => {
  const skip = { $skip: random.pick([1, 3, 20]) };
  const limit = { $limit: random.pick([2, 7, 25, 100]) };
  return random.pick([[skip], [limit], [skip, limit], [limit, skip], [limit, skip, { $limit: 3 }], []]);
};

const PAGE = 40;

function drawGroup(random: Random, seen: Seen): Request {
  const path = `$${drawPath(random)}`;
  const group = random.pick<Document>([
    { _id: path },
    { _id: path },
    { _id: path, n: { $sum: 1 } },
    { _id: null, n: { $sum: 1 } },
    { _id: 1, n: { $sum: 1 } },
    { _id: null, n: { $sum: new Int32(2) } },
    { _id: null, n: { $sum: '$u' } },
    { _id: { k: path }, most: { $max: '$u' } },
  ]);
  const by = chance(random, 0.5) ? [] : matching(random, seen);
  return pipeline([...by, { $group: group }], false, true);
}

/** Joins to the other collection: the members of `joined` are in no order. */
function joinOf(random: Random, seen: Seen, as: string): Document {
  const [localField, foreignField] = [drawPath(random), random.pick(['a', 'a', 'b', 'o.x', '_id'])];
  const inner = [
    ...(chance(random, 0.6) ? [{ $match: drawFilter(random, seen) }] : []),
    ...(chance(random, 0.4) ? [{ $sort: wholeSort(random) }, { $limit: 2 }] : []),
    ...(chance(random, 0.4) ? [{ $project: random.pick(PROJECTIONS) }] : []),
  ];
  const kind = random.below(12);
  const isShared = chance(random, 0.6);
  if (kind < 4) return { $lookup: { from: 'd', localField, foreignField, as } };
  if (kind < 7) return { $lookup: { from: 'd', localField, foreignField, pipeline: inner, as } };
  // Few values of the variable, which documents share, or many.
  const operandOf = (path: string): unknown => (isShared ? { $gt: [`$${path}`, 'b'] } : `$${path}`);
  const test = { $match: { $expr: { $eq: [operandOf(foreignField), '$$v'] } } };
  const variables = { v: operandOf(localField) };
  if (kind < 11) return { $lookup: { from: 'd', let: variables, pipeline: [test, ...inner], as } };
  return { $lookup: { from: 'd', localField, foreignField, let: variables, pipeline: [test], as } };
}

function drawLookup(random: Random, seen: Seen): Request {
  const page = [
    ...matching(random, seen),
    { $sort: wholeSort(random) },
    { $limit: random.pick([1, 5, PAGE]) },
  ];
  const joins = [
    joinOf(random, seen, 'joined'),
    ...(chance(random, 0.3) ? [joinOf(random, seen, 'more.joined')] : []),
  ];
  const after = random.pick<Document[]>([
    [],
    [],
    [{ $match: { 'joined.0': { $exists: true } } }],
    [{ $set: { first: { $size: '$joined' }, a: 'set' } }, { $skip: 1 }, { $limit: 3 }],
    [{ $unwind: '$joined' }, { $sort: { _id: 1, 'joined._id': 1 } }],
  ]);
  return pipeline([...page, ...joins, ...after], !('$unwind' in (after[0] ?? {})));
}

/** Joins by a variable that few values have, so that most documents share what they find. */
function drawShared(random: Random, seen: Seen): Request {
  const typeOf = (path: string): Document => ({ $type: `$${path}` });
  const [local, foreign] = [drawPath(random), random.pick(['a', 'b', 'o.x'])];
  const test = { $match: { $expr: { $eq: [typeOf(foreign), '$$v'] } } };
  const inner = chance(random, 0.5) ? [test] : [test, { $sort: wholeSort(random) }, { $limit: 2 }];
  const join = { $lookup: { from: 'd', let: { v: typeOf(local) }, pipeline: inner, as: 'joined' } };
  const page = [...matching(random, seen), { $sort: wholeSort(random) }, { $limit: PAGE }];
  return pipeline([...page, join], true);
}

function drawGathered(random: Random, seen: Seen): Request {
  const page = [...matching(random, seen), { $sort: wholeSort(random) }, { $limit: PAGE }];
  return pipeline(
    [
      ...page,
      { $project: random.pick(PROJECTIONS) },
      { $group: { _id: null, rows: { $push: '$$ROOT' } } },
      { $lookup: { from: 'd', localField: 'rows.a', foreignField: 'a', as: 'joined' } },
      { $set: { as: { $map: { input: '$rows', as: 'row', in: '$$row.a' } } } },
    ],
    true,
  );
}

function drawStages(random: Random, seen: Seen): Request {
  const sorted = [...matching(random, seen), { $sort: wholeSort(random) }];
  const stages = random.pick<Document[]>([
    [...sorted, ...windowStages(random), { $project: random.pick(PROJECTIONS) }],
    [...sorted, { $set: { z: '$a', 'o.x': 1 } }, ...windowStages(random)],
    [...sorted, { $unwind: `$${drawPath(random)}` }, ...windowStages(random)],
    [...sorted, { $skip: 1 }, { $limit: 30 }, { $match: drawFilter(random, seen) }, { $count: 'n' }],
    [...sorted, { $skip: 1 }, { $limit: 300 }, { $match: drawFilter(random, seen) }, { $project: { u: 1 } }],
    [...matching(random, seen), { $set: { z: '$b' } }, { $sort: wholeSort(random) }, ...windowStages(random)],
    [
      ...sorted,
      { $limit: PAGE },
      { $unionWith: { coll: 'd', pipeline: sorted } },
      { $sort: { _id: 1, u: 1 } },
      { $limit: 30 },
    ],
    [...sorted, { $facet: { page: [{ $limit: 3 }], all: [{ $count: 'n' }] } }],
  ]);
  return pipeline(stages, true);
}

const KINDS = [
  drawScanned,
  drawScanned,
  drawScanned,
  drawFind,
  drawFind,
  drawFind,
  drawCovered,
  drawIndexed,
  drawIndexed,
  drawIndexed,
  drawCount,
  drawCount,
  drawDistinct,
  drawDistinct,
  drawGroup,
  drawGroup,
  drawLookup,
  drawLookup,
  drawGathered,
  drawShared,
  drawStages,
  drawStages,
  drawStages,
  drawStages,
];

export const drawRequest = (random: Random, seen: Seen): Request => {
  const request = random.pick(KINDS)(random, seen);
  return chance(random, 0.06) ? onView(request) : request;
};

/** The same for the view. */
function onView(request: Request): Request {
  const [name = '', ...fields] = Object.keys(request.command);
  const others = Object.fromEntries(fields.map((field) => [field, request.command[field]]));
  return { ...request, command: { [name]: 'v', ...others } };
}

export function drawViewStages(random: Random, seen: Seen): Document[] {
  return random.pick<() => Document[]>([
    () => [{ $match: drawFilter(random, seen) }],
    () => [{ $sort: wholeSort(random) }, { $limit: 50 }],
    () => [{ $match: { u: { $gt: 30 } } }, { $set: { b: '$o.x' } }],
    () => [{ $project: { a: 1, b: 1, u: 1, 'o.x': 1 } }],
  ])();
}

const INDEXES: readonly Document[] = [
  { key: { a: 1 } },
  { key: { a: 1 } },
  { key: { b: -1 } },
  { key: { c: 1 } },
  { key: { 'o.x': 1 } },
  { key: { a: 1, b: -1 } },
  { key: { a: 1, _id: 1 } },
  { key: { b: 1, a: 1, c: 1 } },
  { key: { c: -1, 'o.x': 1, _id: -1 } },
  { key: { a: 1 }, sparse: true },
  { key: { b: 1 }, sparse: true },
  { key: { c: 1, b: 1 }, partialFilterExpression: { b: { $exists: true } } },
  { key: { a: 1 }, partialFilterExpression: { b: { $gt: 0 } } },
  { key: { u: 1 }, unique: true },
  { key: { a: 1, u: 1 }, unique: true },
  { key: { a: 'hashed' } },
  { key: { c: 1, a: 'hashed' } },
  { key: { b: 1 }, hidden: true },
  // Nothing may expire: each engine would remove it at another moment.
  { key: { c: 1 }, expireAfterSeconds: 2 ** 31 - 1 },
  { key: { b: 1, 'o.$**': 1 } },
  { key: { '$**': 1 } },
  { key: { 'o.$**': 1 } },
  { key: { 'a.x': 1 } },
  { key: { a: 1 }, collation: { locale: 'en', strength: 2 } },
];

let indexes = 0;

export function drawIndex(random: Random): Document {
  indexes += 1;
  return { ...random.pick(INDEXES), name: `i${indexes}` };
}

/** A write, whose outcome does not depend on the order in which documents are found. */
export function drawWrite(random: Random, seen: Seen, insert: () => Document): Document {
  const q = drawFilter(random, seen);
  const id = drawValue(random, seen, '_id');
  const one = { _id: id };
  const path = random.pick(['a', 'b', 'c', 'o.x']);
  const value = drawValue(random, seen, path) ?? null;
  const u = random.pick<Document>([
    { $set: { [path]: value } },
    { $set: { [path]: [value, 'green'] } },
    { $unset: { [path]: 1 } },
    { $inc: { u: 0, z: 1 } },
    { $push: { pushed: value } },
  ]);
  const set = [{ $set: { [path]: '$u' } }];
  return random.pick<Document>([
    { insert: 'c', documents: [insert(), insert()] },
    { insert: 'c', documents: Array.from({ length: 20 }, insert) },
    { update: 'c', updates: [{ q, u, multi: true }] },
    {
      update: 'c',
      updates: [
        { q: one, u },
        { q: { ...one, ...q }, u: set },
      ],
    },
    { update: 'c', updates: [{ q: { _id: id, n: { $exists: false } }, u, upsert: false }] },
    { delete: 'c', deletes: [{ q: { $and: [q, { u: { $mod: [5, 0] } }] }, limit: 0 }] },
    { delete: 'c', deletes: [{ q: one, limit: 1 }] },
    { findAndModify: 'c', query: q, sort: { _id: 1 }, update: u, new: chance(random, 0.5) },
    { findAndModify: 'c', query: q, sort: wholeSort(random), remove: true },
  ]);
}
