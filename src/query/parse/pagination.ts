import { isPlainObject } from '../../values/plain-object.js';
import type { PaginationNode, RawObject, RootPagination } from '../ast.js';
import type { QueryMode } from '../settings.js';

/** `pagination` of REST; `start` and `limit` of the Document Service (rules A.11, G.2). Unknown members are ignored. */
export function parsePagination(raw: RawObject, mode: QueryMode): PaginationNode {
  const root = membersOf(raw);
  if (mode === 'service') return { start: root.start, limit: root.limit, root };
  return { ...membersOf(isPlainObject(raw['pagination']) ? raw['pagination'] : {}), root };
}

const membersOf = (raw: RawObject): RootPagination => ({
  page: raw['page'],
  pageSize: raw['pageSize'],
  start: raw['start'],
  limit: raw['limit'],
  withCount: raw['withCount'],
});
