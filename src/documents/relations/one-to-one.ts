import { collectionName } from '../../schema/stored/collections.js';
import type { Status } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import type { BuildContext, DocumentRef } from '../context.js';
import { readLinks, withLinks } from './stored-links.js';

/** One version of a document, and its state before this write. */
interface WrittenVersion {
  readonly status: Status;
  readonly entry: Entry;
  readonly before: Entry | null;
}

/**
 * For the owning side of one-to-one relations: removes a target that `entry` has newly taken from every other
 * entry of the same version and locale.
 */
export async function enforceOneToOne(
  { read, changes }: BuildContext,
  { type, documentId, locale }: DocumentRef,
  { status, entry, before }: WrittenVersion,
): Promise<void> {
  const collection = collectionName(type, status);
  for (const attribute of type.attributes.values()) {
    if (attribute.kind !== 'relation' || attribute.relation !== 'oneToOne' || attribute.inversedBy === null)
      continue;
    const [link] = readLinks(entry, attribute);
    const [former] = readLinks(before ?? {}, attribute);
    if (!link || (link.documentId === former?.documentId && link.locale === former.locale)) continue;
    const others = await read(collection, {
      [attribute.name]: link.reference ?? link.documentId,
      documentId: { $ne: documentId },
      ...(type.localized && { locale }),
    });
    for (const other of others) {
      const current = changes.current(collection, other);
      const [held] = current ? readLinks(current, attribute) : [];
      if (current && held?.locale === link.locale)
        changes.replace(collection, other, withLinks(current, attribute, []));
    }
  }
}
