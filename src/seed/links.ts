import { componentOf } from '../documents/plan/items.js';
import type { LinkAttribute } from '../documents/plan/relation-input.js';
import type { Attribute, Model, Schema } from '../schema/types.js';
import { isPlainObject, type PlainObject } from '../values/plain-object.js';
import type { SeedRow } from './types.js';

/** Returns the replacement for one item of a relation or media attribute. */
type Visit = (attribute: LinkAttribute, item: unknown) => unknown;

const CHANGES = ['set', 'connect', 'disconnect'];

/** The value of an attribute in which each reference, at any depth, is replaced by the result of `visit`. */
export function mapLinks(schema: Schema, attribute: Attribute, value: unknown, visit: Visit): unknown {
  if (value === null || value === undefined || attribute.kind === 'scalar') return value;
  if (Array.isArray(value)) return value.map((item) => mapLinks(schema, attribute, item, visit));
  if (attribute.kind === 'relation' || attribute.kind === 'media') {
    if (!isPlainObject(value) || !CHANGES.some((name) => name in value)) return visit(attribute, value);
    return mapMembers(value, (name, inner) =>
      CHANGES.includes(name) ? mapLinks(schema, attribute, inner, visit) : inner,
    );
  }
  if (!isPlainObject(value)) return value;
  const model = componentOf(schema, attribute, value);
  return model ? mapEntry(schema, model, value, visit) : value;
}

const mapEntry = (schema: Schema, model: Model, entry: PlainObject, visit: Visit): PlainObject =>
  mapMembers(entry, (name, value) => {
    const attribute = model.attributes.get(name);
    return attribute ? mapLinks(schema, attribute, value, visit) : value;
  });

const mapMembers = (object: PlainObject, map: (name: string, value: unknown) => unknown): PlainObject =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(name, value)]));

/** Visits all references in the data of a row. */
export function visitLinks(
  schema: Schema,
  { type, data }: Pick<SeedRow, 'type' | 'data'>,
  visit: (attribute: LinkAttribute, item: unknown) => void,
): void {
  for (const [name, value] of Object.entries(data)) {
    const attribute = type.attributes.get(name);
    if (attribute) mapLinks(schema, attribute, value, visit);
  }
}
