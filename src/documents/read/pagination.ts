import type { Page } from '../../query/read-plan.js';
import type { ReadResult } from '../../store/reads/read.js';

type Pagination = Readonly<Record<string, number | boolean>>;

/**
 * `meta.pagination`. If the query disables counting, only what it requested. A total that is not exact is
 * marked.
 */
export function paginationOf(
  { style, page, skip, limit, withCount }: Page,
  { total, inexact }: Pick<ReadResult, 'total' | 'inexact'>,
): Pagination | null {
  if (style === 'none') return null;
  const size = limit ?? total ?? 0;
  const counted = withCount && total !== null;
  const said = counted && inexact ? { exact: false } : {};
  if (style === 'offset') return { start: skip, limit: size, ...(counted ? { total } : {}), ...said };
  const pageCount = size > 0 && total !== null ? Math.ceil(total / size) : 0;
  return { page, pageSize: size, ...(counted ? { pageCount, total } : {}), ...said };
}
