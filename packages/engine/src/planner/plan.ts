import type { Document } from 'bson';
import type { ColumnSource } from '../columns/kept-columns.js';
import type { CompiledIndex } from '../indexes/compile-index.js';
import type { CollectionMeta } from '../storage/catalog.js';
import type { Collation } from '../values/index.js';
import type { Shortcuts } from '../values/shortcuts.js';
import type { Bounds } from './bounds.js';

/** What to read from a collection. */
export interface Query {
  readonly shortcuts: Shortcuts;
  readonly filter: Document;
  readonly sort?: Document | undefined;
  readonly skip?: number | undefined;
  readonly limit?: number | undefined;
  readonly collation?: Collation | undefined;
  readonly hint?: string | Document | undefined;
  readonly variables?: Document | undefined;
  /** Keys of the hinted index at which to start (inclusive) and to end (exclusive). */
  readonly min?: Document | undefined;
  readonly max?: Document | undefined;
  /** Where columns are kept. */
  readonly columns?: ColumnSource | undefined;
}

/** A scan of the whole collection, in insertion order. */
export interface CollectionScan {
  readonly kind: 'COLLSCAN';
  readonly collection: CollectionMeta;
  readonly reverse: boolean;
  readonly sorted: boolean;
  readonly exact: boolean;
}

/** A scan of a part of an index. */
export interface IndexScan {
  readonly kind: 'IXSCAN';
  readonly collection: CollectionMeta;
  readonly index: CompiledIndex;
  readonly bounds: Bounds;
  readonly reverse: boolean;
  /** Whether the scan is in the order of the query. */
  readonly sorted: boolean;
  /** Whether every document found matches, so that the filter need not be tested. */
  readonly exact: boolean;
}

/** Several index scans, one for each branch of an `$or`; a document found twice counts once. */
interface Union {
  readonly kind: 'OR';
  readonly collection: CollectionMeta;
  readonly branches: readonly IndexScan[];
  readonly sorted: false;
  readonly exact: false;
}

export type Plan = CollectionScan | IndexScan | Union;

/** Whether the entries of an index are counted as they are. */
export const isCountScan = (plan: Plan): plan is IndexScan => plan.kind === 'IXSCAN' && plan.exact;
