import type { Document } from 'bson';
import fc from 'fast-check';
import { sortPath } from './documents.js';
import type { Case } from './expected.js';
import { filter } from './filters.js';
import { pipeline, projection } from './pipelines.js';
import { placed, update } from './updates.js';

const direction = fc.constantFrom(1, -1);

const find: fc.Arbitrary<Case> = fc
  .record({
    filter,
    sort: fc.tuple(sortPath, direction).map(([name, way]): Document => ({ [name]: way, _id: 1 })),
    projection: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: projection }),
  })
  .map((parts) => ({ kind: 'find', ...parts }));

const aggregate: fc.Arbitrary<Case> = pipeline.map((stages) => ({ kind: 'pipeline', pipeline: stages }));

// Each update affects one document, the first by _id, so that no engine may choose another.
const change: fc.Arbitrary<Case> = fc
  .oneof(
    { weight: 3, arbitrary: update.map((operators) => ({ filter: {}, update: operators })) },
    { weight: 1, arbitrary: placed },
  )
  .map((parts) => ({ kind: 'update', ...parts, filter: { _id: 0, ...parts.filter } }));

/** Random cases, by kind. */
export const CASES: Readonly<Record<string, fc.Arbitrary<Case>>> = { find, aggregate, update: change };
