import type { Document } from 'bson';
import type { Case } from './expected.js';
import type { Server } from './servers.js';

/** An engine's result and the expected one, as strings; an error is `error` and its code. */
export interface Answers {
  readonly asked: Case;
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
const sorts = (asked: Case): boolean =>
  asked.kind === 'find' || (asked.kind === 'pipeline' && /"\$sort":\{"[^_]/.test(text(asked)));

/**
 * Where results may differ: by design, and by the deviations of the two engines that are available without a mongod.
 */
export const KNOWN_DIFFERENCES: readonly Difference[] = [
  {
    engines: ['embedded'],
    reason:
      'an index leaves out the documents over which an $expr of the same match would fail; MongoDB does so too',
    covers: ({ asked, ours, theirs }) => isError(ours) && !isError(theirs) && text(asked).includes('$expr'),
  },
  {
    engines: ['embedded'],
    reason: 'a compound index refuses two arrays in one document, as in MongoDB',
    covers: ({ asked, theirs }) => asked.kind === 'update' && theirs === 'error 171',
  },
  {
    engines: ['ferretdb', 'secantusdb'],
    reason: 'an error has another code, or is found while an operator that MongoDB leaves out is worked out',
    covers: ({ ours, theirs }) => isError(ours) || isError(theirs),
  },
  {
    engines: ['embedded'],
    reason: 'several documents are in error, and the one that is read first by an index is another one',
    covers: ({ asked, ours, theirs }) => isError(ours) && isError(theirs) && text(asked).includes('$expr'),
  },
  {
    engines: ['ferretdb'],
    reason: '$lookup does not find a decimal by an equal double or long, nor the other way round',
    covers: ({ asked, documents }) =>
      text(asked).includes('"$lookup"') && text(documents).includes('$numberDecimal'),
  },
  {
    engines: ['ferretdb'],
    reason: '[] sorts equal to null (MongoDB: before it)',
    covers: ({ asked, documents, ours }) =>
      (sorts(asked) || text(asked).includes('$group')) &&
      // A projection of fields leaves nothing of an array without documents.
      ((text(documents) + ours).includes('[]') || /"\$project".*"\$sort"/.test(text(asked))),
  },
  {
    engines: ['ferretdb'],
    reason: '$count of nothing is {n: 0}',
    covers: ({ asked }) => text(asked).includes('"$count"'),
  },
  {
    engines: ['ferretdb'],
    reason:
      'a stage behind $unset or an exclusion still sees what was removed, and scalars at a nested path become documents',
    covers: ({ asked }) =>
      asked.kind === 'pipeline' && /"\$unset"|"\$project":\{("\w+":0,)*"\w+\.\w+":0/.test(text(asked)),
  },
  {
    engines: ['ferretdb'],
    reason:
      'rows that an $unwind made of one document, and that a sort finds equal, come in any order (MongoDB does not promise one)',
    covers: ({ asked }) => /"\$unwind".*"\$sort"/.test(text(asked)),
  },
  {
    engines: ['ferretdb'],
    reason:
      'a place far behind the end of an array is not padded with null where the same update unsets within the array',
    covers: ({ asked }) => asked.kind === 'update' && /"\$unset":\{"\w+\.\d/.test(text(asked.update)),
  },
  {
    engines: ['ferretdb'],
    reason: 'an accumulator without a value gives no member instead of null',
    covers: ({ asked }) => /"\$(first|last)":"/.test(text(asked)),
  },
  {
    engines: ['ferretdb'],
    reason: 'array operators that add nothing do not make the field; $pull makes documents on its way',
    covers: ({ asked }) =>
      asked.kind === 'update' &&
      /"\$each":\[\]|"\$slice":0|"\$(pull|pullAll)":\{"\w+\./.test(text(asked.update)),
  },
  {
    engines: ['ferretdb'],
    reason: '$inc and $mul take booleans for numbers',
    covers: ({ asked, documents }) =>
      asked.kind === 'update' &&
      /"\$(inc|mul)"/.test(text(asked.update)) &&
      /true|false/.test(text(documents)),
  },
  {
    engines: ['secantusdb'],
    reason:
      'an expression path does not walk through arrays (docs/engines.md), nor do many operators and shapes hold in pipelines',
    covers: ({ asked }) =>
      asked.kind === 'pipeline' || (asked.kind === 'find' && Object.keys(asked.projection).length > 0),
  },
  {
    engines: ['secantusdb'],
    reason:
      '$elemMatch of members does not look into an array in the array, which MongoDB takes for a document',
    covers: ({ asked, documents }) =>
      /"\$elemMatch":\{"\w/.test(text(asked)) && text(documents).includes('[['),
  },
  {
    engines: ['secantusdb'],
    reason: 'a place in an array that is not there counts as null in a filter',
    covers: ({ asked }) => /"a\.[01]/.test(text(asked)),
  },
  {
    engines: ['secantusdb'],
    reason:
      'updates that MongoDB refuses or orders otherwise: $bit on missing fields, $rename, $push with $sort',
    covers: ({ asked }) =>
      asked.kind === 'update' &&
      /"\$(bit|rename|push|min|max|mul|pull|pullAll|addToSet)"/.test(text(asked.update)),
  },
];

/** The known deviation that explains a result, if any. */
export const knownDifference = (engine: Server['engine'], answers: Answers): Difference | undefined =>
  KNOWN_DIFFERENCES.find(({ engines, covers }) => engines.includes(engine) && covers(answers));
