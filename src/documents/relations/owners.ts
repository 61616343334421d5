import { contentTypeOf } from '../../schema/find.js';
import type { ContentType, RelationAttribute, Schema } from '../../schema/types.js';
import type { Changes, Entry } from '../../store/changes.js';
import type { DocumentsContext, Source } from '../context.js';
import { hasInverseList, type StoredLink } from './link.js';
import { readLinks, withLinks } from './stored.js';

/** The other end of an inverse attribute: the type and attribute that store the references. */
export interface OwningSide {
  readonly type: ContentType;
  readonly attribute: RelationAttribute;
  /** The inverse side is a list with an order of its own. */
  readonly ordered: boolean;
}

/** Where the references of an inverse attribute are stored; null for an owning attribute. */
export function owningSide(schema: Schema, attribute: RelationAttribute): OwningSide | null {
  const name = attribute.mappedBy ?? attribute.morphBy;
  const type = attribute.target === null ? undefined : contentTypeOf(schema, attribute.target);
  const owning = name === null ? undefined : type?.attributes.get(name);
  if (attribute.owner || !type || owning?.kind !== 'relation') return null;
  return { type, attribute: owning, ordered: hasInverseList(schema, owning) };
}

/** The link to `source` in a stored owner, if it has one. */
export function linkTo(owner: Entry, side: OwningSide, source: Source): StoredLink | undefined {
  return readLinks(owner, side.attribute).find((link) => pointsAt(link, source));
}

/** A filter for the owners that refer to `source`. */
export function ownersOf(side: OwningSide, source: Source): Entry {
  const { name, target } = side.attribute;
  if (target !== null) return { [name]: source.documentId };
  const reference = { __type: source.type.uid, documentId: source.documentId };
  return side.attribute.many
    ? { [name]: { $elemMatch: reference } }
    : { [`${name}.__type`]: reference.__type, [`${name}.documentId`]: reference.documentId };
}

/** What is to become of the link from one owner to the source: `false` removes it, a number is its inverse order. */
export type OwnerChange =
  | { readonly linked: false }
  | { readonly linked: true; readonly order: number | null };

/** Reads the named owners in `collection` and changes their links to `source`. Owners without an entry there are passed over. */
export async function changeOwners(
  context: DocumentsContext,
  changes: Changes,
  collection: string,
  side: OwningSide,
  source: Source,
  wanted: ReadonlyMap<string, OwnerChange>,
  locale: string | null,
): Promise<void> {
  if (wanted.size === 0) return;
  const owners = await context.read(collection, {
    documentId: { $in: [...wanted.keys()] },
    ...(side.type.localized && { locale }),
  });
  for (const owner of owners) {
    const change = wanted.get(String(owner['documentId']));
    const current = changes.current(collection, owner);
    if (!change || !current) continue;
    const links = readLinks(current, side.attribute);
    const known = links.find((link) => pointsAt(link, source));
    if (change.linked ? known && known.order === change.order : !known) continue;
    changes.replace(
      collection,
      owner,
      withLinks(current, side.attribute, relink(side, links, source, change)),
    );
  }
}

function relink(
  side: OwningSide,
  links: readonly StoredLink[],
  source: Source,
  change: OwnerChange,
): readonly StoredLink[] {
  const others = links.filter((link) => !pointsAt(link, source));
  if (!change.linked) return others;
  const known = links.find((link) => pointsAt(link, source));
  const link: StoredLink = {
    documentId: source.documentId,
    type: side.attribute.target === null ? source.type.uid : null,
    order: change.order,
    locale: known?.locale ?? null,
  };
  if (!side.attribute.many) return [link];
  return known ? links.map((other) => (other === known ? link : other)) : [...others, link];
}

const pointsAt = (link: StoredLink, source: Source): boolean =>
  link.documentId === source.documentId && (link.type === null || link.type === source.type.uid);
