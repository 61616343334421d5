import { errors } from '../../errors.js';
import { collectionName } from '../../schema/stored/collections.js';
import type { RelationAttribute } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import type { BuildContext, DocumentRef } from '../context.js';
import type { Link, RelationInput } from '../plan/relation-input.js';
import type { PlannedEntry } from '../plan/write-plan.js';
import { type Resolved, targetLocale } from '../resolve/targets.js';
import { type ConnectTarget, connectInOrder, placeInOrder, positionOf, resolvePosition } from './order.js';
import { changeOwners, linkTo, type OwnerChange, type OwningSide, ownersOf, owningSide } from './owners.js';
import type { PendingInverse } from './pending-inverse.js';

/**
 * Writes the inverse sides in the plan into the entries that own the relation. If the document has Draft &
 * Publish, only into their drafts (publishing repeats it), otherwise into both versions. Returns the owners
 * that publishing must change.
 */
export async function writeInverse(
  write: BuildContext,
  document: DocumentRef,
  { model, links }: PlannedEntry,
  resolved: Resolved,
): Promise<PendingInverse> {
  const pending: Record<string, string[]> = {};
  for (const [name, input] of links) {
    const attribute = model.attributes.get(name);
    const side = attribute?.kind === 'relation' ? owningSide(write.schema, attribute) : null;
    if (attribute?.kind !== 'relation' || !side) continue;
    if (input.kind === 'none' || input.kind === 'invalid') continue;
    // Adopted documents are changed only by writes of their own type.
    if (side.type.storage) throw errors.readOnly(side.type.collectionName);
    const { defaultLocale } = write.config.plugins.i18n;
    const [first] = input.kind === 'set' ? input.links : input.connect;
    const locale = targetLocale(document, side.type, first?.locale ?? null, defaultLocale);
    const shownLocale = document.type.localized ? null : defaultLocale;
    const inverse = { attribute, side, input, locale, shownLocale };
    const wanted = await planOwners(write, document, inverse, resolved);
    const draft = collectionName(side.type, 'draft');
    await changeOwners(write, document, { side, collection: draft, locale, wanted });
    if (!side.type.draftAndPublish) continue;
    const live = collectionName(side.type, 'published');
    if (document.type.draftAndPublish) pending[name] = [...wanted.keys()];
    else await changeOwners(write, document, { side, collection: live, locale, wanted });
  }
  return pending;
}

/** One inverse attribute in a plan. */
interface InverseWrite {
  readonly attribute: RelationAttribute;
  readonly side: OwningSide;
  readonly input: Extract<RelationInput, { kind: 'set' | 'change' }>;
  /** The locale of the owners. */
  readonly locale: string | null;
  /** What messages name of a link without a locale: see `positionOf`. */
  readonly shownLocale: string | null;
}

/** The drafts that match the filter and refer to the document: their places in its list, in order. */
async function linkedOwners(
  write: BuildContext,
  document: DocumentRef,
  side: OwningSide,
  filter: Entry,
): Promise<Map<string, number>> {
  const collection = collectionName(side.type, 'draft');
  const fields = ['documentId', 'id', '_rev', '_links', side.attribute.name];
  const places = (await write.read(collection, filter, fields)).flatMap((owner): [string, number][] => {
    // This write may already have changed the owner: a self-relation whose two sides are both given.
    const now = write.changes.current(collection, owner);
    const link = now && linkTo(now, side, document, write);
    return link ? [[String(owner['documentId']), link.order ?? Number(owner['id'])]] : [];
  });
  return new Map(places.sort(([, a], [, b]) => a - b));
}

/** The inverse sides of a draft as data: what is written to them links another document to the same owners. */
export async function inverseAsData(write: BuildContext, document: DocumentRef): Promise<Entry> {
  const { schema, config } = write;
  const data: Entry = {};
  for (const attribute of document.type.attributes.values()) {
    if (attribute.kind !== 'relation' || attribute.mappedBy === null) continue;
    const side = owningSide(schema, attribute);
    if (!side || side.type.storage) continue;
    const locale = targetLocale(document, side.type, null, config.plugins.i18n.defaultLocale);
    const filter = { ...ownersOf(side, document), ...(side.type.localized && { locale }) };
    const owners = await linkedOwners(write, document, side, filter);
    data[attribute.name] = { set: [...owners.keys()].map((documentId) => ({ documentId })) };
  }
  return data;
}

/** The change for each owner. The present list is only read if it is replaced or positions are given. */
async function planOwners(
  write: BuildContext,
  document: DocumentRef,
  inverse: InverseWrite,
  resolved: Resolved,
): Promise<Map<string, OwnerChange>> {
  const { read, sequences } = write;
  const { attribute, side, input, locale } = inverse;
  const named = (links: readonly Link[]) =>
    links.flatMap((link) => resolved.documentId(side.type.uid, link) ?? []);
  const links = input.kind === 'set' ? input.links : input.connect;
  const connected = new Set(named(links));
  const dropped = input.kind === 'set' ? [] : named(input.disconnect).filter((id) => !connected.has(id));
  const whole =
    input.kind === 'set' || !attribute.many || links.some(({ position }) => position.at !== 'end');
  const filter = { ...ownersOf(side, document), ...(side.type.localized && { locale }) };
  const asked = whole ? filter : { ...filter, documentId: { $in: [...connected, ...dropped] } };
  const order = await linkedOwners(write, document, side, asked);
  const current = [...order.keys()];
  const list = listAfter(inverse, { current, connected: [...connected], dropped }, resolved);
  const moved = input.kind === 'set' ? new Set<string>() : connected;
  // From the id sequence of the owners, so that owners without a number, which sort by id, fit in.
  const count = input.kind === 'set' ? list.length : connected.size;
  const fresh = ascending(side.ordered ? await sequences.take(side.type.uid, count) : []);
  const placed = side.ordered ? placeInOrder(list, order, moved, fresh) : null;

  // These also apply to published owners, even if the drafts already agree.
  const replaces = input.kind === 'set' || (!attribute.many && connected.size > 0);
  const live =
    replaces && side.type.draftAndPublish
      ? await read(collectionName(side.type, 'published'), filter, ['documentId'])
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
  { attribute, side, input, shownLocale }: InverseWrite,
  { current, connected, dropped }: Lists,
  resolved: Resolved,
): string[] {
  if (!attribute.many) {
    if (input.kind === 'set') return connected.slice(-1);
    return connected.length > 0 ? connected.slice(0, 1) : current.filter((id) => !dropped.includes(id));
  }
  if (input.kind === 'set') return [...connected];
  const { uid } = side.type;
  const connections = input.connect.flatMap((link): ConnectTarget[] => {
    const key = resolved.documentId(uid, link);
    if (key === null) return [];
    const place = resolvePosition(positionOf(link, shownLocale), (named) => ({
      anchor: resolved.documentId(uid, named) ?? '',
      anchorId: resolved.rowId(uid, named) || (named.id ?? 0),
    }));
    return [{ key, id: resolved.rowId(uid, link), place }];
  });
  // What is disconnected may still be an anchor.
  return connectInOrder(current, connections, input.strict).filter((id) => !dropped.includes(id));
}

/** Hands out the numbers in order, then higher ones. */
function ascending(numbers: number[]): () => number {
  let last = numbers.at(-1) ?? 0;
  return () => {
    const next = numbers.shift() ?? last + 1;
    last = Math.max(last, next);
    return next;
  };
}
