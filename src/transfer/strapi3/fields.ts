import { SYSTEM_TYPES } from '../../schema/model/system.js';
import { REFUSED_ATTRIBUTES, snakeCase } from '../../schema/names.js';
import { objectAt, type PlainObject } from '../../values/plain-object.js';
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
export type Models = ReadonlyMap<string, Model3>;

/** Attributes that Strapi 3 adds to every model; Strapi 5 has its own. */
export const AUTOMATIC = new Set(['created_by', 'updated_by', 'published_at', 'locale', 'localizations']);

/** A valid attribute name (rules D.6) that is not taken. */
export function freeName(key: string, taken: ReadonlySet<string>): string {
  const plain = key.replace(/[^A-Za-z0-9_]/g, '_').replace(/^[^A-Za-z]+/, '') || 'field';
  let name = plain;
  for (let number = 3; taken.has(snakeCase(name)) || REFUSED_ATTRIBUTES.has(snakeCase(name)); number += 1)
    name = `${plain}_v${number}`;
  return name;
}

/** The context of an attribute. */
export interface AttributePlace {
  readonly model: Model3;
  readonly name: string;
  readonly models: Models;
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

/** Names that attributes cannot have. */
export const reserved = (): Set<string> => new Set(Object.keys(SYSTEM_TYPES).map(snakeCase));

/** Fields of every document; `__v` is mongoose's version counter. */
export const INTERNAL = new Set(['_id', 'id', '__v']);
/** Administrators are not imported, so the creators of entries are kept beside them. */
export const CREATORS = new Set(['created_by', 'updated_by']);

/** The inverse of media attributes, which is derived; clients of Strapi 3 see it unchanged. */
export const DERIVED = new Set(['plugins::upload.file related']);

/** A position after all others. */
export const BEHIND = 1_000_000_000;

/** The field of an entry or component item with data that has no attribute. */
export const KEPT_UNDER = '_strapi3';
