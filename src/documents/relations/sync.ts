import type { Status } from '../../query/read-plan.js';
import type { Changes, Entry } from '../../store/changes.js';
import { collectionName } from '../../store/collections.js';
import type { DocumentsContext, Source } from '../context.js';
import type { Touched } from './inverse.js';
import { changeOwners, linkTo, type OwnerChange, type OwningSide, ownersOf, owningSide } from './owners.js';
import { readLinks, withLinks } from './stored.js';

/** The owners noted in a draft by the writes since its last publication. */
export function touchedOf(draft: Entry): Touched {
  const touched = draft['_touched'];
  return typeof touched === 'object' && touched !== null ? (touched as Touched) : {};
}

/** `entry` with more owners noted. */
export function withTouched(entry: Entry, touched: Touched): Entry {
  const all: Record<string, readonly string[]> = { ...touchedOf(entry) };
  for (const [name, owners] of Object.entries(touched))
    all[name] = [...new Set([...(all[name] ?? []), ...owners])];
  const { _touched, ...rest } = entry;
  return Object.values(all).some((owners) => owners.length > 0) ? { ...rest, _touched: all } : rest;
}

/**
 * Makes the touched owners' links to the source the same in version `to` as they are in version `from`: at publish from drafts to
 * published entries, at discardDraft the other way. Costs what was changed, not the number of incoming links.
 */
export async function syncOwners(
  context: DocumentsContext,
  changes: Changes,
  source: Source,
  touched: Touched,
  from: Status,
  to: Status,
): Promise<void> {
  for (const [name, ids] of Object.entries(touched)) {
    const attribute = source.type.attributes.get(name);
    const side = attribute?.kind === 'relation' ? owningSide(context.schema, attribute) : null;
    if (!side || !attribute || ids.length === 0) continue;
    const locale = source.type.localized ? source.locale : context.config.plugins.i18n.defaultLocale;
    const read = collectionName(side.type, from);
    const owners = await context.read(read, {
      documentId: { $in: ids },
      ...(side.type.localized && { locale }),
    });
    const wanted = new Map<string, OwnerChange>();
    for (const owner of owners) {
      const link = linkTo(changes.current(read, owner) ?? {}, side, source);
      wanted.set(String(owner['documentId']), link ? { linked: true, order: link.order } : { linked: false });
    }
    const write = collectionName(side.type, to);
    await changeOwners(context, changes, write, side, source, wanted, side.type.localized ? locale : null);
    if (attribute.kind !== 'relation' || attribute.many) continue;
    const [holder] = [...wanted].filter(([, change]) => change.linked).map(([id]) => id);
    if (holder) await release(context, changes, write, source, side, holder);
  }
}

/** One-to-one from its inverse side: no other owner keeps the source. */
async function release(
  context: DocumentsContext,
  changes: Changes,
  collection: string,
  source: Source,
  side: OwningSide,
  holder: string,
): Promise<void> {
  const others = await context.read(
    collection,
    {
      ...ownersOf(side, source),
      documentId: { $ne: holder },
      ...(side.type.localized && { locale: source.locale }),
    },
    ['documentId'],
  );
  const lost = others.map((other): [string, OwnerChange] => [String(other['documentId']), { linked: false }]);
  await changeOwners(context, changes, collection, side, source, new Map(lost), source.locale);
}

/**
 * One-to-one from its owning side: whoever else holds a target that `entry` has newly taken loses it (rules F; same version and
 * locale only).
 */
export async function enforceOneToOne(
  context: DocumentsContext,
  changes: Changes,
  source: Source,
  collection: string,
  entry: Entry,
  before: Entry | null,
): Promise<void> {
  for (const attribute of source.type.attributes.values()) {
    if (attribute.kind !== 'relation' || attribute.relation !== 'oneToOne' || attribute.inversedBy === null)
      continue;
    const [link] = readLinks(entry, attribute);
    if (!link || link.documentId === readLinks(before ?? {}, attribute)[0]?.documentId) continue;
    const others = await context.read(collection, {
      [attribute.name]: link.documentId,
      documentId: { $ne: source.documentId },
      ...(source.type.localized && { locale: source.locale }),
    });
    for (const other of others) {
      const current = changes.current(collection, other);
      if (current) changes.replace(collection, other, withLinks(current, attribute, []));
    }
  }
}
