import type { Model, Schema } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import { mapObjects } from '../../values/plain-object.js';
import { componentOf, holdsItems } from '../plan/items.js';

/**
 * The fields `_strapi` and `_strapi3` of a stored entry or item, in which an import keeps what has no
 * attribute.
 */
export const importedFields = (stored: Entry | null): Entry =>
  Object.fromEntries(
    Object.entries(stored ?? {}).filter(([name]) => name === '_strapi' || name === '_strapi3'),
  );

/** The non-system attributes of `entry`, with new ids for its component items. */
export function copyFields(schema: Schema, model: Model, entry: Entry, nextId: () => number): Entry {
  const copy: Entry = '_links' in entry ? { _links: entry['_links'] } : {};
  for (const attribute of model.attributes.values()) {
    const value = entry[attribute.name];
    if (attribute.system || value === undefined) continue;
    if (!holdsItems(attribute)) {
      copy[attribute.name] = value;
      continue;
    }
    const copyItem = (item: Entry): unknown => {
      const inner = componentOf(schema, attribute, item);
      if (!inner) return item;
      return {
        ...(attribute.kind === 'zone' && { __component: inner.uid }),
        id: nextId(),
        ...importedFields(item),
        ...copyFields(schema, inner, item, nextId),
      };
    };
    copy[attribute.name] = mapObjects(value, copyItem);
  }
  return copy;
}

/** The non-system attributes of `entry` without the ids of its component items. */
export const contentOf = (schema: Schema, model: Model, entry: Entry): Entry =>
  copyFields(schema, model, entry, () => 0);
