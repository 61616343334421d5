import type { Page } from '../../query/read-plan.js';

type Pagination = Readonly<Record<string, number>>;

/** `meta.pagination` (rules A.11). Without a total, where the query turned counting off, only what was asked. */
export function paginationOf(
  { style, page, skip, limit, withCount }: Page,
  total: number | null,
): Pagination | null {
  if (style === 'none') return null;
  const size = limit ?? total ?? 0;
  const counted = withCount && total !== null;
  if (style === 'offset') return { start: skip, limit: size, ...(counted ? { total } : {}) };
  const pageCount = size > 0 && total !== null ? Math.ceil(total / size) : 0;
  return { page, pageSize: size, ...(counted ? { pageCount, total } : {}) };
}
