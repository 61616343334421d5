import { paramsQuery } from '../../query/query.js';
import type { Caller } from '../../query/read-plan.js';
import type { ContentType } from '../../schema/types.js';
import type { ReadParams } from '../params.js';
import type { ReadRequest } from './reader.js';

/** Scripts may read everything, private attributes included. */
export const FULL_ACCESS: Caller = { grants: null };

/** What a script asks of a type. */
export const scriptRequest = (type: ContentType, params: ReadParams): ReadRequest => ({
  type,
  query: paramsQuery(params),
  caller: FULL_ACCESS,
});
