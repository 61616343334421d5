import type { ContentType, RelationAttribute, Schema } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import type { BuildContext, DocumentRef } from '../context.js';
import { hasInverseList } from './apply-links.js';
import { readLinks, type StoredLink, withLinks } from './stored-links.js';

/** The other end of an inverse attribute: the type and attribute that store the references. */
export interface OwningSide {
  readonly type: ContentType;
  readonly attribute: RelationAttribute;
  /** The inverse side is a list with its own order. */
  readonly ordered: boolean;
}

/** The owning side of an inverse attribute; null for an owning attribute. */
export function owningSide(schema: Schema, attribute: RelationAttribute): OwningSide | null {
  const name = attribute.mappedBy ?? attribute.morphBy;
  const type = attribute.target === null ? undefined : schema.contentTypes.get(attribute.target);
  const owning = name === null ? undefined : type?.attributes.get(name);
  if (attribute.owner || !type || owning?.kind !== 'relation') return null;
  return { type, attribute: owning, ordered: hasInverseList(schema, owning) };
}

/** The link to `document` in a stored owner, if there is one. */
export function linkTo(
  owner: Entry,
  side: OwningSide,
  document: DocumentRef,
  { config }: Pick<BuildContext, 'config'>,
): StoredLink | undefined {
  const end = endOf(side, document, config);
  return readLinks(owner, side.attribute).find((link) => pointsAt(link, end));
}

/** What a link must match to refer to a document in the locale being written. */
interface LinkEnd {
  readonly document: DocumentRef;
  /**
   * If only the document is localized, its locale as stored with the link, null for the default one;
   * otherwise undefined, which matches any.
   */
  readonly locale: string | null | undefined;
}

function endOf(side: OwningSide, document: DocumentRef, config: BuildContext['config']): LinkEnd {
  if (!document.type.localized || side.type.localized) return { document, locale: undefined };
  const { defaultLocale } = config.plugins.i18n;
  return { document, locale: document.locale === defaultLocale ? null : document.locale };
}

/** A filter for the owners that refer to `document`. */
export function ownersOf(side: OwningSide, document: DocumentRef): Entry {
  const { name, target } = side.attribute;
  if (target !== null) return { [name]: document.documentId };
  const reference = { __type: document.type.uid, documentId: document.documentId };
  return side.attribute.many
    ? { [name]: { $elemMatch: reference } }
    : { [`${name}.__type`]: reference.__type, [`${name}.documentId`]: reference.documentId };
}

/** The new state of the link from an owner to the document; `order` is its position in the inverse list. */
export type OwnerChange =
  | { readonly linked: false }
  | { readonly linked: true; readonly order: number | null };

/** Changes of owners in one collection, by documentId. */
interface OwnerChanges {
  readonly side: OwningSide;
  readonly collection: string;
  /** The locale of the owners, if their type is localized. */
  readonly locale: string | null;
  readonly wanted: ReadonlyMap<string, OwnerChange>;
}

/**
 * Reads the given owners and changes their links to `document`. Owners without an entry in the collection are
 * skipped.
 */
export async function changeOwners(
  { read, changes, config }: BuildContext,
  document: DocumentRef,
  { side, collection, locale, wanted }: OwnerChanges,
): Promise<void> {
  if (wanted.size === 0) return;
  const end = endOf(side, document, config);
  const owners = await read(collection, {
    documentId: { $in: [...wanted.keys()] },
    ...(side.type.localized && { locale }),
  });
  for (const owner of owners) {
    const change = wanted.get(String(owner['documentId']));
    const current = changes.current(collection, owner);
    if (!change || !current) continue;
    const links = readLinks(current, side.attribute);
    const known = links.find((link) => pointsAt(link, end));
    if (change.linked ? known && known.order === change.order : !known) continue;
    const after = relink(side, links, end, change);
    changes.replace(collection, owner, withLinks(current, side.attribute, after));
  }
}

function relink(
  side: OwningSide,
  links: readonly StoredLink[],
  end: LinkEnd,
  change: OwnerChange,
): readonly StoredLink[] {
  const others = links.filter((link) => !pointsAt(link, end));
  if (!change.linked) return others;
  const known = links.find((link) => pointsAt(link, end));
  const { document, locale } = end;
  const link: StoredLink = {
    documentId: document.documentId,
    type: side.attribute.target === null ? document.type.uid : null,
    order: change.order,
    locale: known?.locale ?? locale ?? null,
  };
  if (!side.attribute.many) return [link];
  return known ? links.map((other) => (other === known ? link : other)) : [...others, link];
}

const pointsAt = (link: StoredLink, { document, locale }: LinkEnd): boolean =>
  link.documentId === document.documentId &&
  (link.type === null || link.type === document.type.uid) &&
  (locale === undefined || link.locale === locale);
