import type { RelationAttribute, Schema } from '../../schema/types.js';
import { type Link, type LinkAttribute, type RelationInput, targetUid } from '../plan/relation-input.js';
import type { Resolved } from '../resolve/targets.js';
import { type ConnectTarget, connectInOrder, positionOf, resolvePosition } from './order.js';
import type { StoredLink } from './stored-links.js';

export interface LinkTools {
  readonly schema: Schema;
  readonly resolved: Resolved;
  /** The source is localized, so a `locale` given with a link is ignored. */
  readonly localized: boolean;
  /** The locale of a link that names none. */
  readonly defaultLocale: string;
  /** Position in the inverse lists for what this write connects. */
  readonly order: number;
}

/** The links of an owning attribute after `input` is applied. */
export function applyLinks(
  attribute: LinkAttribute,
  current: readonly StoredLink[],
  input: RelationInput,
  tools: LinkTools,
): readonly StoredLink[] {
  if (input.kind === 'none' || input.kind === 'invalid') return current;
  const named = (links: readonly Link[]) => links.flatMap((link) => resolveLink(attribute, link, tools));
  if (input.kind === 'set') return narrow(attribute, merge(current, named(input.links)), 'set');
  const connect = named(input.connect);
  const connected = new Set(connect.map(keyOf));
  const dropped = new Set(named(input.disconnect).map(keyOf));
  const kept = current.filter((link) => connected.has(keyOf(link)) || !dropped.has(keyOf(link)));
  if (!attribute.many)
    return narrow(attribute, connect.length > 0 ? merge(current, connect) : kept, 'connect');
  const places = input.connect.flatMap((link) => connectionOf(attribute, link, tools));
  const byKey = new Map([...kept, ...merge(kept, connect)].map((link) => [keyOf(link), link]));
  // What is disconnected may still be an anchor; it has no entry in `byKey`.
  return connectInOrder(current.map(keyOf), places, input.strict).flatMap((key) => byKey.get(key) ?? []);
}

/** The list without repeats; links that were already connected keep their inverse order. */
function merge(current: readonly StoredLink[], links: readonly StoredLink[]): StoredLink[] {
  const known = new Map(current.map((link) => [keyOf(link), link]));
  const merged = new Map<string, StoredLink>();
  for (const link of links) {
    const key = keyOf(link);
    const order = known.get(key)?.order ?? link.order;
    merged.set(key, { ...link, order });
  }
  return [...merged.values()];
}

/**
 * Reduces several links of a to-one attribute to one: media keep the first, a relation keeps the last of a
 * list but the first of `connect`.
 */
function narrow(
  attribute: LinkAttribute,
  links: readonly StoredLink[],
  from: 'set' | 'connect',
): readonly StoredLink[] {
  if (attribute.many || links.length < 2) return links;
  return attribute.kind === 'media' || from === 'connect' ? links.slice(0, 1) : links.slice(-1);
}

function resolveLink(attribute: LinkAttribute, link: Link, tools: LinkTools): StoredLink[] {
  const uid = targetUid(attribute, link.type);
  const documentId = tools.resolved.documentId(uid, link);
  if (documentId === null) return [];
  const target = tools.schema.contentTypes.get(uid);
  const reference = tools.resolved.reference(uid, link);
  return [
    {
      documentId,
      ...(reference === documentId ? {} : { reference }),
      type: attribute.kind === 'relation' && attribute.target === null ? uid : null,
      order: attribute.kind === 'relation' && hasInverseList(tools.schema, attribute) ? tools.order : null,
      locale:
        target?.localized && !tools.localized && link.locale !== tools.defaultLocale ? link.locale : null,
    },
  ];
}

function connectionOf(attribute: LinkAttribute, link: Link, tools: LinkTools): ConnectTarget[] {
  const [stored] = resolveLink(attribute, link, tools);
  if (!stored) return [];
  const uid = targetUid(attribute, link.type);
  const position = positionOf(link, tools.localized ? null : tools.defaultLocale);
  const place = resolvePosition(position, (target) => {
    const named = { ...link, ...target };
    const [anchor] = resolveLink(attribute, named, tools);
    return anchor
      ? { anchor: keyOf(anchor), anchorId: tools.resolved.rowId(uid, named) }
      : { anchor: '', anchorId: target.id ?? 0 };
  });
  return [{ key: keyOf(stored), id: tools.resolved.rowId(uid, link), place }];
}

/** Whether the other side of a two-way relation is a list, which has its own order. */
export function hasInverseList(schema: Schema, attribute: RelationAttribute): boolean {
  if (attribute.inversedBy === null || attribute.target === null) return false;
  return schema.contentTypes.get(attribute.target)?.attributes.get(attribute.inversedBy)?.kind === 'relation'
    ? attribute.relation === 'manyToMany' || attribute.relation === 'manyToOne'
    : false;
}

const keyOf = ({ documentId, type, locale }: StoredLink): string =>
  [documentId, type ?? '', locale ?? ''].join('\u0000');
