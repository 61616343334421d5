import type { Status } from '../query/read-plan.js';
import type { ScalarType } from '../schema/types.js';

/** An entry as it is stored; 64-bit integers are `Long`, decimals `Decimal128`. */
export type StoredEntry = Record<string, unknown>;

type Awaitable<T> = T | Promise<T>;

/** What a migration does, step by step. `of`: a content type's uid, or a component's, whose items are changed wherever they are. */
export type MigrationStep =
  | { readonly renameAttribute: string; readonly of: string; readonly to: string }
  | {
      readonly changeType: string;
      readonly of: string;
      readonly to: ScalarType;
      /** From the stored value to the new one, which is then stored as its type asks; absent: the type's own reading. */
      readonly convert?: (value: unknown, item: StoredEntry) => unknown;
      /** The way back, for `migrate down`. */
      readonly back?: (value: unknown, item: StoredEntry) => unknown;
      /** What becomes of a value that cannot be converted; absent: the migration stops before it writes anything. */
      readonly otherwise?: 'null';
    }
  /** One value becomes a list of one. */
  | { readonly toList: string; readonly of: string }
  /** A list becomes its first value; absent `keep`: the migration stops where there are more. */
  | { readonly toSingle: string; readonly of: string; readonly keep?: 'first' }
  | { readonly removeAttribute: string; readonly of: string }
  | {
      readonly moveIntoComponent: readonly string[];
      readonly of: string;
      /** The attribute that holds the component. */
      readonly into: string;
      readonly component: string;
    }
  | {
      readonly moveOutOfComponent: readonly string[];
      readonly of: string;
      readonly from: string;
    }
  /** The entries so far get this locale. */
  | { readonly localize: string; readonly locale: string }
  /** The entries of one locale stay; those of others are dropped where `dropOthers` says so. */
  | { readonly unlocalize: string; readonly keep: string; readonly dropOthers?: true }
  /** An attribute is shared by all locales: the value of one. */
  | { readonly shareAttribute: string; readonly of: string; readonly keep: string }
  /** What is there is published and gets drafts. */
  | { readonly addDrafts: string }
  /** What is live stays; what was never published is published, or left in the collection that is set aside. */
  | { readonly removeDrafts: string; readonly unpublished: 'publish' | 'leave' }
  | { readonly renameCollection: string; readonly to: string }
  | {
      /** A content type's uid: its entries one by one, drafts and published ones, in every locale. */
      readonly documents: string;
      /** The entry as it shall be; undefined: as it is. */
      readonly change: (
        entry: StoredEntry,
        at: { readonly status: Status },
      ) => Awaitable<StoredEntry | undefined>;
      readonly undo?: (
        entry: StoredEntry,
        at: { readonly status: Status },
      ) => Awaitable<StoredEntry | undefined>;
    }
  /** The attribute is right as it is stored: what the schema says of it counts as applied. */
  | { readonly accept: string; readonly of: string };

/** A file of `migrations/` exports one by default. */
export interface Migration {
  readonly steps: readonly MigrationStep[];
}
