import { paramsQuery, type Query } from '../../query/query.js';
import type { Caller } from '../../query/read-plan.js';
import type { ContentType } from '../../schema/types.js';
import { isAbsent } from '../../values/absent.js';
import type { Reader } from './reader.js';

interface Asked {
  readonly reader: Reader;
  readonly type: ContentType;
  readonly caller: Caller;
  /** With `filters`, `_q` and `locale`. */
  readonly query: Query;
}

/** Whether a version of a document matches the filters and the search of a query; without them, any does. */
export async function matchesFilters(
  documentId: string,
  { reader, type, caller, query: { params, mode } }: Asked,
): Promise<boolean> {
  const { filters, _q, locale } = params;
  if (isAbsent(filters) && isAbsent(_q)) return true;
  const own = isAbsent(filters) ? [] : [filters];
  const versions = (['published', 'draft'] as const).map((status) =>
    reader.count({
      type,
      caller,
      query: paramsQuery({ filters: { $and: [{ documentId }, ...own] }, _q, locale, status }, mode),
    }),
  );
  return (await Promise.all(versions)).some((count) => count > 0);
}
