import type { Attribute, Component, ContentType, Model, ScalarAttribute, Schema } from './types.js';
import { FILE_UID } from './uids.js';

/** The content type with this uid, which is known to exist. */
export function existingType(schema: Schema, uid: string): ContentType {
  const type = schema.contentTypes.get(uid);
  if (!type) throw new TypeError(`no content type ${uid}`);
  return type;
}

/** The component with this uid, which is known to exist. */
export function existingComponent(schema: Schema, uid: string): Component {
  const component = schema.components.get(uid);
  if (!component) throw new TypeError(`no component ${uid}`);
  return component;
}

/** The content type or component with this uid, or undefined. */
export const modelOf = (schema: Schema, uid: string): Model | undefined =>
  schema.contentTypes.get(uid) ?? schema.components.get(uid);

/**
 * The model that an attribute leads to; null for scalars, and for dynamic zones and polymorphic relations,
 * which lead to several.
 */
export function targetOf(schema: Schema, attribute: Attribute): Model | null {
  switch (attribute.kind) {
    case 'component':
      return schema.components.get(attribute.component) ?? null;
    case 'media':
      return schema.contentTypes.get(FILE_UID) ?? null;
    case 'relation':
      return attribute.target === null ? null : (modelOf(schema, attribute.target) ?? null);
    default:
      return null;
  }
}

/** The content types in Mangrove's own collections; the others are adopted. */
export const storedTypes = (schema: Schema): readonly ContentType[] =>
  [...schema.contentTypes.values()].filter(({ storage }) => storage === null);

/**
 * The type served at `/api/<name>`: a collection type by its plural name, a single type by its singular name.
 */
export const byRoute = (schema: Schema, name: string): ContentType | undefined =>
  [...schema.contentTypes.values()].find((type) => type.origin === 'api' && routeOf(type) === name);

/** The first path segment under the API prefix. */
export const routeOf = (type: ContentType): string =>
  type.kind === 'singleType' ? type.singularName : type.pluralName;

/** The unique attributes of a content type. */
export const uniqueAttributes = (type: ContentType): readonly ScalarAttribute[] =>
  [...type.attributes.values()].filter(
    (attribute): attribute is ScalarAttribute =>
      attribute.kind === 'scalar' && !attribute.system && attribute.unique,
  );
