import type { Document } from 'bson';
import { encodeDocument } from '../storage/encode.js';
import type { Collation } from '../values/collation.js';

/** What a query matches documents by. */
export interface Matching {
  readonly filter: Document;
  readonly collation?: Collation | undefined;
  readonly variables?: Document | undefined;
}

/** The maximum size in bytes of a filter whose matches are worth keeping. */
const LONGEST = 4096;

/** A query's filter as text, equal for equal ones; undefined if its matches depend on more than the documents: variables, the clock, chance. */
export function filterText({ filter, collation, variables }: Matching): string | undefined {
  if (variables !== undefined || Object.keys(filter).length === 0) return undefined;
  const text = encodeDocument(collation === undefined ? { filter } : { filter, collation }).toString(
    'latin1',
  );
  return text.length > LONGEST || text.includes('$expr') || text.includes('$sampleRate') ? undefined : text;
}
