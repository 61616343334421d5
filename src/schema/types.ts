/**
 * The model of content: what `schema.json` files say, resolved and frozen (rules D). Everything that reads a schema reads these
 * types; nothing after `loadSchema` looks at the files again.
 */
import type { ScalarType } from './scalars/index.js';
import type { ScalarLimits } from './scalars/scalar.js';

export type { ScalarType };

export const RELATION_KINDS = [
  ...(['oneToOne', 'oneToMany', 'manyToOne', 'manyToMany'] as const),
  ...(['morphToOne', 'morphToMany', 'morphOne', 'morphMany'] as const),
] as const;
export type RelationKind = (typeof RELATION_KINDS)[number];

/** What a schema file calls a kind of attribute, once its custom fields are known. */
export type AttributeType = ScalarType | 'relation' | 'media' | 'component' | 'dynamiczone';

/** What a media attribute may ask of its files. */
export const MEDIA_KINDS = ['images', 'videos', 'files', 'audios'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

interface AttributeCommon {
  readonly name: string;
  /** Where its value lies in an entry or item: the name, or a dotted path of an adopted collection (decision 006). */
  readonly stored: string;
  /** In a collection that other programs wrote: values may be of any BSON type. */
  readonly adopted: boolean;
  readonly required: boolean;
  readonly unique: boolean;
  /** Never shown, never queried by a caller (rules A.15): `private: true` or named in `privateAttributes`. */
  readonly private: boolean;
  /** False: a body that names it is refused. */
  readonly writable: boolean;
  /** False: `_q` skips it. */
  readonly searchable: boolean;
  /** Own value per locale; otherwise shared by all locales of a document (rules G.9). */
  readonly localized: boolean;
  /** Added by Mangrove, not by the schema file: `id`, `documentId`, `createdAt`, `locale`, … */
  readonly system: boolean;
  /** JSON-logic under `conditions.visible`: where it is false the attribute is not validated (rules D.4). */
  readonly visibleWhen: unknown;
}

export interface ScalarAttribute extends AttributeCommon, ScalarLimits {
  readonly kind: 'scalar';
  readonly type: ScalarType;
  /** A value, or a function in a JS schema; undefined when there is none. Applied on create only. */
  readonly default: unknown;
  /** Of a password's hash: each more doubles the time that it takes. */
  readonly rounds?: number;
  readonly targetField?: string;
  /** Adopted: a list of such values. */
  readonly list?: true;
  /** Adopted: the text of `_id`, stored in this form. */
  readonly key?: KeyForm;
}

/** A relation to one content type. `morph` relations have no `target` on their owning side. */
export interface RelationAttribute extends AttributeCommon {
  readonly kind: 'relation';
  readonly relation: RelationKind;
  readonly target: string | null;
  readonly inversedBy: string | null;
  readonly mappedBy: string | null;
  readonly morphBy: string | null;
  /** The value is a list. */
  readonly many: boolean;
  /** The reference is stored on this side; otherwise it is computed from the target's owning attribute. */
  readonly owner: boolean;
  readonly link: LinkPaths;
  /** References between localized types that lead to another locale than the entry's own are stored here: an import brought them. */
  readonly acrossLocales?: true;
}

/** By which stored paths a relation is followed: that of this model, and the one it equals in the target. */
export interface LinkPaths {
  readonly local: string;
  readonly foreign: string;
  /** The values are the same as text: an ObjectId and its digits, a number and its. */
  readonly texts?: true;
}

/** A reference to `plugin::upload.file`, always stored on this side. */
export interface MediaAttribute extends AttributeCommon {
  readonly kind: 'media';
  readonly many: boolean;
  readonly allowedTypes: readonly MediaKind[];
  readonly link: LinkPaths;
}

export interface ComponentAttribute extends AttributeCommon {
  readonly kind: 'component';
  readonly component: string;
  readonly many: boolean;
  readonly min?: number;
  readonly max?: number;
}

export interface ZoneAttribute extends AttributeCommon {
  readonly kind: 'zone';
  readonly components: readonly string[];
  readonly min?: number;
  readonly max?: number;
}

export type Attribute =
  | ScalarAttribute
  | RelationAttribute
  | MediaAttribute
  | ComponentAttribute
  | ZoneAttribute;

interface ModelCommon {
  /** `api::name.name`, `plugin::upload.file`, or `category.name` of a component. */
  readonly uid: string;
  readonly displayName: string;
  /** In the order of the schema file; system attributes where Strapi's answers have them. */
  readonly attributes: ReadonlyMap<string, Attribute>;
  /** Where it was read from, for messages; null for the built-in ones. */
  readonly file: string | null;
  /** What its file says, word for word, for those who ask for that; nothing else is decided by it. */
  readonly declared: Declared;
}

export interface Declared {
  readonly collectionName: string | null;
  readonly info: Declaration;
  readonly options: Declaration;
  readonly pluginOptions: Declaration;
  readonly attributes: Readonly<Record<string, Declaration>>;
}

type Declaration = Readonly<Record<string, unknown>>;

export interface ContentType extends ModelCommon {
  readonly modelType: 'contentType';
  readonly kind: 'collectionType' | 'singleType';
  readonly singularName: string;
  readonly pluralName: string;
  /** The MongoDB collection of its entries (published ones where `draftAndPublish`). */
  readonly collectionName: string;
  readonly draftAndPublish: boolean;
  readonly localized: boolean;
  readonly populateCreatorFields: boolean;
  /** `indexes` of the schema file, by attribute names. */
  readonly indexes: readonly IndexHint[];
  /** How its collections are distributed over the shards of a cluster; null: they are not. */
  readonly shard: ShardKey | null;
  /** What it was called in Strapi 3; null: it does not come from there. */
  readonly strapi3: Strapi3Names | null;
  /** Not null: the collection is one that other programs own (decision 006). */
  readonly storage: Storage | null;
  /** `api` types are served under /api; `plugin` and `admin` ones are built in. */
  readonly origin: 'api' | 'plugin' | 'admin';
}

export interface Strapi3Names {
  /** Of polymorphic references, such as `ShopOrder`; null: the name in upper camel case. */
  readonly globalId: string | null;
  /** Names of the times of creation and change; null: it had none. */
  readonly timestamps: readonly [created: string, updated: string] | null;
}

export interface Component extends ModelCommon {
  readonly modelType: 'component';
  /** Its items lie in adopted collections, where they have an `id` only if the file says which. */
  readonly adopted: boolean;
}

/** How the `_id` of an adopted collection is stored; `any`: told by the document asked for. */
export const KEY_FORMS = ['objectId', 'string', 'number', 'uuid', 'any'] as const;
export type KeyForm = (typeof KEY_FORMS)[number];

/** What `pluginOptions.mangrove.storage` says of a collection beside its paths. */
export interface Storage {
  /** Null: that of the project. */
  readonly database: string | null;
  readonly id: KeyForm;
  /** Mangrove may write into it. */
  readonly write: boolean;
  /** Mangrove keeps `createdAt` and `updatedAt` in it. */
  readonly timestamps: boolean;
  /** Drafts lie in a collection of Mangrove's own beside it: each is a whole document, and one that has none is its own draft. */
  readonly drafts: boolean;
}

export type Model = ContentType | Component;

/** `documentId`, alone or beside `locale`, in their order. */
export type ShardKey = Readonly<Record<string, 1>>;

export interface IndexHint {
  readonly name: string;
  /** In their order, each with its direction. */
  readonly keys: Readonly<Record<string, 1 | -1>>;
  readonly unique: boolean;
}

/** All models of a project. */
export interface Schema {
  /** By uid, built-in ones included. */
  readonly contentTypes: ReadonlyMap<string, ContentType>;
  readonly components: ReadonlyMap<string, Component>;
  /** A short text that changes when any model does. */
  readonly version: string;
}
