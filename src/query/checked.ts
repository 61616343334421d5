/**
 * A query after the check: every name is resolved to an attribute that exists, fits its place and may be used
 * by the caller. Later steps look up no names; values are still the caller's.
 */
import type { Attribute, ScalarAttribute } from '../schema/types.js';
import type { FilterNode, QueryParts, SortNode } from './ast.js';

export type CheckedFilter = FilterNode<Attribute>;
export type CheckedSort = SortNode<Attribute>;

/** What a query requests of a model or of one populated attribute. */
interface CheckedParts {
  /** Null: all scalars that the caller may see. */
  readonly fields: readonly ScalarAttribute[] | null;
  readonly filters: CheckedFilter | null;
  readonly populate: PopulateTree;
}

/** By attribute name. Wildcards and paths are expanded; what the caller may not read is left out. */
export type PopulateTree = ReadonlyMap<string, PopulateBranch>;

export interface PopulateBranch extends CheckedParts {
  readonly sort: readonly CheckedSort[] | null;
  readonly count: boolean;
  /**
   * For zones and polymorphic relations: what is shown of each component or target type; others are left out.
   * Null for all other attributes.
   */
  readonly on: ReadonlyMap<string, PopulateBranch> | null;
}

export interface CheckedQuery extends QueryParts, CheckedParts {
  readonly sort: readonly CheckedSort[];
  /** Operators in `locale`, for localized types. */
  readonly localeFilter: CheckedFilter | null;
}
