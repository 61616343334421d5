import type { Document } from 'bson';
import type { Case } from '../differential/expected.js';

/**
 * A case and its result as documented by MongoDB: documents, or the code of its error. The sort over two arrays and NaN
 * were also seen on 5.0.7.
 */
interface Row {
  readonly documents: Document[];
  readonly request: Case;
  readonly answer: Document[] | number;
}

const pipeline = (stages: Document[]): Case => ({ kind: 'pipeline', pipeline: stages });
const find = (filter: Document, projection: Document = {}): Case => ({
  kind: 'find',
  filter,
  sort: { _id: 1 },
  projection,
});
const update = (change: Document): Case => ({ kind: 'update', filter: { _id: 0 }, update: change });

/** Results recorded by hand; a set recorded by `scripts/record-answers.ts` is next to it. */
export const DOCUMENTED: readonly Row[] = [
  { documents: [{ _id: 0, a: [1], b: [1] }], request: pipeline([{ $sort: { a: 1, b: 1 } }]), answer: 2 },
  {
    documents: [{ _id: 0, a: `${'a'.repeat(40)}b` }],
    request: find({ a: { $regex: '^(a+)+b$' } }, { a: 0 }),
    answer: [{ _id: 0 }],
  },
  { documents: [{ _id: 0 }], request: update({ $set: { x: 1 } }), answer: [{ _id: 0, x: 1 }] },
  { documents: [{ _id: 0, a: 1 }], request: find({ a: { $frob: 1 } }), answer: 2 },
  { documents: [{ _id: 0, a: 1 }], request: update({ $frob: { a: 1 } }), answer: 9 },
  { documents: [{ _id: 0, a: 1 }], request: pipeline([{ $frob: {} }]), answer: 40324 },
  { documents: [{ _id: 0, a: Number.NaN }], request: find({ a: { $lt: 1 } }), answer: [] },
];
