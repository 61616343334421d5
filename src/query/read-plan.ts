/**
 * The plan: a checked query, resolved against the schema and the caller's grants. It holds models and attributes (never names
 * from the caller), cast values, and nothing else: the pipeline compiler and the renderer need no other input.
 */
import type {
  ComponentAttribute,
  ContentType,
  MediaAttribute,
  Model,
  RelationAttribute,
  ScalarAttribute,
  ZoneAttribute,
} from '../schema/types.js';

export type Status = 'draft' | 'published';

/** What rows are of: `undrafted` are published ones of an adopted collection that stand for their drafts, as they have none. */
export type Version = Status | 'undrafted';

/** Which locales of a localized type are read; `none` for types that are not localized. */
export type LocaleChoice =
  | { readonly kind: 'none' }
  | { readonly kind: 'one'; readonly code: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'in'; readonly codes: readonly string[] }
  /** In populate only: the locale of the parent entry, where that is not known from the request (`locale=*`). */
  | { readonly kind: 'parent' };

/**
 * A filter in negation normal form with SQL's three-valued logic (rules B.3): a negated test is true only for a value that is
 * present and fails the test. `$not` is already pushed down to the tests.
 */
export type Condition =
  | { readonly kind: 'always' }
  | { readonly kind: 'never' }
  | { readonly kind: 'and'; readonly of: readonly Condition[] }
  | { readonly kind: 'or'; readonly of: readonly Condition[] }
  | { readonly kind: 'test'; readonly attribute: ScalarAttribute; readonly test: Test }
  /**
   * True when some related entry, file or component item satisfies `where`, all of it on one and the same row. Where there is
   * no row at all, a row whose values are all null stands in (SQL's left join), so a null test inside is true there.
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
  readonly locale: LocaleChoice;
  /** Absent: the locale says which rows are related. Else each reference does. */
  readonly linked?: LinkedLocale;
}

export interface ComponentHop {
  readonly kind: 'component';
  readonly attribute: ComponentAttribute;
  readonly target: Model;
}

export type TestOperator =
  | 'eq'
  | 'eqi'
  | 'in'
  | 'lt'
  | 'lte'
  | 'gt'
  | 'gte'
  | 'between'
  | 'contains'
  | 'containsi'
  | 'startsWith'
  | 'startsWithi'
  | 'endsWith'
  | 'endsWithi'
  /** A part of the text, as `containsi`; `_` stands for any character. */
  | 'search'
  | 'null';

/**
 * The operators that end in `i` may stand at attributes of any type: they compare the text form of the value (rules B.5).
 * `values`: one for most operators, two for `between`, any number for `in`, none for `null`. Already cast to stored types.
 */
export interface Test {
  readonly operator: TestOperator;
  readonly values: readonly unknown[];
  readonly negated: boolean;
}

export interface SortKey {
  /** Relations, media and components walked through, in order; empty for an attribute of the entry itself. */
  readonly via: readonly (RelationHop | ComponentHop)[];
  readonly attribute: ScalarAttribute;
  readonly direction: 1 | -1;
}

export interface Page {
  /** How `meta.pagination` is written; `none` for single entries and Document Service calls. */
  readonly style: 'page' | 'offset' | 'none';
  readonly skip: number;
  /** Null: no limit. */
  readonly limit: number | null;
  /** The page number, where `style` is `page`. */
  readonly page: number;
  readonly withCount: boolean;
}

/** What is shown of one entry or component item: an allow-list. */
export interface Selection {
  readonly model: Model;
  /** In the order of the answer; `id` and `documentId` come first and are always among them for entries. */
  readonly scalars: readonly ScalarAttribute[];
  readonly components: readonly ComponentSelection[];
  readonly zones: readonly ZoneSelection[];
  readonly relations: readonly RelationSelection[];
}

export interface ComponentSelection {
  readonly attribute: ComponentAttribute;
  readonly selection: Selection;
  /** Which items are shown (rules B.8); absent: all. */
  readonly filter?: Condition;
  /** Null or absent: in their own order. */
  readonly sort?: readonly SortKey[] | null;
  /** `{ count: n }` instead of the items. */
  readonly count?: boolean;
}

export interface ZoneSelection {
  readonly attribute: ZoneAttribute;
  /** By component uid. Items of other components are left out. */
  readonly on: ReadonlyMap<string, Selection>;
  /** By component uid, where not all of its items are shown. */
  readonly filters?: ReadonlyMap<string, Condition>;
}

/** A populated relation, media attribute or `localizations`. */
export interface RelationSelection {
  readonly attribute: RelationAttribute | MediaAttribute;
  /**
   * One target for ordinary relations and media, of which drafts of an adopted collection have two versions; several for polymorphic
   * ones (`__type` tells them apart in the answer).
   */
  readonly targets: readonly RelationTarget[];
  /** `{ count: n }` instead of the entries. */
  readonly count: boolean;
}

export interface RelationTarget {
  readonly target: ContentType;
  readonly status: Version;
  readonly locale: LocaleChoice;
  /** Absent: the locale says which rows show. Else each reference does, and rows of all locales are read. */
  readonly linked?: LinkedLocale;
  readonly filter: Condition;
  /** Where the relation is the inverse of media: the attributes of the target in which a file counts as shown. */
  readonly shownIn?: readonly MediaAttribute[];
  /** `publicationFilter` reaches populated Draft & Publish targets too (rules A.10). */
  readonly publication: PublicationFilter | null;
  /** Null: the order of connection. */
  readonly sort: readonly SortKey[] | null;
  readonly selection: Selection;
}

/** Each reference leads to one locale of its target (rules F.3): the one remembered beside it, else this one. */
export interface LinkedLocale {
  /** Null: that of the entry which holds the reference. */
  readonly otherwise: string | null;
}

/** What stands beside a reference to a row without a locale, in a type that has them. */
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
  readonly locale: LocaleChoice;
  /** `filters` and `_q` together. */
  readonly filter: Condition;
  readonly publication: PublicationFilter | null;
  /** Find one: this document only. */
  readonly documentId: string | null;
  /** Always ends with `id`, so pages are stable. */
  readonly sort: readonly SortKey[];
  readonly page: Page;
  readonly selection: Selection;
}

/** Who asks. Without `grants` (Document Service) everything may be read, private attributes included. */
export interface Caller {
  readonly grants: Grants | null;
  /** True where the request came without a credential: it reads drafts only if the settings say so (rules 0.4, row 2). */
  readonly anonymous?: boolean;
}

/** The actions that a role or token holds, compiled. */
export interface Grants {
  /** Changes when the actions do: part of the plan cache's key. */
  readonly version: string;
  allows(action: string): boolean;
}
