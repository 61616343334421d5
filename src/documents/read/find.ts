import type { Caller } from '../../query/read-plan.js';
import type { ContentType } from '../../schema/types.js';
import type { DocumentParams, ReadParams } from '../params.js';
import type { DocumentService } from '../types.js';
import type { Reader } from './reader.js';

/** Scripts may read everything, private attributes included. */
export const EVERYTHING: Caller = { grants: null };

/** The reading methods: the one read path, asked by parameters instead of a query string (rules G.2). */
export function findService(
  reader: Reader,
  type: ContentType,
): Pick<DocumentService, 'findFirst' | 'findOne'> & Required<ManyAndCount> {
  return {
    findMany: async (params) => [...(await reader.list(type, params, EVERYTHING)).data],
    findFirst: async (params = {}) => (await reader.single(type, params, EVERYTHING)).data,
    findOne: async ({ documentId, ...params }: DocumentParams) =>
      (await reader.one(type, documentId, params, EVERYTHING)).data,
    count: (params) => reader.count(type, params, EVERYTHING),
  };
}

interface ManyAndCount {
  findMany(params: ReadParams): ReturnType<DocumentService['findMany']>;
  count(params: ReadParams): Promise<number>;
}
