import type { PaginationNode, RawObject } from '../ast.js';
import type { QueryMode } from '../settings.js';
import { isRecord } from '../values.js';

/** `pagination` of REST; `start` and `limit` of the Document Service (SPEC A.11, G.2). Unknown members are ignored. */
export function parsePagination(raw: RawObject, mode: QueryMode): PaginationNode {
  if (mode === 'service') return { start: raw['start'], limit: raw['limit'] };
  const given = isRecord(raw['pagination']) ? raw['pagination'] : {};
  return {
    page: given['page'],
    pageSize: given['pageSize'],
    start: given['start'],
    limit: given['limit'],
    withCount: given['withCount'],
    rootPage: raw['page'],
    rootPageSize: raw['pageSize'],
  };
}
