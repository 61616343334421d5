import { collectionName } from '../../schema/stored/collections.js';
import type { Status } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import type { BuildContext, DocumentRef } from '../context.js';
import { changeOwners, linkTo, type OwnerChange, ownersOf, owningSide } from './owners.js';

/**
 * Owners that a draft changed, by inverse attribute: publishing must repeat the change on their published
 * entries. Stored in the draft until then.
 */
export type PendingInverse = Readonly<Record<string, readonly string[]>>;

const FIELD = '_pendingInverse';
/** The field's former name. */
const FORMER = '_touched';

/** The owners recorded in a draft since it was last published. */
export function pendingInverseOf(draft: Entry): PendingInverse {
  const pending = draft[FIELD] ?? draft[FORMER];
  return typeof pending === 'object' && pending !== null ? (pending as PendingInverse) : {};
}

export function withoutPendingInverse(entry: Entry): Entry {
  const { [FIELD]: _pending, [FORMER]: _former, ...rest } = entry;
  return rest;
}

/** `entry` with more owners recorded. */
export function withPendingInverse(entry: Entry, changed: PendingInverse): Entry {
  const all: Record<string, readonly string[]> = { ...pendingInverseOf(entry) };
  for (const [name, owners] of Object.entries(changed))
    all[name] = [...new Set([...(all[name] ?? []), ...owners])];
  const rest = withoutPendingInverse(entry);
  return Object.values(all).some((owners) => owners.length > 0) ? { ...rest, [FIELD]: all } : rest;
}

/**
 * Copies the links to `document` of the recorded owners from version `from` to version `to`: from drafts to
 * published entries when publishing, the other way round when discarding. The cost depends on what changed,
 * not on the number of incoming links.
 */
export async function syncOwners(
  write: BuildContext,
  document: DocumentRef,
  pending: PendingInverse,
  { from, to }: { readonly from: Status; readonly to: Status },
): Promise<void> {
  const { schema, config, changes } = write;
  const { type } = document;
  for (const [name, ids] of Object.entries(pending)) {
    const attribute = type.attributes.get(name);
    const side = attribute?.kind === 'relation' ? owningSide(schema, attribute) : null;
    if (!side || attribute?.kind !== 'relation' || ids.length === 0) continue;
    const given = type.localized ? document.locale : config.plugins.i18n.defaultLocale;
    const locale = side.type.localized ? given : null;
    const local = side.type.localized ? { locale } : {};
    const read = collectionName(side.type, from);
    const owners = await write.read(read, { documentId: { $in: ids }, ...local });
    const wanted = new Map<string, OwnerChange>();
    for (const owner of owners) {
      const link = linkTo(changes.current(read, owner) ?? {}, side, document, write);
      wanted.set(String(owner['documentId']), link ? { linked: true, order: link.order } : { linked: false });
    }
    const collection = collectionName(side.type, to);
    if (!attribute.many) {
      // One-to-one from its inverse side: no other owner may keep the document.
      const [holder] = [...wanted].flatMap(([id, { linked }]) => (linked ? [id] : []));
      const filter = { ...ownersOf(side, document), documentId: { $ne: holder }, ...local };
      const others = holder === undefined ? [] : await write.read(collection, filter, ['documentId']);
      for (const other of others) wanted.set(String(other['documentId']), { linked: false });
    }
    await changeOwners(write, document, { side, collection, locale, wanted });
  }
}
