import type { Document } from 'bson';
import type { Case } from './expected.js';
import type { Server } from './servers.js';

/** An engine's result and the expected one, as strings; an error is `error` and its code. */
export interface Answers {
  readonly request: Case;
  readonly documents: readonly Document[];
  readonly ours: string;
  readonly theirs: string;
}

/** A known deviation of another engine from MongoDB, and how to recognize its cases. */
interface Difference {
  readonly engines: readonly Server['engine'][];
  readonly reason: string;
  readonly covers: (answers: Answers) => boolean;
}

const isError = (answer: string): boolean => answer.startsWith('error');
const text = (value: unknown): string => JSON.stringify(value);
const sorts = (request: Case): boolean =>
  request.kind === 'find' || (request.kind === 'pipeline' && /"\$sort":\{"[^_]/.test(text(request)));

/**
 * Where results may differ: by design, and by the deviations of the two engines that are available without a mongod.
 */
export const KNOWN_DIFFERENCES: readonly Difference[] = [
  {
    engines: ['embedded'],
    reason: 'an index skips documents for which an $expr in the same filter would fail, as in MongoDB',
    covers: ({ request, ours, theirs }) =>
      isError(ours) && !isError(theirs) && text(request).includes('$expr'),
  },
  {
    engines: ['embedded'],
    reason: 'a compound index rejects two arrays in one document, as in MongoDB',
    covers: ({ request, theirs }) => request.kind === 'update' && theirs === 'error 171',
  },
  {
    engines: ['ferretdb', 'secantusdb'],
    reason: 'an error has another code, or comes from an operator that MongoDB does not evaluate',
    covers: ({ ours, theirs }) => isError(ours) || isError(theirs),
  },
  {
    engines: ['embedded'],
    reason: 'several documents cause errors, and an index reads another one first',
    covers: ({ request, ours, theirs }) =>
      isError(ours) && isError(theirs) && text(request).includes('$expr'),
  },
  {
    engines: ['ferretdb', 'secantusdb'],
    reason: 'the bit operators match no double with a fraction (MongoDB drops the fraction)',
    covers: ({ request, documents }) => text(request).includes('"$bits') && /\d\.5/.test(text(documents)),
  },
  {
    engines: ['ferretdb'],
    reason: '$lookup does not match a decimal with an equal double or long',
    covers: ({ request, documents }) =>
      text(request).includes('"$lookup"') && text(documents).includes('$numberDecimal'),
  },
  {
    engines: ['ferretdb'],
    reason: '[] sorts as equal to null (MongoDB sorts it before null)',
    covers: ({ request, documents, ours }) =>
      (sorts(request) || text(request).includes('$group')) &&
      // A projection of fields leaves nothing of an array without documents.
      ((text(documents) + ours).includes('[]') || /"\$project".*"\$sort"/.test(text(request))),
  },
  {
    engines: ['ferretdb'],
    reason: '$count over no documents returns {n: 0}',
    covers: ({ request }) => text(request).includes('"$count"'),
  },
  {
    engines: ['ferretdb'],
    reason:
      'a stage after $unset or an exclusion still sees the removed fields, and scalars on a nested path become documents',
    covers: ({ request }) =>
      request.kind === 'pipeline' && /"\$unset"|"\$project":\{("\w+":0,)*"\w+\.\w+":0/.test(text(request)),
  },
  {
    engines: ['ferretdb'],
    reason:
      'rows that $unwind makes from one document and that sort as equal come in any order (MongoDB guarantees none)',
    covers: ({ request }) => /"\$unwind".*"\$sort"/.test(text(request)),
  },
  {
    engines: ['ferretdb'],
    reason:
      'setting an element beyond the end of an array does not pad it with null if the same update unsets an element',
    covers: ({ request }) => request.kind === 'update' && /"\$unset":\{"\w+\.\d/.test(text(request.update)),
  },
  {
    engines: ['ferretdb'],
    reason: 'an accumulator without a value leaves the field out instead of setting it to null',
    covers: ({ request }) => /"\$(first|last)":"/.test(text(request)),
  },
  {
    engines: ['ferretdb'],
    reason:
      'array operators that add nothing do not create the field; $pull creates the documents along its path',
    covers: ({ request }) =>
      request.kind === 'update' &&
      /"\$each":\[\]|"\$slice":0|"\$(pull|pullAll)":\{"\w+\./.test(text(request.update)),
  },
  {
    engines: ['ferretdb'],
    reason: '$inc and $mul accept booleans as numbers',
    covers: ({ request, documents }) =>
      request.kind === 'update' &&
      /"\$(inc|mul)"/.test(text(request.update)) &&
      /true|false/.test(text(documents)),
  },
  {
    engines: ['secantusdb'],
    reason:
      'an expression path does not traverse arrays (docs/engines.md), and many pipeline operators and document shapes differ',
    covers: ({ request }) =>
      request.kind === 'pipeline' || (request.kind === 'find' && Object.keys(request.projection).length > 0),
  },
  {
    engines: ['secantusdb'],
    reason:
      '$elemMatch with field conditions does not look into nested arrays, which MongoDB treats as documents',
    covers: ({ request, documents }) =>
      /"\$elemMatch":\{"\w/.test(text(request)) && text(documents).includes('[['),
  },
  {
    engines: ['secantusdb'],
    reason: 'a missing array index counts as null in a filter',
    covers: ({ request }) => /"a\.[01]/.test(text(request)),
  },
  {
    engines: ['secantusdb'],
    reason:
      'updates that MongoDB rejects or orders differently: $bit on missing fields, $rename, $push with $sort',
    covers: ({ request }) =>
      request.kind === 'update' &&
      /"\$(bit|rename|push|min|max|mul|pull|pullAll|addToSet)"/.test(text(request.update)),
  },
];

/** The known deviation that explains a result, if any. */
export const knownDifference = (engine: Server['engine'], answers: Answers): Difference | undefined =>
  KNOWN_DIFFERENCES.find(({ engines, covers }) => engines.includes(engine) && covers(answers));
