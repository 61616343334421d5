import { paramsQuery, type Query } from '../../query/query.js';
import type { Caller } from '../../query/read-plan.js';
import type { ContentType } from '../../schema/types.js';
import type { Reader } from './reader.js';

interface Asked {
  readonly reader: Reader;
  readonly type: ContentType;
  readonly caller: Caller;
  /** With `filters` and `locale`. */
  readonly query: Query;
}

/** Whether a version of a document matches the filters of a query; without filters, any does. */
export async function matchesFilters(
  documentId: string,
  { reader, type, caller, query: { params, mode } }: Asked,
): Promise<boolean> {
  const { filters, locale } = params;
  if (filters === undefined || filters === null) return true;
  const versions = (['published', 'draft'] as const).map((status) =>
    reader.count({
      type,
      caller,
      query: paramsQuery({ filters: { $and: [{ documentId }, filters] }, locale, status }, mode),
    }),
  );
  return (await Promise.all(versions)).some((count) => count > 0);
}
