/** The keys that an entry looks up, if `localField` cannot express them. */
import { dbRefPath } from '../../schema/stored/paths.js';
import { inAllForms } from '../rows/other-forms.js';
import type { JoinFields } from '../rows/place.js';
import { listAt } from '../step.js';
import type { Expression } from '../types.js';

/** Null if `localField` is sufficient. */
export function computedKeys({ local, texts }: Pick<JoinFields, 'local' | 'texts'>): Expression | null {
  const path = dbRefPath(local);
  const keys = path === null ? null : dbRefKeys(`$${path}`);
  return texts ? inAllForms(keys ?? `$${local}`) : keys;
}

/**
 * The `$id` of each DBRef in a list, or of a single one. Uses `$getField`, which is documented for such
 * names: MongoDB accepts a path with `$id` in queries and as the field of a lookup, but not in all
 * expressions on all servers.
 */
export const dbRefKeys = (path: string): Expression => ({
  $map: {
    input: listAt(path, { adopted: true }),
    as: 'ref',
    in: { $getField: { field: { $literal: '$id' }, input: '$$ref' } },
  },
});
