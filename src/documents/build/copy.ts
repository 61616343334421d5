import type { Component, ComponentAttribute, Model, Schema, ZoneAttribute } from '../../schema/types.js';
import type { Entry } from '../../store/changes.js';

/** How many component items an entry holds, at any depth: that many ids a copy of it needs. */
export function countItems(schema: Schema, model: Model, entry: Entry): number {
  let count = 0;
  for (const { item, model: inner } of itemsAt(schema, model, entry))
    count += 1 + countItems(schema, inner, item);
  return count;
}

/** The own attributes of `entry` with new ids for its component items (rules G.5). */
export function copyFields(schema: Schema, model: Model, entry: Entry, nextId: () => number): Entry {
  const copy: Entry = '_links' in entry ? { _links: entry['_links'] } : {};
  for (const attribute of model.attributes.values()) {
    const value = entry[attribute.name];
    if (attribute.system || value === undefined) continue;
    if (attribute.kind !== 'component' && attribute.kind !== 'zone') {
      copy[attribute.name] = value;
      continue;
    }
    const uid = attribute.kind === 'component' ? attribute.component : null;
    const copyItem = (item: unknown): unknown => {
      const inner = isEntry(item) ? schema.components.get(uid ?? String(item['__component'])) : undefined;
      if (!inner || !isEntry(item)) return item;
      return {
        ...(uid === null && { __component: inner.uid }),
        id: nextId(),
        ...copyFields(schema, inner, item, nextId),
      };
    };
    copy[attribute.name] = Array.isArray(value) ? value.map(copyItem) : copyItem(value);
  }
  return copy;
}

/** One component item of an entry, and where it stands. */
interface Item {
  readonly item: Entry;
  readonly model: Component;
  readonly attribute: ComponentAttribute | ZoneAttribute;
  /** Attribute name, and the position in a list. */
  readonly path: readonly string[];
}

/** The component items directly in `entry`. */
export function itemsAt(schema: Schema, model: Model, entry: Entry): Item[] {
  const items: Item[] = [];
  for (const attribute of model.attributes.values()) {
    if (attribute.kind !== 'component' && attribute.kind !== 'zone') continue;
    const value = entry[attribute.name];
    const list = Array.isArray(value) ? value : [value];
    list.forEach((item, at) => {
      if (!isEntry(item)) return;
      const uid = attribute.kind === 'component' ? attribute.component : String(item['__component']);
      const inner = schema.components.get(uid);
      const path = Array.isArray(value) ? [attribute.name, String(at)] : [attribute.name];
      if (inner) items.push({ item, model: inner, attribute, path });
    });
  }
  return items;
}

const isEntry = (value: unknown): value is Entry =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
