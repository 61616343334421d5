import { placeOf, populateFieldsOf } from '../../pipeline/populate/populate-fields.js';
import { type Doc, documentsOf } from '../../pipeline/types.js';
import type { ReadPlan } from '../../query/read-plan.js';
import { isLocalizations } from '../../schema/relation.js';

/** `localizations` leave out entries of the same list, so `locale=*` shows none. */
export function withoutListed(rows: readonly Doc[], { selection }: ReadPlan): readonly Doc[] {
  if (rows.length < 2 || !selection.relations.some(({ attribute }) => isLocalizations(attribute)))
    return rows;
  const side = populateFieldsOf(selection).get(placeOf([], 'localizations'));
  const field = side?.kind === 'localizations' && !side.relation.count ? side.fields[0] : undefined;
  if (field === undefined) return rows;
  const listed = new Set(rows.map((row) => row['id']));
  for (const row of rows as readonly Record<string, unknown>[])
    row[field] = documentsOf(row[field]).filter(({ id }) => !listed.has(id));
  return rows;
}
