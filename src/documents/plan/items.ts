import type { Component, ComponentAttribute, Model, Schema, ZoneAttribute } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import { asText } from '../../values/as-text.js';
import { isObject } from '../../values/plain-object.js';

/** An attribute whose value consists of component items. */
export type ItemsAttribute = ComponentAttribute | ZoneAttribute;

/** A component item: its values, its component, and its position. */
interface Item {
  readonly item: Entry;
  readonly model: Component;
  readonly attribute: ItemsAttribute;
  /** The attribute's name, followed by the index if it is a list. */
  readonly path: readonly string[];
}

export const holdsItems = (attribute: { readonly kind: string }): attribute is ItemsAttribute =>
  attribute.kind === 'component' || attribute.kind === 'zone';

/** The uid of an item's component: given by the attribute or, in a zone, by the item. */
export const componentUid = (attribute: ItemsAttribute, item: Entry): string =>
  attribute.kind === 'component' ? attribute.component : asText(item['__component']);

/** The component of an item; undefined if the value is not an object or the component is unknown. */
export const componentOf = (
  schema: Schema,
  attribute: ItemsAttribute,
  item: unknown,
): Component | undefined =>
  isObject(item) ? schema.components.get(componentUid(attribute, item)) : undefined;

/** The objects in the value of one attribute, with their paths. */
export const valuesOfItems = (
  { name }: ItemsAttribute,
  { [name]: value }: Entry,
): readonly Pick<Item, 'item' | 'path'>[] =>
  Array.isArray(value)
    ? value.flatMap((item, at) => (isObject(item) ? [{ item, path: [name, String(at)] }] : []))
    : isObject(value)
      ? [{ item: value, path: [name] }]
      : [];

/** The component items directly in `entry`, of components and zones. */
export function* walkItems(schema: Schema, model: Model, entry: Entry): Generator<Item> {
  for (const attribute of model.attributes.values()) {
    if (!holdsItems(attribute)) continue;
    for (const { item, path } of valuesOfItems(attribute, entry)) {
      const component = componentOf(schema, attribute, item);
      if (component) yield { item, model: component, attribute, path };
    }
  }
}

/** The component items of an entry at any depth, each before its own items. */
export function* walkAllItems(schema: Schema, model: Model, entry: Entry): Generator<Item> {
  for (const found of walkItems(schema, model, entry)) {
    yield found;
    yield* walkAllItems(schema, found.model, found.item);
  }
}

/** The number of component items in an entry at any depth, which is how many new ids a copy needs. */
export const countItems = (schema: Schema, model: Model, entry: Entry): number =>
  [...walkAllItems(schema, model, entry)].length;
