import type { Component, ComponentAttribute, Model, Schema, ZoneAttribute } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import { isObject } from '../../values/plain-object.js';

/** An attribute whose value is made of component items. */
export type ItemsAttribute = ComponentAttribute | ZoneAttribute;

/** One component item: what it holds, by which component, and where it stands. */
interface Item {
  readonly item: Entry;
  readonly model: Component;
  readonly attribute: ItemsAttribute;
  /** The attribute's name, and the position in a list. */
  readonly path: readonly string[];
}

export const holdsItems = (attribute: { readonly kind: string }): attribute is ItemsAttribute =>
  attribute.kind === 'component' || attribute.kind === 'zone';

/** The component of one item; undefined for what is not an item of a component that the project has. */
export function componentOf(schema: Schema, attribute: ItemsAttribute, item: unknown): Component | undefined {
  if (!isObject(item)) return undefined;
  const uid = attribute.kind === 'component' ? attribute.component : item['__component'];
  return typeof uid === 'string' ? schema.components.get(uid) : undefined;
}

/** The component items directly in `entry`, of components and zones alike. */
export function* walkItems(schema: Schema, model: Model, entry: Entry): Generator<Item> {
  for (const attribute of model.attributes.values()) {
    if (!holdsItems(attribute)) continue;
    const value = entry[attribute.name];
    const many = Array.isArray(value);
    for (const [at, item] of (many ? value : [value]).entries()) {
      const component = componentOf(schema, attribute, item);
      const path = many ? [attribute.name, String(at)] : [attribute.name];
      if (component) yield { item, model: component, attribute, path };
    }
  }
}

/** How many component items an entry holds, at any depth: that many ids a copy of it needs. */
export function countItems(schema: Schema, model: Model, entry: Entry): number {
  let count = 0;
  for (const { item, model: inner } of walkItems(schema, model, entry))
    count += 1 + countItems(schema, inner, item);
  return count;
}
