import type { Entry } from '../../store/entries/changes.js';
import { keyText } from '../../values/json-form.js';
import { objectAt, textOf } from '../../values/plain-object.js';
import type { LinkAttribute } from '../plan/relation-input.js';

/** One link of an owning attribute: a reference and its part of `_links`. */
export interface StoredLink {
  readonly documentId: string;
  /** The stored value, if it is not the documentId: the `_id` of an adopted document. */
  readonly reference?: unknown;
  /** uid of the target, in polymorphic relations. */
  readonly type: string | null;
  /** Position in the inverse side's list; null sorts by id. */
  readonly order: number | null;
  readonly locale: string | null;
}

/** What `_links` stores for each reference, in lists parallel to the references. */
type LinkNote = 'order' | 'locale';
type Links = Readonly<Record<string, Partial<Record<LinkNote, unknown>>>>;

const SIDES: readonly LinkNote[] = ['order', 'locale'];

/** The links of `attribute` in a stored entry or component item. */
export function readLinks(entry: Entry, attribute: LinkAttribute): StoredLink[] {
  const value = entry[attribute.name];
  const list = Array.isArray(value) ? value : value === null || value === undefined ? [] : [value];
  const notes = linksOf(entry)[attribute.name] ?? {};
  const at = (side: LinkNote, index: number): unknown => {
    const values = notes[side];
    return Array.isArray(values) ? values[index] : undefined;
  };
  return list.flatMap((reference, index): StoredLink[] => {
    const order = at('order', index);
    const named = {
      order: order === null || order === undefined ? null : Number(order),
      locale: textOf(at('locale', index)),
    };
    if (typeof reference === 'string') return [{ ...named, documentId: reference, type: null }];
    if (attribute.link.foreign === '_id' && reference !== null)
      return [{ ...named, documentId: keyText(reference), reference, type: null }];
    const { __type: type, documentId } = objectAt(reference);
    return typeof documentId === 'string' ? [{ ...named, documentId, type: textOf(type) }] : [];
  });
}

/** `entry` with these links under `attribute`. `_links` is only present if a link needs it. */
export function withLinks(entry: Entry, attribute: LinkAttribute, links: readonly StoredLink[]): Entry {
  const references = links.map(({ documentId, type, reference }) =>
    type === null ? (reference ?? documentId) : { __type: type, documentId },
  );
  const { [attribute.name]: _old, ...others } = linksOf(entry);
  const notes: Partial<Record<LinkNote, unknown>> = {};
  for (const side of SIDES)
    if (links.some((link) => link[side] !== null)) notes[side] = links.map((link) => link[side]);
  const all = Object.keys(notes).length > 0 ? { ...others, [attribute.name]: notes } : others;
  const { _links, ...rest } = entry;
  return {
    ...rest,
    [attribute.name]: attribute.many ? references : (references[0] ?? null),
    ...(Object.keys(all).length > 0 && { _links: all }),
  };
}

function linksOf(entry: Entry): Links {
  const links = entry['_links'];
  return typeof links === 'object' && links !== null ? (links as Links) : {};
}
