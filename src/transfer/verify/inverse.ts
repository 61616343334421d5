import { collectionsOf } from '../../schema/stored/collections.js';
import type { RelationAttribute } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import { storedEntries } from '../../store/transfer/import-entries.js';
import { addTo, groupBy } from '../../values/group.js';
import type { Import } from '../run/context.js';
import { parseRowKey } from '../run/rows.js';
import { type Comparison, type InverseLink, missingInverse, refersBack } from './compare.js';

/** Looks for links that are stored with their targets. */
export async function compareInverse(
  run: Import,
  links: readonly (readonly [Comparison, InverseLink])[],
): Promise<void> {
  for (const [uid, some] of groupBy(links, ([, { to }]) => parseRowKey(to.key).uid)) {
    const type = run.schema.contentTypes.get(uid);
    const ids = some.flatMap(([{ placed }, { to }]) => placed.get(to.key)?.documentId ?? []);
    const found = new Map<string, Entry[]>();
    for (const collection of type ? collectionsOf(type) : [])
      for (const entry of await storedEntries(run.store.db, collection, [...new Set(ids)]))
        addTo(found, String(entry['documentId']), entry);
    for (const [check, link] of some) {
      const attribute = type?.attributes.get(link.attribute);
      const targets = found.get(check.placed.get(link.to.key)?.documentId ?? '') ?? [];
      if (!isOwner(attribute) || !targets.some((target) => refersBack(link, attribute, target)))
        missingInverse(check, link);
    }
  }
}

const isOwner = (attribute: { readonly kind: string } | undefined): attribute is RelationAttribute =>
  attribute?.kind === 'relation';
