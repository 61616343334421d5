import type { ContentType, Schema } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import { readLinks, withLinks } from '../relations/stored-links.js';
import { copyFields } from './copy.js';
import type { EntryTools } from './fields.js';

/** The attributes of `entry` that `names` accepts, with their part of `_links`. */
export function pickStored(entry: Entry, names: (name: string) => boolean): Entry {
  const { _links: links, ...values } = entry;
  const own = (all: object): Entry => Object.fromEntries(Object.entries(all).filter(([name]) => names(name)));
  const notes = own(typeof links === 'object' && links !== null ? links : {});
  return { ...own(values), ...(Object.keys(notes).length > 0 && { _links: notes }) };
}

/**
 * What a new version copies from another one, `from`. References are copied unchecked: the caller did not
 * name them, so a dangling one is not reported. In inverse lists the new version goes to the end.
 */
export function inheritFrom(
  type: ContentType,
  from: Entry,
  { schema, order, nextId }: Pick<EntryTools, 'order' | 'nextId'> & { readonly schema: Schema },
): Entry {
  let entry = copyFields(schema, type, from, nextId);
  for (const attribute of type.attributes.values()) {
    if (attribute.kind !== 'relation' || attribute.system || entry[attribute.name] === undefined) continue;
    const links = readLinks(entry, attribute);
    if (links.some((link) => link.order !== null))
      entry = withLinks(
        entry,
        attribute,
        links.map((link) => ({ ...link, order })),
      );
  }
  return entry;
}
