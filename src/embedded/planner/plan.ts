import type { Document } from 'bson';
import type { ColumnSource } from '../columns/kept-columns.js';
import type { CompiledIndex } from '../indexes/compile-index.js';
import type { CollectionMeta } from '../storage/catalog.js';
import type { Collation } from '../values/index.js';
import type { Bounds } from './bounds.js';
import type { Cover } from './cover.js';
import type { KnownCounts } from './known-counts.js';

/** What is to be read of a collection. */
export interface Query {
  readonly filter: Document;
  readonly sort?: Document | undefined;
  readonly skip?: number | undefined;
  readonly limit?: number | undefined;
  readonly collation?: Collation | undefined;
  readonly hint?: string | Document | undefined;
  readonly variables?: Document | undefined;
  /** Keys of the hinted index to begin with and to end before. */
  readonly min?: Document | undefined;
  readonly max?: Document | undefined;
  /** What of the documents is wanted: these paths, or the index's own key; whole documents where it is undefined. */
  readonly fields?: readonly string[] | 'key' | undefined;
  /** Where the numbers of what matches are kept. */
  readonly counts?: KnownCounts | undefined;
  /** Where the values of paths that scans look at are kept. */
  readonly columns?: ColumnSource | undefined;
}

/** A walk through the whole collection, in the order of insertion. */
export interface CollectionScan {
  readonly kind: 'COLLSCAN';
  readonly collection: CollectionMeta;
  readonly reverse: boolean;
  readonly sorted: boolean;
  readonly exact: boolean;
}

/** A walk through a part of an index. */
export interface IndexScan {
  readonly kind: 'IXSCAN';
  readonly collection: CollectionMeta;
  readonly index: CompiledIndex;
  readonly bounds: Bounds;
  readonly reverse: boolean;
  /** The walk is in the order that the query asks for. */
  readonly sorted: boolean;
  /** Leading fields of the sort that the walk is in order of: only rows that are equal in these are left to sort. */
  readonly leading: number;
  /** Every document found matches; the filter need not be tested. */
  readonly exact: boolean;
  /** Where the entries alone answer the query: what is made of them in place of the documents. */
  readonly cover: Cover | undefined;
  /** Whether an entry alone rules its document out, which then is not read; undefined where entries do not tell. */
  readonly rulesOut: ((key: Buffer, notes: Buffer) => boolean) | undefined;
}

/** Several index walks, one for each branch of an `$or`; a document found twice counts once. */
export interface Union {
  readonly kind: 'OR';
  readonly collection: CollectionMeta;
  readonly branches: readonly IndexScan[];
  readonly sorted: false;
  readonly exact: false;
}

export type Plan = CollectionScan | IndexScan | Union;

/** Whether the entries of an index are counted as they are. */
export const isCountScan = (plan: Plan): plan is IndexScan => plan.kind === 'IXSCAN' && plan.exact;
