import { paramsQuery, type Query } from '../../query/query.js';
import type { Page } from '../../query/read-plan.js';
import { objectAt } from '../../values/plain-object.js';
import type { Call } from '../call.js';
import { paginationOf } from './pagination.js';
import type { ListAnswer } from './reader.js';

/** The window of a list that a request asks for, as middlewares see it and may change it. */
export interface SeenWindow {
  /** The query with `start` and `limit`, as in Strapi. */
  readonly seen: Query;
  /** The call as they leave it: a window that they have changed is that of the list. */
  left(call: Call): Call;
  /** `pagination` of an answer: as in Strapi, the page that was asked for. */
  shown(answer: object): Partial<ListAnswer>;
}

/** Null: the request cannot ask for a page. */
export function seenWindow({ params, mode }: Query, page: Page): SeenWindow | null {
  if (page.style === 'none') return null;
  const { skip, limit: size } = page;
  let isChanged = false;
  return {
    seen: paramsQuery({ ...params, start: skip, limit: size ?? -1 }, mode),
    left(call) {
      const { start = 0, limit = -1, ...rest } = call.query.params;
      isChanged = Number(start) !== skip || Number(limit) !== (size ?? -1);
      const { withCount } = objectAt(rest['pagination']);
      const pagination = { start, limit, ...(withCount !== undefined && { withCount }) };
      return { ...call, query: paramsQuery(isChanged ? { ...rest, pagination } : rest, mode) };
    },
    shown(answer) {
      const { total, exact } = objectAt(answer, 'pagination');
      if (!isChanged) return {};
      return {
        pagination: paginationOf(page, {
          total: typeof total === 'number' ? total : null,
          ...(exact === false && { inexact: true }),
        }),
      };
    },
  };
}
