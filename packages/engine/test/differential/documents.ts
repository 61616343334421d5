import { Decimal128, type Document, Double, Long } from 'bson';
import fc from 'fast-check';

/** Scalars of several types, few enough that equal ones occur often. */
export const scalar: fc.Arbitrary<unknown> = fc.constantFrom<unknown[]>(
  null,
  0,
  1,
  2,
  3,
  -1,
  1.5,
  new Double(2),
  Long.fromNumber(2),
  Long.fromString('9007199254740993'),
  Decimal128.fromString('2'),
  Decimal128.fromString('1.5'),
  '',
  'a',
  'b',
  'B',
  'ab',
  'é',
  true,
  false,
  new Date(0),
  new Date(86_400_000),
);

const nested = fc.record({ x: scalar, y: scalar }, { requiredKeys: [] });

/** A field's value: a scalar, an array, a document, or documents in an array. */
export const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 5, arbitrary: scalar },
  { weight: 2, arbitrary: fc.array(scalar, { maxLength: 3 }) },
  { weight: 2, arbitrary: nested },
  { weight: 2, arbitrary: fc.array(nested, { maxLength: 3 }) },
  {
    weight: 1,
    arbitrary: fc.array(fc.oneof(scalar, nested, fc.array(scalar, { maxLength: 2 })), { maxLength: 3 }),
  },
);

/** The fields of a document except its _id. */
export const body: fc.Arbitrary<Document> = fc.record(
  { a: value, b: value, c: scalar, s: fc.constantFrom('a', 'b', 'B', 'ab') },
  { requiredKeys: ['s'] },
);

/** Some documents with _ids from 0. */
export const documents: fc.Arbitrary<Document[]> = fc
  .array(body, { minLength: 1, maxLength: 8 })
  .map((bodies) => bodies.map((members, i) => ({ _id: i, ...members })));

/** Paths to existing values, through arrays and to nothing. */
export const path = fc.constantFrom(
  'a',
  'b',
  'c',
  's',
  'a.x',
  'a.y',
  'b.x',
  'a.0',
  'a.1',
  'a.0.x',
  'c.x',
  'z',
);

/** Paths to sort by: engines differ in how they sort by a position of a nested array. */
export const sortPath = path.filter((name) => !/\d/.test(name));
