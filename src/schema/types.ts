/**
 * The content model: `schema.json` files, resolved and frozen. Everything that uses the schema uses these
 * types; nothing after `loadSchema` reads the files again.
 */
import type { ScalarType } from './scalars/index.js';
import type { ScalarLimits } from './scalars/scalar.js';

export type { ScalarType };

export const RELATION_KINDS = [
  ...(['oneToOne', 'oneToMany', 'manyToOne', 'manyToMany'] as const),
  ...(['morphToOne', 'morphToMany', 'morphOne', 'morphMany'] as const),
] as const;
export type RelationKind = (typeof RELATION_KINDS)[number];

/** The type of an attribute in a schema file, after custom fields are resolved. */
export type AttributeType = ScalarType | 'relation' | 'media' | 'component' | 'dynamiczone';

/** The versions of a document. */
export type Status = 'draft' | 'published';

/** The kinds of files that a media attribute may allow. */
export const MEDIA_KINDS = ['images', 'videos', 'files', 'audios'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

interface AttributeCommon {
  readonly name: string;
  /**
   * The path of its value in an entry or component item: the name, or a dotted path in an adopted collection
   * (decision 006).
   */
  readonly stored: string;
  /** Whether it is in an adopted collection, where values may be of any BSON type. */
  readonly adopted: boolean;
  readonly required: boolean;
  readonly unique: boolean;
  /** Never returned or queried: `private: true`, or listed in `privateAttributes`. */
  readonly private: boolean;
  /** If false, a body with this attribute is refused. */
  readonly writable: boolean;
  /** If false, `_q` ignores it. */
  readonly searchable: boolean;
  /** Whether each locale has its own value; otherwise all locales of a document share it. */
  readonly localized: boolean;
  /** Added by Mangrove, not by the schema file: `id`, `documentId`, `createdAt`, `locale`, … */
  readonly system: boolean;
  /** JSON Logic from `conditions.visible`; where it is false, the attribute is not validated. */
  readonly visibleWhen: unknown;
}

export interface ScalarAttribute extends AttributeCommon, ScalarLimits {
  readonly kind: 'scalar';
  readonly type: ScalarType;
  /** A value, or a function in a JavaScript schema; undefined if there is none. Used only on create. */
  readonly default: unknown;
  /** Cost factor of a password's hash; each increment doubles the time. */
  readonly rounds?: number;
  readonly targetField?: string;
  /** Adopted collections: the value is a list of such scalars. */
  readonly list?: true;
  /** Adopted collections: the BSON type of new integers, if it is not the 32-bit one. */
  readonly integer?: IntegerForm;
  /** Adopted collections: the attribute is the text of `_id`, which is stored in this form. */
  readonly key?: KeyForm;
}

/** A relation to one content type. Polymorphic relations have no `target` on their owning side. */
export interface RelationAttribute extends AttributeCommon {
  readonly kind: 'relation';
  readonly relation: RelationKind;
  readonly target: string | null;
  readonly inversedBy: string | null;
  readonly mappedBy: string | null;
  readonly morphBy: string | null;
  /** Whether the value is a list. */
  readonly many: boolean;
  /**
   * Whether the reference is stored on this side; otherwise it is computed from the target's owning
   * attribute.
   */
  readonly owner: boolean;
  readonly link: LinkPaths;
  /**
   * The relation may store references to entries in another locale than its own; such references come from an
   * import.
   */
  readonly acrossLocales?: true;
}

/**
 * The stored paths that connect the two sides of a relation: `local` in this model equals `foreign` in the
 * target.
 */
export interface LinkPaths {
  readonly local: string;
  readonly foreign: string;
  /** The values are equal if their texts are: an ObjectId and its hex string, a number and its digits. */
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
  /** `api::name.name`, `plugin::upload.file`, or `category.name` for a component. */
  readonly uid: string;
  readonly displayName: string;
  /** In the order of the schema file, with system attributes where Strapi's responses have them. */
  readonly attributes: ReadonlyMap<string, Attribute>;
  /** The schema file, for messages; null for built-in types. */
  readonly file: string | null;
  /** The content of the schema file, unchanged, for routes that return it; nothing else uses it. */
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
  /** The MongoDB collection of its entries; of the published ones if `draftAndPublish`. */
  readonly collectionName: string;
  readonly draftAndPublish: boolean;
  readonly localized: boolean;
  readonly populateCreatorFields: boolean;
  /** `indexes` of the schema file, with attribute names. */
  readonly indexes: readonly IndexHint[];
  /** The shard key of its collections; null if they are not sharded. */
  readonly shard: ShardKey | null;
  /** How long earlier versions of its entries are kept; null: not at all. */
  readonly history: HistoryLimits | null;
  /** Its names in Strapi 3; null if it does not come from there. */
  readonly strapi3: Strapi3Names | null;
  /** Set if the collection is adopted (decision 006). */
  readonly storage: Storage | null;
  /** `api` types are served under /api; `plugin` and `admin` types are built in. */
  readonly origin: 'api' | 'plugin' | 'admin';
}

export interface Strapi3Names {
  /** The type name in polymorphic references, such as `ShopOrder`; null: the name in upper camel case. */
  readonly globalId: string | null;
  /** Names of the timestamps; null if it had none. */
  readonly timestamps: readonly [created: string, updated: string] | null;
}

export interface Component extends ModelCommon {
  readonly modelType: 'component';
  /**
   * Whether its items are in adopted collections, where they have an `id` only if the schema file names one.
   */
  readonly adopted: boolean;
}

/** The stored form of `_id` in an adopted collection; `any`: depends on the document. */
export const KEY_FORMS = ['objectId', 'string', 'number', 'uuid', 'any'] as const;
export type KeyForm = (typeof KEY_FORMS)[number];

/** The BSON types that other programs store integers in, apart from 32-bit ones. */
export const INTEGER_FORMS = ['double', 'long'] as const;
export type IntegerForm = (typeof INTEGER_FORMS)[number];

/** The settings in `pluginOptions.mangrove.storage`, apart from paths. */
export interface Storage {
  /** Null: the project's database. */
  readonly database: string | null;
  readonly id: KeyForm;
  /** Whether Mangrove may write to the collection. */
  readonly write: boolean;
  /** Whether Mangrove maintains `createdAt` and `updatedAt` in it. */
  readonly timestamps: boolean;
  /**
   * Whether there are drafts, in a separate collection of Mangrove's own. A draft is a whole document; a
   * document without a draft is its own draft.
   */
  readonly drafts: boolean;
}

export type Model = ContentType | Component;

/** What is kept of the versions of an entry that others have replaced. If both are set, both apply. */
export interface HistoryLimits {
  /** Days since they were replaced; null: no limit. */
  readonly days: number | null;
  /** The number of them; null: no limit. */
  readonly count: number | null;
}

/** `documentId`, alone or with `locale`, in key order. */
export type ShardKey = Readonly<Record<string, 1>>;

export interface IndexHint {
  readonly name: string;
  /** Keys in order, each with its direction. */
  readonly keys: Readonly<Record<string, 1 | -1>>;
  readonly unique: boolean;
}

/** All models of a project. */
export interface Schema {
  /** By uid, including the built-in types. */
  readonly contentTypes: ReadonlyMap<string, ContentType>;
  readonly components: ReadonlyMap<string, Component>;
  /** A short hash that changes when any model does. */
  readonly version: string;
}
