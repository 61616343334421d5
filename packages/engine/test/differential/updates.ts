import { type Document, Long } from 'bson';
import fc from 'fast-check';
import { path, scalar, value } from './documents.js';
import { condition, filter } from './filters.js';

const number = fc.constantFrom<unknown[]>(1, -2, 1.5, Long.fromNumber(3), 2_147_483_647);
const one = (
  name: string,
  operand: fc.Arbitrary<unknown>,
  at: fc.Arbitrary<string> = path,
): fc.Arbitrary<Document> =>
  fc.tuple(at, operand).map(([field, argument]) => ({ [name]: { [field]: argument } }));

const each = fc.array(value, { maxLength: 3 });
const arrayPath = fc.constantFrom('a', 'b', 'a.x', 'b.x', 'z', 'a.0');

const push = fc
  .record(
    {
      $each: each,
      $slice: fc.integer({ min: -3, max: 3 }),
      $sort: fc.constantFrom<(number | Document)[]>(1, -1, { x: 1 }),
      $position: fc.integer({ min: -2, max: 3 }),
    },
    { requiredKeys: ['$each'] },
  )
  .map((operand): Document => operand);

const operators: fc.Arbitrary<Document> = fc.oneof(
  one('$set', value),
  one('$unset', fc.constant('')),
  one('$inc', number),
  one('$mul', number),
  one('$min', scalar),
  one('$max', scalar),
  one('$push', fc.oneof(value, push), arrayPath),
  one(
    '$addToSet',
    fc.oneof(
      value,
      each.map(($each) => ({ $each })),
    ),
    arrayPath,
  ),
  one('$pull', fc.oneof(scalar, condition, fc.constant({ x: 1 })), arrayPath),
  one('$pullAll', fc.array(scalar, { maxLength: 3 }), arrayPath),
  one('$pop', fc.constantFrom(1, -1), arrayPath),
  one('$bit', fc.constantFrom({ or: 5 }, { and: 6 }, { xor: 3 })),
  one('$rename', fc.constantFrom('r', 'b', 's')),
  fc.constant({ $set: { 'a.$[].x': 9 } }),
  fc.constant({ $inc: { 'a.$[]': 1 } }),
);

/** An update with operators, now and then with two of them. */
export const update: fc.Arbitrary<Document> = fc.oneof(
  { weight: 5, arbitrary: operators },
  { weight: 1, arbitrary: fc.tuple(operators, operators).map(([a, b]) => ({ ...a, ...b })) },
);

/** A filter and an update that depends on it or on array filters. */
export const placed: fc.Arbitrary<{ filter: Document; update: Document; arrayFilters?: Document[] }> =
  fc.oneof(
    scalar.map((wanted) => ({ filter: { a: wanted }, update: { $set: { 'a.$': 'hit' } } })),
    scalar.map((wanted) => ({ filter: { 'a.x': wanted }, update: { $set: { 'a.$.x': 'hit' } } })),
    condition.map((wanted) => ({
      filter: {},
      update: { $set: { 'a.$[e].x': 'hit' } },
      arrayFilters: [{ 'e.x': wanted }],
    })),
    scalar.map((wanted) => ({
      filter: {},
      update: { $set: { 'a.$[e]': 'hit' } },
      arrayFilters: [{ e: { $gte: wanted } }],
    })),
  );

export { filter };
