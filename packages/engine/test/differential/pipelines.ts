import type { Document } from 'bson';
import fc from 'fast-check';
import { path, scalar, sortPath, value } from './documents.js';
import { filter } from './filters.js';

const reference = path.filter((name) => !/\d/.test(name)).map((name) => `$${name}`);
const constant = fc.oneof(scalar, value).map((item) => ({ $literal: item }));

/** Sets are returned in an order of the engine's choice. */
const sorted = (name: string, set: Document): Document =>
  ['$setUnion', '$setIntersection', '$setDifference'].includes(name)
    ? { $sortArray: { input: set, sortBy: 1 } }
    : set;

/** An expression, up to a depth. */
export const expression: fc.Arbitrary<unknown> = fc.letrec<{ any: unknown; array: unknown }>((tie) => {
  const any = tie('any');
  const array = tie('array');
  const unary = fc
    .tuple(
      fc.constantFrom(
        '$not',
        '$isArray',
        '$type',
        '$isNumber',
        '$toLower',
        '$toString',
        '$abs',
        '$ceil',
        '$floor',
        '$trunc',
        '$toBool',
        '$toInt',
        '$toDouble',
        '$toDate',
        '$strLenCP',
        '$size',
        '$first',
        '$last',
        '$reverseArray',
        '$objectToArray',
        '$mergeObjects',
        '$sum',
        '$avg',
        '$min',
        '$max',
        '$anyElementTrue',
        '$year',
      ),
      any,
    )
    .map(([name, operand]) => ({ [name]: name === '$not' || name === '$isArray' ? [operand] : operand }));
  const binary = fc
    .tuple(
      fc.constantFrom(
        '$eq',
        '$ne',
        '$gt',
        '$gte',
        '$lt',
        '$lte',
        '$cmp',
        '$add',
        '$subtract',
        '$multiply',
        '$divide',
        '$mod',
        '$ifNull',
        '$and',
        '$or',
        '$concat',
        '$arrayElemAt',
        '$in',
        '$strcasecmp',
        '$split',
        '$min',
        '$max',
      ),
      any,
      any,
    )
    .map(([name, a, b]) => ({ [name]: [a, b] }));
  const arrays = fc
    .tuple(
      fc.constantFrom(
        '$concatArrays',
        '$setUnion',
        '$setIntersection',
        '$setDifference',
        '$setEquals',
        '$setIsSubset',
        '$in',
        '$indexOfArray',
      ),
      array,
      array,
    )
    .map(([name, a, b]) => sorted(name, { [name]: [a, b] }));
  const others = fc.oneof(
    fc.tuple(any, any, any).map(([a, b, c]) => ({ $cond: [a, b, c] })),
    fc.tuple(array, any).map(([input, body]) => ({ $map: { input, in: { $ifNull: ['$$this', body] } } })),
    fc.tuple(array, any).map(([input, other]) => ({ $filter: { input, cond: { $gte: ['$$this', other] } } })),
    array.map((input) => ({
      $reduce: { input, initialValue: [], in: { $concatArrays: ['$$value', ['$$this']] } },
    })),
    fc.tuple(any, any).map(([x, body]) => ({ $let: { vars: { v: x }, in: { k: '$$v', l: body } } })),
    fc.tuple(array, fc.integer({ min: -2, max: 2 })).map(([input, n]) => ({ $slice: [input, n] })),
    array.map((input) => ({ $sortArray: { input, sortBy: 1 } })),
    fc
      .tuple(any, fc.constantFrom('string', 'int', 'double', 'bool', 'date', 'long', 'decimal'))
      .map(([input, to]) => ({ $convert: { input, to, onError: 'error', onNull: 'null' } })),
    any.map((input) => ({ $getField: { field: 'x', input } })),
    any.map((v) => ({ p: v, q: [v, 1] })),
  );
  return {
    any: fc.oneof({ maxDepth: 3, withCrossShrink: true }, reference, constant, unary, binary, arrays, others),
    array: fc.oneof(
      { maxDepth: 2 },
      reference,
      fc.array(scalar, { maxLength: 3 }).map((items) => ({ $literal: items })),
      arrays,
    ),
  };
}).any;

const direction = fc.constantFrom(1, -1);
const sort = fc.tuple(sortPath, direction).map(([name, way]) => ({ $sort: { [name]: way, _id: 1 } }));

const joined = path.filter((name) => !/\d/.test(name));

const accumulator = fc
  .tuple(
    fc.constantFrom('$sum', '$avg', '$min', '$max', '$first', '$last', '$push', '$mergeObjects'),
    fc.constantFrom('$a', '$b', '$c', '$s', '$a.x', '$_id'),
  )
  .map(([name, operand]) => ({ [name]: operand }));

const project = fc.oneof(
  fc
    .uniqueArray(fc.constantFrom('a', 'b', 'c', 's'), { minLength: 1, maxLength: 3 })
    .map((names) => Object.fromEntries(names.map((name) => [name, 1]))),
  fc
    .uniqueArray(fc.constantFrom('a', 'b.x', 'c', 's', 'a.y'), { minLength: 1, maxLength: 3 })
    .map((names) => Object.fromEntries(names.map((name) => [name, 0]))),
  fc.constantFrom<Document[]>({ 'a.x': 1 }, { 'a.x': 1, 'b.y': 1 }, { _id: 0, 'a.x': 0 }, { _id: 0, s: 1 }),
  expression.map((computed) => ({ s: 1, out: computed })),
  expression.map((computed) => ({ 'a.x': 1, 'b.n': computed })),
);

/** A stage of each kind. Stages that collect or unwind are followed by a sort, so that the order is defined. */
const stages: fc.Arbitrary<Document[]> = fc.oneof<fc.Arbitrary<Document[]>[]>(
  filter.map(($match) => [{ $match }]),
  expression.map((computed) => [{ $match: { $expr: computed } }]),
  sort.map((stage) => [stage]),
  fc
    .tuple(sort, fc.integer({ min: 0, max: 4 }), fc.integer({ min: 1, max: 4 }))
    .map(([stage, skip, limit]) => [stage, { $skip: skip }, { $limit: limit }]),
  project.map(($project) => [{ $project }]),
  fc
    .tuple(fc.constantFrom('c', 'z', 'b.n', 'a.x'), expression)
    .map(([name, computed]) => [{ $set: { [name]: computed } }]),
  fc
    .tuple(fc.constantFrom('$a', '$b', '$c', '$b.x'), fc.boolean())
    .map(([name, keep]) => [
      { $unwind: { path: name, preserveNullAndEmptyArrays: keep, includeArrayIndex: 'at' } },
    ]),
  fc
    .tuple(
      fc.constantFrom(
        '$s',
        '$c',
        { w: { $ifNull: ['$a', 0] } },
        { k: { $ifNull: ['$c', 'none'] }, l: { $ifNull: ['$s', 0] } },
        null,
      ),
      accumulator,
    )
    .map(([_id, sum]) => [
      { $sort: { _id: 1 } },
      { $group: { _id, v: sum, n: { $sum: 1 } } },
      { $sort: { _id: 1 } },
    ]),
  fc.constantFrom<Document[][]>([{ $count: 'n' }], [{ $unset: ['a', 'b.x'] }]),
  fc
    .tuple(joined, joined, fc.oneof(fc.constant([]), fc.tuple(filter.map(($match) => ({ $match })))))
    .map(([localField, foreignField, inner]) => [
      { $lookup: { from: 'all', localField, foreignField, pipeline: inner, as: 'r' } },
      { $set: { r: { $sortArray: { input: '$r', sortBy: { _id: 1 } } } } },
    ]),
);

/** A pipeline whose results have a defined order. */
export const pipeline: fc.Arbitrary<Document[]> = fc
  .array(stages, { minLength: 1, maxLength: 3 })
  .map((parts) => [{ $sort: { _id: 1 } }, ...parts.flat()]);

/** A projection of find. */
export const projection: fc.Arbitrary<Document> = fc.oneof(
  project,
  fc
    .tuple(fc.constantFrom('a', 'b'), fc.integer({ min: -2, max: 2 }))
    .map(([name, $slice]) => ({ [name]: { $slice } })),
  fc.tuple(fc.constantFrom('a', 'b'), scalar).map(([name, x]) => ({ [name]: { $elemMatch: { x } } })),
);
