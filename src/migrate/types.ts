import type { ScalarType, Status } from '../schema/types.js';

/** An entry as stored; 64-bit integers are `Long`, decimals `Decimal128`. */
export type StoredEntry = Record<string, unknown>;

type Awaitable<T> = T | Promise<T>;

/**
 * A step of a migration. `of` is the uid of a content type, or of a component whose items are changed
 * wherever they are.
 */
export type MigrationStep =
  | { readonly renameAttribute: string; readonly of: string; readonly to: string }
  | {
      readonly changeType: string;
      readonly of: string;
      readonly to: ScalarType;
      /**
       * Converts a stored value to the new value, which is then stored by its type; if absent, the type
       * converts it.
       */
      readonly convert?: (value: unknown, item: StoredEntry) => unknown;
      /** The reverse conversion, for `migrate down`. */
      readonly back?: (value: unknown, item: StoredEntry) => unknown;
      /**
       * What becomes of values that cannot be converted; if absent, the migration stops before writing
       * anything.
       */
      readonly otherwise?: 'null';
    }
  /** A value becomes a list with one item. */
  | { readonly toList: string; readonly of: string }
  /** A list becomes its first value; without `keep`, the migration stops if a list has more. */
  | { readonly toSingle: string; readonly of: string; readonly keep?: 'first' }
  | { readonly removeAttribute: string; readonly of: string }
  | {
      readonly moveIntoComponent: readonly string[];
      readonly of: string;
      /** The attribute with the component. */
      readonly into: string;
      readonly component: string;
    }
  | {
      readonly moveOutOfComponent: readonly string[];
      readonly of: string;
      readonly from: string;
    }
  /** Existing entries get this locale. */
  | { readonly localize: string; readonly locale: string }
  /** Keeps the entries of one locale; deletes the others if `dropOthers` is set. */
  | { readonly unlocalize: string; readonly keep: string; readonly dropOthers?: true }
  /** The attribute becomes shared by all locales, with the value of one of them. */
  | { readonly shareAttribute: string; readonly of: string; readonly keep: string }
  /** Existing entries are published and get drafts. */
  | { readonly addDrafts: string }
  /**
   * Keeps the published entries; documents that were never published are published, or left in the collection
   * that is set aside.
   */
  | { readonly removeDrafts: string; readonly unpublished: 'publish' | 'leave' }
  | { readonly renameCollection: string; readonly to: string }
  | {
      /**
       * The uid of a content type, whose entries are changed one by one: drafts and published ones, in every
       * locale.
       */
      readonly documents: string;
      /** The changed entry; undefined if it stays the same. */
      readonly change: (
        entry: StoredEntry,
        at: { readonly status: Status },
      ) => Awaitable<StoredEntry | undefined>;
      readonly undo?: (
        entry: StoredEntry,
        at: { readonly status: Status },
      ) => Awaitable<StoredEntry | undefined>;
    }
  /** The stored values are correct: the current schema of the attribute counts as applied. */
  | { readonly accept: string; readonly of: string };

/** The default export of a file in `migrations/`. */
export interface Migration {
  readonly steps: readonly MigrationStep[];
}
