/**
 * A query before it is matched against a schema: the nodes that `parse.ts` builds from a query string or from
 * the parameters of a Document Service call. Readonly plain data; values are the caller's (mostly text).
 * `check.ts` resolves its names: see `checked.ts`.
 */

/** A value as `qs` returns it; the Document Service may also pass numbers, booleans, dates and null. */
export type RawValue = unknown;
export type RawObject = Readonly<Record<string, RawValue>>;

/** The root parameters whose content refers to attributes. */
export type Param = 'filters' | 'sort' | 'fields' | 'populate' | 'locale';

/** `A`: attributes by the caller's names or, in a checked query, those of the schema. */
export interface SortNode<A = string> {
  /** From the root, `['owner', 'lastName']`. */
  readonly path: readonly A[];
  /** The word after the colon; null if there is none. Empty: the path is only checked, not sorted by. */
  readonly order: string | null;
}

/** `filters`: groups, operators and attributes in one tree, in the caller's order. `A`: as for `SortNode`. */
export type FilterNode<A = string> =
  | {
      readonly kind: 'group';
      readonly operator: '$and' | '$or' | '$not';
      readonly of: readonly FilterNode<A>[];
    }
  | { readonly kind: 'attribute'; readonly attribute: A; readonly of: FilterNode<A> }
  | { readonly kind: 'operator'; readonly operator: string; readonly value: RawValue }
  /** Several keys of one object, all of which must hold. */
  | { readonly kind: 'all'; readonly of: readonly FilterNode<A>[] };

export type PopulateNode =
  /** `populate=*`: every populatable attribute, one level. */
  | { readonly kind: 'wildcard' }
  /** `a,b.c`, as text or a list of texts; `unsplit` holds the same before splitting at commas. */
  | {
      readonly kind: 'paths';
      readonly paths: readonly (readonly string[])[];
      readonly unsplit: readonly (readonly string[])[];
    }
  | { readonly kind: 'object'; readonly entries: PopulateEntries };

export type PopulateEntries = readonly (readonly [string, PopulateValue])[];

/** The value of one attribute in a populate object. */
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
  /** Fragments of a dynamic zone or polymorphic relation, by uid; null if absent or not an object. */
  readonly on: PopulateEntries | null;
  /** Every key as given, known or not, and the object itself, for messages. */
  readonly keys: readonly string[];
  readonly raw: RawObject;
}

export interface FieldsNode {
  readonly wildcard: boolean;
  readonly names: readonly string[];
}

/** `pagination` as given; the plan reads and bounds the numbers. */
export interface PaginationNode extends RootPagination {
  /**
   * The same parameters outside of `pagination`: used by the Document Service; REST rejects `page` and
   * `pageSize` there.
   */
  readonly root?: RootPagination;
}

export interface RootPagination {
  readonly page?: RawValue;
  readonly pageSize?: RawValue;
  readonly start?: RawValue;
  readonly limit?: RawValue;
  readonly withCount?: RawValue;
}

/** What a query says outside of the parts that refer to attributes. */
export interface QueryParts {
  /** Names of all root parameters, known or not. */
  readonly keys: readonly string[];
  readonly search: string | null;
  readonly pagination: PaginationNode;
  readonly status: RawValue;
  readonly at: RawValue;
  readonly locale: RawValue;
  readonly publicationFilter: RawValue;
  readonly hasPublishedVersion: RawValue;
}

export interface QueryNode extends QueryParts {
  readonly filters: FilterNode | null;
  readonly sort: readonly SortNode[];
  readonly fields: FieldsNode | null;
  /** Operators in `locale`, as a filter on the attribute. */
  readonly localeFilter: FilterNode | null;
  readonly populate: PopulateNode | null;
}
