import { SYSTEM_TYPES } from '../../schema/model/system.js';
import { snakeCase } from '../../schema/names.js';
import { objectAt, type PlainObject } from '../../values/plain-object.js';
import { freeNames } from '../source/free-names.js';
import type { Model3 } from './models.js';

/** What a field of a document becomes. */
export type Field =
  | { readonly as: 'scalar'; readonly name: string; readonly type: string }
  | {
      readonly as: 'component' | 'zone';
      readonly name: string;
      readonly many: boolean;
      readonly components: readonly string[];
    }
  | { readonly as: 'link'; readonly name: string; readonly many: boolean; readonly target: string }
  | { readonly as: 'morph'; readonly name: string }
  /** The other side stores it. */
  | { readonly as: 'virtual'; readonly name: string };

export interface Translated {
  readonly field: Field;
  /** The attribute in the form of Strapi 5. */
  readonly schema: PlainObject;
  readonly problem?: string;
}

/** By uid in Strapi 3. */
export type ModelsByUid = ReadonlyMap<string, Model3>;

/** Attributes that Strapi 3 adds to a content type, with the names of Strapi 5's own. */
export const automaticIn = (model: Model3): ReadonlyMap<string, string> => {
  const { isComponent, timestamps, draftAndPublish, localized } = model;
  if (isComponent) return new Map();
  return new Map([
    ...(timestamps
      ? ([
          [timestamps[0], 'createdAt'],
          [timestamps[1], 'updatedAt'],
        ] as const)
      : []),
    ['created_by', 'createdBy'],
    ['updated_by', 'updatedBy'],
    ...(draftAndPublish ? ([['published_at', 'publishedAt']] as const) : []),
    ...(localized
      ? ([
          ['locale', 'locale'],
          ['localizations', 'localizations'],
        ] as const)
      : []),
  ]);
};

/** Whether Strapi 3 added the attribute, rather than the project. */
export const isAutomatic = (model: Model3, key: string): boolean => automaticIn(model).has(key);

/** The attributes of a model that become attributes here, with their new names. */
export function attributeNames(model: Model3): ReadonlyMap<string, string> {
  const keys = Object.keys(model.attributes).filter(
    (key) => !isAutomatic(model, key) && !NOT_OURS.has(`${model.uid} ${key}`),
  );
  const reserved = model.isComponent ? [] : Object.keys(SYSTEM_TYPES).map(snakeCase);
  const changed = freeNames(keys, reserved, 3);
  return new Map(keys.map((key) => [key, changed.get(key) ?? key]));
}

/** Attributes of built-in types that are derived, or imported in another way. */
export const NOT_OURS = new Set([
  'plugins::upload.file related',
  'plugins::users-permissions.role permissions',
  'plugins::users-permissions.role users',
]);

/** The context of an attribute. */
export interface AttributePlace {
  readonly model: Model3;
  readonly name: string;
  readonly models: ModelsByUid;
}

/** The options that all types share. */
export const common = (attribute: PlainObject, { model }: AttributePlace): PlainObject => ({
  ...(attribute['required'] === true && { required: true }),
  ...(attribute['private'] === true && { private: true }),
  ...(model.localized && {
    pluginOptions: {
      i18n: { localized: objectAt(attribute, 'pluginOptions', 'i18n')['localized'] === true },
    },
  }),
});

/** Fields of every document; `__v` is mongoose's version counter. */
export const INTERNAL = new Set(['_id', 'id', '__v']);
/** Administrators are not imported, so the creators of entries are kept beside them. */
export const CREATORS = new Set(['created_by', 'updated_by']);

/** The inverse of media attributes, which is derived. */
export const DERIVED = new Set(['plugins::upload.file related']);

/** A position after all others. */
export const BEHIND = 1_000_000_000;

/** The field of an entry or component item with data that has no attribute. */
export const EXTRA_FIELDS_KEY = '_strapi3';
