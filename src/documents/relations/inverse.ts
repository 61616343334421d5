import type { RelationAttribute } from '../../schema/types.js';
import type { Changes, Entry } from '../../store/changes.js';
import { collectionName } from '../../store/collections.js';
import type { DocumentsContext, Source } from '../context.js';
import { type Link, parseRelation, type RelationInput } from '../plan/relation-input.js';
import { type Resolved, targetLocale } from '../resolve/targets.js';
import { type Connection, connectInOrder } from './order.js';
import { changeOwners, linkTo, type OwnerChange, type OwningSide, ownersOf, owningSide } from './owners.js';
import { placeInOrder } from './place.js';

/** Owners that a draft changed, by inverse attribute: what its publication has to repeat on their published entries. */
export type Touched = Readonly<Record<string, readonly string[]>>;

/**
 * Writes the inverse sides that `data` names into the entries that own the relation: into their drafts where the source has Draft &
 * Publish (publishing repeats it), else into both versions (rules F.3). Returns the owners touched.
 */
export async function writeInverse(
  context: DocumentsContext,
  changes: Changes,
  source: Source,
  data: Entry,
  resolved: Resolved,
): Promise<Touched> {
  const touched: Record<string, string[]> = {};
  for (const attribute of source.type.attributes.values()) {
    if (attribute.kind !== 'relation' || attribute.system || data[attribute.name] === undefined) continue;
    const side = owningSide(context.schema, attribute);
    const input = parseRelation(data[attribute.name]);
    if (!side || input.kind === 'none') continue;
    const wanted = await planOwners(context, changes, source, attribute, side, input, resolved);
    const locale = localeOf(context, source, side, input);
    await changeOwners(context, changes, collectionName(side.type, 'draft'), side, source, wanted, locale);
    if (!side.type.draftAndPublish) continue;
    if (source.type.draftAndPublish) touched[attribute.name] = [...wanted.keys()];
    else
      await changeOwners(
        context,
        changes,
        collectionName(side.type, 'published'),
        side,
        source,
        wanted,
        locale,
      );
  }
  return touched;
}

/** What changes for which owner. Only where positions or a whole list are given is the present list read. */
async function planOwners(
  context: DocumentsContext,
  changes: Changes,
  source: Source,
  attribute: RelationAttribute,
  side: OwningSide,
  input: Exclude<RelationInput, { kind: 'none' }>,
  resolved: Resolved,
): Promise<Map<string, OwnerChange>> {
  const named = (links: readonly Link[]) =>
    links.flatMap((link) => resolved.documentId(side.type.uid, link) ?? []);
  const links = input.kind === 'set' ? input.links : input.connect;
  const connected = new Set(named(links));
  const dropped = input.kind === 'set' ? [] : named(input.disconnect).filter((id) => !connected.has(id));
  const whole =
    input.kind === 'set' || !attribute.many || links.some(({ position }) => position.at !== 'end');
  const collection = collectionName(side.type, 'draft');
  const filter = {
    ...ownersOf(side, source),
    ...(side.type.localized && { locale: localeOf(context, source, side, input) }),
  };
  const owners = (
    await context.read(
      collection,
      {
        ...filter,
        ...(!whole && { documentId: { $in: [...connected, ...dropped] } }),
      },
      ['documentId', 'id', '_rev', '_links', side.attribute.name],
    )
  ).flatMap((owner) => {
    // This write itself may have changed the owner already: a self relation that names both ends.
    const now = changes.current(collection, owner);
    return now && linkTo(now, side, source) ? [now] : [];
  });
  const order = new Map(
    owners.map((owner) => [
      String(owner['documentId']),
      linkTo(owner, side, source)?.order ?? Number(owner['id']),
    ]),
  );
  const current = [...order.keys()].sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
  const list = listAfter(attribute, side, input, { current, connected: [...connected], dropped }, resolved);
  const fresh = await freshNumbers(context, side, input.kind === 'set' ? list.length : connected.size);
  const moved = input.kind === 'set' ? new Set<string>() : connected;
  const placed = side.ordered ? placeInOrder(list, order, moved, fresh) : null;

  // What is said here holds for the published owners too, also where the drafts have it so already.
  const replaces = input.kind === 'set' || (!attribute.many && connected.size > 0);
  const live =
    replaces && side.type.draftAndPublish
      ? await context.read(collectionName(side.type, 'published'), filter, ['documentId'])
      : [];
  const wanted = new Map<string, OwnerChange>();
  const gone = [...current, ...dropped, ...live.map(({ documentId }) => String(documentId))];
  const kept = new Set(list);
  for (const id of gone) if (!kept.has(id)) wanted.set(id, { linked: false });
  for (const id of list)
    if (replaces || connected.has(id) || placed?.has(id))
      wanted.set(id, { linked: true, order: placed?.get(id) ?? order.get(id) ?? null });
  return wanted;
}

interface Lists {
  readonly current: readonly string[];
  readonly connected: readonly string[];
  readonly dropped: readonly string[];
}

function listAfter(
  attribute: RelationAttribute,
  side: OwningSide,
  input: Exclude<RelationInput, { kind: 'none' }>,
  { current, connected, dropped }: Lists,
  resolved: Resolved,
): string[] {
  if (!attribute.many) {
    if (input.kind === 'set') return connected.slice(-1);
    return connected.length > 0 ? connected.slice(0, 1) : current.filter((id) => !dropped.includes(id));
  }
  if (input.kind === 'set') return [...connected];
  const kept = current.filter((id) => !dropped.includes(id));
  const connections = input.connect.flatMap((link): Connection[] => {
    const key = resolved.documentId(side.type.uid, link);
    if (key === null) return [];
    const { position } = link;
    const id = resolved.rowId(side.type.uid, link);
    if (!('anchor' in position)) return [{ key, id, place: position }];
    const anchor = resolved.documentId(side.type.uid, position.anchor) ?? '';
    const anchorId = resolved.rowId(side.type.uid, position.anchor) || (position.anchor.id ?? 0);
    return [{ key, id, place: { at: position.at, anchor, anchorId } }];
  });
  return connectInOrder(kept, connections, input.strict);
}

/** Order numbers come from the sequence of the owners' ids, so that "no number: by id" sorts among them. */
async function freshNumbers(
  context: DocumentsContext,
  side: OwningSide,
  count: number,
): Promise<() => number> {
  const numbers = side.ordered ? await context.sequences.take(side.type.uid, count) : [];
  let last = numbers.at(-1) ?? 0;
  return () => {
    const next = numbers.shift() ?? last + 1;
    last = Math.max(last, next);
    return next;
  };
}

const localeOf = (
  context: DocumentsContext,
  source: Source,
  side: OwningSide,
  input: Exclude<RelationInput, { kind: 'none' }>,
): string | null => {
  const [first] = input.kind === 'set' ? input.links : input.connect;
  return targetLocale(source, side.type, first?.locale ?? null, context.config.plugins.i18n.defaultLocale);
};
