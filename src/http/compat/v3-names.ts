import { attributeNamed, type Viewer, visibleNamed } from '../../query/attributes.js';
import { pascal } from '../../schema/names.js';
import type { Attribute, ContentType, Model, Schema } from '../../schema/types.js';
import { objectAt } from '../../values/plain-object.js';

/**
 * The name of a type in polymorphic references of Strapi 3: the one it sets, otherwise in Pascal case
 * (`site-setting` is `SiteSetting`).
 */
export const globalIdOf = ({ uid, origin, strapi3, singularName }: ContentType): string =>
  strapi3?.globalId ?? pascal(origin === 'api' ? singularName : uid.replace(/^.*::/, ''));

/** The type that a polymorphic reference names. */
export const typeNamed = ({ contentTypes }: Schema, globalId: unknown): ContentType | undefined =>
  [...contentTypes.values()].find((type) => globalIdOf(type) === globalId);

/** Whether `privateAttributes` of the type lists this name of an answer. */
export const isPrivate = ({ declared }: ContentType, name: string): boolean => {
  const { privateAttributes: names } = objectAt(declared.options);
  return Array.isArray(names) && names.includes(name);
};

/** Whether the caller may not know of an attribute, although it may read the type. */
export const isClosed = (model: Model, name: string, viewer: Viewer): boolean =>
  attributeNamed(model, name, viewer)?.hidden === 'private';

/** Whether the caller may know of the other locales of an entry. */
export const showsLocales = (type: ContentType, viewer: Viewer): boolean =>
  !['locale', 'localizations'].some((name) => isClosed(type, name, viewer));

const TIMESTAMPS = ['createdAt', 'updatedAt'] as const;

/** The names of the timestamps; null: they are not shown. */
export const timestampsOf = (model: Model): readonly [created: string, updated: string] | null =>
  model.modelType === 'contentType' && model.strapi3 ? model.strapi3.timestamps : TIMESTAMPS;

/** Names of Strapi 3 and their counterparts in Strapi 5. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['id', 'documentId'],
  ['_id', 'documentId'],
  ['published_at', 'publishedAt'],
  ['created_at', 'createdAt'],
  ['updated_at', 'updatedAt'],
  ['created_by', 'createdBy'],
  ['updated_by', 'updatedBy'],
]);

/** The attribute name for what a Strapi 3 client calls `name`. */
export function nameOf(model: Model, name: string, viewer: Viewer): string {
  const at = timestampsOf(model)?.indexOf(name) ?? -1;
  const renamed = TIMESTAMPS[at];
  if (renamed !== undefined && model.modelType === 'contentType') return renamed;
  return name !== 'id' && visibleNamed(model, name, viewer) ? name : (NAMES.get(name) ?? name);
}

/** Strapi 3 stores a two-way one-to-one on both sides; here, the other side stores it. */
export const isStoredElsewhere = (attribute: Extract<Attribute, { kind: 'relation' }>): boolean =>
  !attribute.owner && attribute.relation === 'oneToOne';

/** The inverse side of a polymorphic relation, which Strapi 3 populates at any depth. */
export const isMorphInverse = (attribute: Attribute): boolean =>
  attribute.kind === 'relation' && (attribute.relation === 'morphOne' || attribute.relation === 'morphMany');
