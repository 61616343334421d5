/** Converts the single document of a read in sets to the rows that a read by row returns. */
import { addTo } from '../../values/group.js';
import type { Doc, SetJoin } from '../types.js';

type Row = Record<string, unknown>;

/** The list that holds the rows of the page. */
export const PAGE = 'rows';

/** A row that several others refer to is the same object in all of them. */
export function assemble(documents: readonly Doc[], joins: readonly SetJoin[]): readonly Doc[] {
  const [document = {}] = documents;
  for (const join of joins) assign(join, rowsOf(document, join.from), rowsOf(document, join.found));
  return rowsOf(document, PAGE);
}

const rowsOf = (document: Doc, list: string): readonly Row[] =>
  Array.isArray(document[list]) ? document[list] : [];

/** The found rows keep their order, which is the order of the query if it sorts them. */
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
