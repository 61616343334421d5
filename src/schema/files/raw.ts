import { objectAt, type PlainObject } from '../../values/plain-object.js';
import type { ScalarLimits } from '../scalars/scalar.js';
import type { AttributeType, HistoryLimits, IntegerForm, RelationKind, ShardKey } from '../types.js';

export interface RawContentType {
  readonly kind?: 'collectionType' | 'singleType';
  readonly collectionName?: string;
  readonly info: { readonly singularName: string; readonly pluralName: string; readonly displayName: string };
  readonly options?: {
    readonly draftAndPublish?: boolean;
    readonly populateCreatorFields?: boolean;
    readonly privateAttributes?: readonly string[];
    readonly shard?: boolean | ShardKey;
    readonly history?: Partial<HistoryLimits>;
    readonly strapi3?: RawStrapi3;
  };
  readonly pluginOptions?: RawPluginOptions;
  readonly indexes?: readonly {
    readonly name?: string;
    readonly columns: readonly string[];
    readonly type?: string;
  }[];
  readonly attributes: Readonly<Record<string, RawAttribute>>;
}

/** The names of a type in Strapi 3. */
export interface RawStrapi3 {
  readonly globalId?: string;
  readonly timestamps?: false | readonly string[];
}

export interface RawComponent {
  readonly info?: { readonly displayName?: string };
  readonly options?: { readonly privateAttributes?: readonly string[] };
  readonly pluginOptions?: RawPluginOptions;
  readonly attributes: Readonly<Record<string, RawAttribute>>;
}

interface RawPluginOptions {
  readonly i18n?: { readonly localized?: boolean };
  readonly mangrove?: { readonly storage?: RawStorage };
}

/**
 * Where the documents of an adopted collection, or items of a component in one, store the values of
 * attributes.
 */
export interface RawStorage {
  readonly collection?: string;
  readonly database?: string;
  /** For a content type: the form of `_id`. For a component: the path that identifies its items. */
  readonly id?: string;
  /** Paths by attribute, if they differ from the name. */
  readonly fields?: Readonly<Record<string, string>>;
  /** By owning relation: the path in the target that the stored value equals; `_id` if absent. */
  readonly references?: Readonly<Record<string, string>>;
  /** Scalar attributes whose values are lists. */
  readonly lists?: readonly string[];
  /** By integer attribute: the BSON type of new values; 32-bit integers if absent. */
  readonly integers?: Readonly<Record<string, IntegerForm>>;
  /** Owning relations whose keys are equal if their texts are. */
  readonly texts?: readonly string[];
  readonly write?: boolean;
  readonly timestamps?: boolean;
  readonly drafts?: boolean;
}

/** Marks a built-in relation that is not stored on either side; files cannot express this. */
export const VIRTUAL: unique symbol = Symbol('virtual');

/** One attribute. `validate.ts` checks which options are allowed for each `type`. */
export interface RawAttribute extends Omit<ScalarLimits, 'regex'> {
  readonly [VIRTUAL]?: true;
  readonly type: AttributeType;
  readonly required?: boolean;
  readonly unique?: boolean;
  readonly private?: boolean;
  readonly writable?: boolean;
  readonly searchable?: boolean;
  readonly default?: unknown;
  readonly regex?: string;
  readonly encryption?: { readonly rounds?: number };
  readonly targetField?: string;
  readonly relation?: RelationKind;
  readonly target?: string;
  readonly inversedBy?: string | null;
  readonly mappedBy?: string | null;
  readonly morphBy?: string;
  readonly multiple?: boolean;
  readonly allowedTypes?: readonly string[];
  readonly component?: string;
  readonly repeatable?: boolean;
  readonly components?: readonly string[];
  readonly pluginOptions?: RawPluginOptions;
  readonly conditions?: { readonly visible?: unknown };
}

/** The attributes of a schema file of any shape; empty if there is no such object. */
export const attributesIn = (content: unknown): PlainObject => objectAt(content, 'attributes');

interface SourceCommon {
  readonly uid: string;
  /** For messages. */
  readonly file: string;
}

export interface ContentTypeSource extends SourceCommon {
  readonly model: 'contentType';
  readonly origin: 'api' | 'plugin' | 'admin';
  /** The name of the folder, which must equal the singular name; null for built-in types. */
  readonly folder: string | null;
  /** The collection of a built-in type, whose name no file can use; null for others. */
  readonly collection: string | null;
  readonly raw: RawContentType;
}

export interface ComponentSource extends SourceCommon {
  readonly model: 'component';
  readonly raw: RawComponent;
}

/** A model as read from a file, with the names that follow from its path. */
export type ModelSource = ContentTypeSource | ComponentSource;
