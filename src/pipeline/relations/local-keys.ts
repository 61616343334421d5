/** What an entry looks for in a relation, where `localField` alone does not say it. */
import { dbRefPath } from '../../schema/stored/paths.js';
import { inAllForms } from '../rows/other-forms.js';
import type { Link } from '../rows/place.js';
import { listAt } from '../step.js';
import type { Expression } from '../types.js';

/** Null: `localField` does. */
export function computedKeys({ local, texts }: Pick<Link, 'local' | 'texts'>): Expression | null {
  const path = dbRefPath(local);
  const keys = path === null ? null : dbRefKeys(`$${path}`);
  return texts ? inAllForms(keys ?? `$${local}`) : keys;
}

/**
 * The `$id`s of DBRefs, or of one alone. By `$getField`, whose documented use such a name is: a path with `$id` in it is taken by
 * MongoDB in queries and as the field of a lookup, but not in every expression on every server.
 */
export const dbRefKeys = (path: string): Expression => ({
  $map: {
    input: listAt(path, { adopted: true }),
    as: 'ref',
    in: { $getField: { field: { $literal: '$id' }, input: '$$ref' } },
  },
});
