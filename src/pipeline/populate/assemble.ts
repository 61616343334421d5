/** The one document of a read in sets as the rows that a read by the row gives. */
import { addTo } from '../../values/group.js';
import type { Doc, SetJoin } from '../types.js';

type Row = Record<string, unknown>;

/** The list of the one document that holds the page. */
export const PAGE = 'rows';

/** A row that several others refer to is one and the same object in all of them. */
export function assemble(documents: readonly Doc[], joins: readonly SetJoin[]): readonly Doc[] {
  const [document = {}] = documents;
  for (const join of joins) assign(join, rowsOf(document, join.from), rowsOf(document, join.found));
  return rowsOf(document, PAGE);
}

const rowsOf = (document: Doc, list: string): readonly Row[] =>
  Array.isArray(document[list]) ? document[list] : [];

/** The rows found keep their order, which is that of the query where it sorts them. */
function assign(
  { field, localKeys, foreignKeys, locale }: SetJoin,
  rows: readonly Row[],
  found: readonly Row[],
): void {
  const seeking = new Map<unknown, Row[]>();
  for (const row of rows) {
    row[field] ??= [];
    for (const key of new Set(localKeys(row))) addTo(seeking, key, row);
  }
  for (const each of found)
    for (const key of new Set(foreignKeys(each)))
      for (const row of seeking.get(key) ?? [])
        if (locale === null || (row['locale'] === each['locale']) === (locale === 'same'))
          (row[field] as Row[]).push(each);
}
