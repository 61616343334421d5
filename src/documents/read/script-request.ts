import type { Query } from '../../query/query.js';
import type { Caller } from '../../query/read-plan.js';
import type { ContentType } from '../../schema/types.js';
import type { ReadRequest } from './reader.js';

/** Scripts may read everything, including private attributes. */
export const FULL_ACCESS: Caller = { grants: null };

/** A read by a script, with full access. */
export const scriptRequest = (type: ContentType, query: Query): ReadRequest => ({
  type,
  query,
  caller: FULL_ACCESS,
});
