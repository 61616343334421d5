import type { Document } from 'bson';
import fc from 'fast-check';
import { path, scalar, value } from './documents.js';

const types = fc.constantFrom<unknown[]>(
  'string',
  'number',
  'int',
  'double',
  'long',
  'decimal',
  'array',
  'object',
  'null',
  'bool',
  'date',
  2,
  16,
);

const list = fc.array(scalar, { maxLength: 3 });

const simple: fc.Arbitrary<Document> = fc.oneof(
  fc.tuple(fc.constantFrom('$eq', '$ne'), value).map(([name, operand]) => ({ [name]: operand })),
  fc
    .tuple(fc.constantFrom('$gt', '$gte', '$lt', '$lte'), scalar)
    .map(([name, operand]) => ({ [name]: operand })),
  fc.tuple(fc.constantFrom('$in', '$nin', '$all'), list).map(([name, operand]) => ({ [name]: operand })),
  fc.boolean().map(($exists) => ({ $exists })),
  types.map(($type) => ({ $type })),
  fc.integer({ min: 0, max: 3 }).map(($size) => ({ $size })),
  fc.constantFrom([2, 0], [2, 1], [3, 2]).map(($mod) => ({ $mod })),
  fc.constantFrom(
    { $regex: 'a' },
    { $regex: '^b', $options: 'i' },
    { $bitsAllSet: 2 },
    { $bitsAnyClear: [0] },
  ),
);

const range = fc.tuple(scalar, scalar).map(([$gte, $lt]) => ({ $gte, $lt }));

const elements: fc.Arbitrary<Document> = fc.oneof(
  simple.map(($elemMatch) => ({ $elemMatch })),
  range.map(($elemMatch) => ({ $elemMatch })),
  fc
    .tuple(fc.constantFrom('x', 'y'), fc.oneof(scalar, simple))
    .map(([name, condition]) => ({ $elemMatch: { [name]: condition } })),
);

/** The condition on one field. */
export const condition: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: value },
  { weight: 5, arbitrary: simple },
  { weight: 2, arbitrary: range },
  { weight: 2, arbitrary: elements },
  { weight: 2, arbitrary: fc.oneof(simple, range, elements).map(($not) => ({ $not })) },
);

const field: fc.Arbitrary<Document> = fc
  .tuple(path, condition)
  .map(([name, operand]) => ({ [name]: operand }));

/** A filter: conditions on fields, combined by logical operators. */
export const filter: fc.Arbitrary<Document> = fc.oneof(
  { weight: 6, arbitrary: field },
  { weight: 2, arbitrary: fc.tuple(field, field).map(([a, b]) => ({ ...a, ...b })) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom('$and', '$or', '$nor'), fc.array(field, { minLength: 1, maxLength: 3 }))
      .map(([name, clauses]) => ({ [name]: clauses })),
  },
);
