/**
 * The plan: a checked query, resolved against the schema and the caller's grants. It holds models, attributes
 * (never names from the caller) and cast values; the pipeline compiler and the renderer need no other input.
 */
import type {
  ComponentAttribute,
  ContentType,
  MediaAttribute,
  Model,
  RelationAttribute,
  ScalarAttribute,
  Status,
  ZoneAttribute,
} from '../schema/types.js';
import type { RawObject } from './ast.js';
import type { CallerValues } from './caller-values.js';
import type { TestOperator } from './tests.js';

/** A time in the past, at which entries are read. */
export interface Moment {
  readonly at: Date;
  /** The types that are read as they were then: those whose versions are kept, and may be read by the caller. */
  readonly uids: ReadonlySet<string>;
}

/** Which versions of a document are read, in place of what is stored now. */
export interface VersionChoice {
  /** The name of one of them; null: all. */
  readonly id: unknown;
  readonly statuses: readonly [Status, ...Status[]];
}

/** An entry: a document in one locale, which is null for types that are not localized. */
export interface EntryName {
  readonly documentId: string;
  readonly locale: string | null;
}

/** What will have been scheduled by a time: the published entries of a type are read as they will be then. */
export interface ToCome {
  /** Will have been published: the drafts are read instead. */
  readonly published: readonly EntryName[];
  /** Will have been unpublished. */
  readonly unpublished: readonly EntryName[];
}

/** Which locales of a localized type are read; `none` for types that are not localized. */
export type LocaleChoice =
  | { readonly kind: 'none' }
  | { readonly kind: 'one'; readonly code: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'in'; readonly codes: readonly string[] }
  /** In populate only: the locale of the parent entry, if the request does not determine it (`locale=*`). */
  | { readonly kind: 'parent' };

/**
 * A filter in negation normal form with SQL's three-valued logic: a negated test is true only for a value
 * that is present and fails the test. `$not` is already pushed down to the tests.
 */
export type Condition =
  | { readonly kind: 'always' }
  | { readonly kind: 'never' }
  | { readonly kind: 'and'; readonly of: readonly Condition[] }
  | { readonly kind: 'or'; readonly of: readonly Condition[] }
  | { readonly kind: 'test'; readonly attribute: ScalarAttribute; readonly test: Test }
  /**
   * True if a single related entry, file or component item satisfies all of `where`. If there is none at all,
   * a row whose values are all null takes its place (SQL's left join), so a null test inside is true.
   */
  | {
      readonly kind: 'some';
      readonly via: RelationHop | ComponentHop;
      readonly where: Condition;
    };

export interface RelationHop {
  readonly kind: 'relation';
  readonly attribute: RelationAttribute | MediaAttribute;
  readonly target: ContentType;
  readonly status: Status;
  /** Leads to both versions of the target, whichever version the entry is (see `statusesSeen`). */
  readonly toBoth: boolean;
  readonly locale: LocaleChoice;
  /** Null: as the targets are now. */
  readonly moment: Moment | null;
  /** If present, each reference names its own locale instead. */
  readonly linked?: LinkedLocale;
}

export interface ComponentHop {
  readonly kind: 'component';
  readonly attribute: ComponentAttribute;
  readonly target: Model;
}

/**
 * The operators that end in `i` apply to attributes of any type: they compare the text form of the value.
 * `values`: one for most operators, two for `between`, any number for `in`, none for `null`; already cast to
 * stored types.
 */
export interface Test {
  readonly operator: TestOperator;
  readonly values: readonly unknown[];
  readonly negated: boolean;
}

export interface SortKey {
  /** The relations, media and components to follow, in order; empty for an attribute of the entry itself. */
  readonly via: readonly (RelationHop | ComponentHop)[];
  readonly attribute: ScalarAttribute;
  readonly direction: 1 | -1;
}

export interface Page {
  /** The form of `meta.pagination`; `none` for single entries and Document Service calls. */
  readonly style: 'page' | 'offset' | 'none';
  readonly skip: number;
  /** Null: no limit. */
  readonly limit: number | null;
  /** The page number, if `style` is `page`. */
  readonly page: number;
  readonly withCount: boolean;
}

/** What is shown of one entry or component item: an allow-list. */
export interface SelectedFields {
  readonly model: Model;
  /** In the order of the answer. For entries `id` and `documentId` come first and are always included. */
  readonly scalars: readonly ScalarAttribute[];
  readonly components: readonly ComponentSelection[];
  readonly zones: readonly ZoneSelection[];
  readonly relations: readonly RelationSelection[];
}

export interface ComponentSelection {
  readonly attribute: ComponentAttribute;
  readonly selection: SelectedFields;
  /** Which items are shown; absent: all. */
  readonly filter?: Condition;
  /** Null or absent: in stored order. */
  readonly sort?: readonly SortKey[] | null;
  /** Returns `{ count: n }` instead of the items. */
  readonly count?: boolean;
}

export interface ZoneSelection {
  readonly attribute: ZoneAttribute;
  /** By component uid. Items of other components are left out. */
  readonly on: ReadonlyMap<string, SelectedFields>;
  /** By component uid, for components of which not all items are shown. */
  readonly filters?: ReadonlyMap<string, Condition>;
}

/** A populated relation, media attribute or `localizations`. */
export interface RelationSelection {
  readonly attribute: RelationAttribute | MediaAttribute;
  /** One for ordinary relations and media; several for polymorphic relations, told apart by `__type` in the answer. */
  readonly targets: readonly RelationTarget[];
  /** Returns `{ count: n }` instead of the entries. */
  readonly count: boolean;
}

export interface RelationTarget {
  readonly target: ContentType;
  readonly status: Status;
  readonly moment: Moment | null;
  readonly locale: LocaleChoice;
  /** If present, each reference names its own locale, and rows of all locales are read. */
  readonly linked?: LinkedLocale;
  readonly filter: Condition;
  /** For the inverse of media: the target's attributes through which a file is related. */
  readonly shownIn?: readonly MediaAttribute[];
  /** `publicationFilter` also applies to populated targets with Draft & Publish. */
  readonly publication: PublicationFilter | null;
  /** Null: the order of connection. */
  readonly sort: readonly SortKey[] | null;
  readonly selection: SelectedFields;
}

/** Each reference leads to one locale of its target: the one stored with it, otherwise this one. */
export interface LinkedLocale {
  /** Null: the locale of the entry that holds the reference. */
  readonly otherwise: string | null;
}

/** The locale stored with a reference to a row without a locale, in a localized type. */
export const NO_LOCALE = '';

export const PUBLICATION_FILTERS = [
  'never-published',
  'has-published-version',
  'modified',
  'unmodified',
  'never-published-document',
  'has-published-version-document',
  'published-without-draft',
  'published-with-draft',
] as const;
export type PublicationFilter = (typeof PUBLICATION_FILTERS)[number];

export interface ReadPlan {
  readonly type: ContentType;
  readonly status: Status;
  /** Null: entries are read as they are now. */
  readonly moment: Moment | null;
  /** Set if entries of the type are read as they will be; its relations lead to what is published now. */
  readonly toCome?: ToCome;
  /** Set if versions are read instead; each row then has its `_version`, and the newest come first. */
  readonly versions?: VersionChoice;
  readonly locale: LocaleChoice;
  /** `filters` and `_q` combined. */
  readonly filter: Condition;
  readonly publication: PublicationFilter | null;
  /** If not null, only this document. */
  readonly documentId: string | null;
  /** Always ends with `id`, so that pages are stable. */
  readonly sort: readonly SortKey[];
  readonly page: Page;
  readonly selection: SelectedFields;
  /** The row has its revision. */
  readonly revision?: true;
  /** Absent if the caller has no rules. */
  readonly visible?: Visible;
}

/** What the caller may read, wherever the plan meets it. */
export interface Visible {
  /** The condition on the entries of a type, by uid; types without one are free. */
  readonly byType: ReadonlyMap<string, Condition>;
  /** The entry that a write has left is shown whatever it has become; its relations are not. */
  readonly exceptRoot: boolean;
}

/**
 * Who makes a request. Without `grants` (Document Service) everything may be read, including private
 * attributes.
 */
export interface Caller {
  readonly grants: Grants | null;
  /**
   * True if the request had no credential: drafts are then readable only if the settings allow it (see
   * `mayReadDrafts`).
   */
  readonly anonymous?: boolean;
  /**
   * Nothing but passwords is hidden: what is read is for the project's code, which shows the caller what the grants
   * allow.
   */
  readonly seesAll?: boolean;
}

/** The actions that a role or token holds, compiled. */
export interface Grants {
  /**
   * Changes when the actions or their rules do, or whether the caller has the values that those name; part of the plan
   * cache's key.
   */
  readonly version: string;
  allows(action: string): boolean;
  /** The rules under which an action is granted; null: without any. Absent: no action has rules. */
  rulesOf?(action: string): readonly Rule[] | null;
  /** The values that filters of the rules name. */
  readonly values?: CallerValues;
  /** What may be read of the types that have rules, by uid. Absent: no type has any. */
  readonly reads?: ReadonlyMap<string, ReadRule>;
}

/** What a caller may read of a type. */
export interface ReadRule {
  /** Filters on entries: of each list, one must match. A list without filters: no entry may be read. */
  readonly where: readonly (readonly RawObject[])[];
  /** The attributes that exist for the caller besides `id` and `documentId`; null: all of them. */
  readonly fields: ReadonlySet<string> | null;
}

/** A rule under which an action is granted, for one caller. */
export interface Rule {
  /** A filter that the entry must match, with `CallerValue`s; null: any entry. */
  readonly where: RawObject | null;
  /** The attributes that a body may have; null: all of them. */
  readonly write: ReadonlySet<string> | null;
  /** What a body has, whatever was sent. */
  readonly set: Readonly<Record<string, unknown>>;
}
