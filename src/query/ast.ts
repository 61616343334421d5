/**
 * What a query says, before anyone has looked at a schema: the nodes that `parse.ts` makes from a query string or from the
 * parameters of a Document Service call. Readonly plain data; values are still the caller's own (text, mostly).
 * `check.ts` turns the populate part into a `PopulateTree`, resolved against the schema.
 */

/** A value as `qs` gives it; the Document Service may also give numbers, booleans, dates and null. */
export type RawValue = unknown;
export type RawObject = Readonly<Record<string, RawValue>>;

/** The root parameters that name attributes, or test one. */
export type Param = 'filters' | 'sort' | 'fields' | 'populate' | 'locale';

export interface SortNode {
  /** Attribute names from the root, `['owner', 'lastName']`. */
  readonly path: readonly string[];
  /** The word after the colon; null where there is none. */
  readonly order: string | null;
}

/** `filters`: groups, operators and attributes still in one tree, in the caller's order. */
export type FilterNode =
  | { readonly kind: 'group'; readonly operator: '$and' | '$or' | '$not'; readonly of: readonly FilterNode[] }
  | { readonly kind: 'attribute'; readonly name: string; readonly of: FilterNode }
  | { readonly kind: 'operator'; readonly operator: string; readonly value: RawValue }
  /** Several keys of one object: joined by and. */
  | { readonly kind: 'all'; readonly of: readonly FilterNode[] };

export type PopulateNode =
  /** `populate=*`: every populatable attribute, one level. */
  | { readonly kind: 'wildcard' }
  /** `a,b.c`, as text or list of texts; `unsplit`: the same without regard to commas and spaces. */
  | {
      readonly kind: 'paths';
      readonly paths: readonly (readonly string[])[];
      readonly unsplit: readonly (readonly string[])[];
    }
  | { readonly kind: 'object'; readonly entries: PopulateEntries };

export type PopulateEntries = readonly (readonly [string, PopulateValue])[];

/** What stands under one attribute of a populate object. */
export type PopulateValue =
  | { readonly kind: 'flag'; readonly on: boolean }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'list'; readonly of: readonly RawValue[] }
  | { readonly kind: 'options'; readonly options: PopulateOptions };

export interface PopulateOptions {
  readonly fields: FieldsNode | null;
  readonly filters: FilterNode | null;
  readonly sort: readonly SortNode[] | null;
  readonly populate: PopulateNode | null;
  readonly count: RawValue;
  /** Fragments of a dynamic zone or polymorphic relation, by uid; null where absent or not an object. */
  readonly on: PopulateEntries | null;
  /** Every key as given, known or not, and the object itself for messages. */
  readonly keys: readonly string[];
  readonly raw: RawObject;
}

export interface FieldsNode {
  readonly wildcard: boolean;
  readonly names: readonly string[];
}

/** `pagination` as given; numbers are read and bounded by the plan. */
export interface PaginationNode extends RootPagination {
  /** Outside of `pagination`: what the Document Service is given. REST lists refuse `page` and `pageSize` there. */
  readonly root?: RootPagination;
}

export interface RootPagination {
  readonly page?: RawValue;
  readonly pageSize?: RawValue;
  readonly start?: RawValue;
  readonly limit?: RawValue;
  readonly withCount?: RawValue;
}

interface QueryParts {
  /** Every root parameter's name, known or not. */
  readonly keys: readonly string[];
  readonly filters: FilterNode | null;
  readonly search: string | null;
  readonly sort: readonly SortNode[];
  readonly fields: FieldsNode | null;
  readonly pagination: PaginationNode;
  readonly status: RawValue;
  readonly locale: RawValue;
  /** Operators in `locale`, as a filter on it. */
  readonly localeFilter: FilterNode | null;
  readonly publicationFilter: RawValue;
  readonly hasPublishedVersion: RawValue;
}

export interface QueryNode extends QueryParts {
  readonly populate: PopulateNode | null;
}

/**
 * Populate after the check: attributes that exist, that may be populated and that the caller may read; wildcards and paths are
 * written out.
 */
export type PopulateTree = ReadonlyMap<string, PopulateBranch>;

export interface PopulateBranch {
  readonly fields: FieldsNode | null;
  readonly filters: FilterNode | null;
  readonly sort: readonly SortNode[] | null;
  readonly populate: PopulateTree;
  readonly count: boolean;
  /** Zones and polymorphic relations: what is shown of each component or target type; others are left out. Else null. */
  readonly on: ReadonlyMap<string, PopulateBranch> | null;
}

/** A query whose every key exists and is allowed to the caller. */
export interface CheckedQuery extends QueryParts {
  readonly populate: PopulateTree;
}
