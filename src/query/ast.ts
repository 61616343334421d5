/**
 * What a query says, before anyone has looked at a schema: the nodes that `parse.ts` makes from a query string or from the
 * parameters of a Document Service call. Readonly plain data; values are still the caller's own (text, mostly).
 */

/** A value as `qs` gives it; the Document Service may also give numbers, booleans, dates and null. */
export type RawValue = unknown;
export type RawObject = Readonly<Record<string, RawValue>>;

export interface SortNode {
  /** Attribute names from the root, `['owner', 'lastName']`. */
  readonly path: readonly string[];
  readonly direction: 1 | -1;
}

/** `filters`: groups, operators and attributes still in one tree, in the caller's order. */
export type FilterNode =
  | { readonly kind: 'group'; readonly operator: '$and' | '$or' | '$not'; readonly of: readonly FilterNode[] }
  | { readonly kind: 'attribute'; readonly name: string; readonly of: FilterNode }
  | { readonly kind: 'operator'; readonly operator: string; readonly value: RawValue }
  /** Several keys of one object: joined by and. */
  | { readonly kind: 'all'; readonly of: readonly FilterNode[] };

export interface PopulateNode {
  /** Named attributes with what is asked of each. */
  readonly attributes: ReadonlyMap<string, PopulateOptions>;
  /** `populate=*`: every populatable attribute, one level. */
  readonly wildcard: boolean;
}

export interface PopulateOptions {
  readonly fields: FieldsNode | null;
  readonly filters: FilterNode | null;
  readonly sort: readonly SortNode[] | null;
  readonly populate: PopulateNode | null;
  readonly count: boolean;
  /** Fragments of a dynamic zone or polymorphic relation, by uid. */
  readonly on: ReadonlyMap<string, PopulateOptions> | null;
}

export interface FieldsNode {
  readonly wildcard: boolean;
  readonly names: readonly string[];
}

/** `pagination` as given; numbers are read and bounded by the plan. */
export interface PaginationNode {
  readonly page?: RawValue;
  readonly pageSize?: RawValue;
  readonly start?: RawValue;
  readonly limit?: RawValue;
  readonly withCount?: RawValue;
}

export interface QueryNode {
  readonly filters: FilterNode | null;
  readonly search: string | null;
  readonly sort: readonly SortNode[];
  readonly fields: FieldsNode | null;
  readonly populate: PopulateNode | null;
  readonly pagination: PaginationNode;
  readonly status: RawValue;
  readonly locale: RawValue;
  readonly publicationFilter: RawValue;
}
