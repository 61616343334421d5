import { paramsQuery } from '../../query/query.js';
import type { Caller } from '../../query/read-plan.js';
import type { ContentType } from '../../schema/types.js';
import type { DocumentParams, ReadParams } from '../params.js';
import type { DocumentService } from '../types.js';
import type { Asked, Reader } from './reader.js';

/** Scripts may read everything, private attributes included. */
export const FULL_ACCESS: Caller = { grants: null };

/** What a script asks of a type. */
export const askedBy = (type: ContentType, params: ReadParams): Asked => ({
  type,
  query: paramsQuery(params),
  caller: FULL_ACCESS,
});

/** The reading methods: the one read path, asked by parameters instead of a query string (rules G.2). */
export function findService(
  reader: Reader,
  type: ContentType,
): Pick<DocumentService, 'findFirst' | 'findOne'> & Required<ManyAndCount> {
  return {
    findMany: async (params) => [...(await reader.list(askedBy(type, params))).data],
    findFirst: async (params = {}) => (await reader.single(askedBy(type, params))).data,
    findOne: async ({ documentId, ...params }: DocumentParams) =>
      (await reader.one(askedBy(type, params), documentId)).data,
    count: (params) => reader.count(askedBy(type, params)),
  };
}

interface ManyAndCount {
  findMany(params: ReadParams): ReturnType<DocumentService['findMany']>;
  count(params: ReadParams): Promise<number>;
}
