/** What a source says, read as plainly as possible. Rows and component items are named by `uid ref`. */

import type { SourceFile } from '../source/types.js';

export type Expected =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'items'; readonly items: readonly ExpectedItem[] }
  /** What an attribute refers to, in its order. */
  | {
      readonly kind: 'links';
      readonly to: readonly ExpectedLink[];
      /** Values among them that are no references. */
      readonly others?: readonly unknown[];
    };

export interface ExpectedLink {
  /** The key of the row. */
  readonly key: string;
  /** Whether the row stands for its document in any locale. */
  readonly anyLocale: boolean;
}

export type ExpectedFields = ReadonlyMap<string, Expected>;

export interface ExpectedItem {
  readonly uid: string;
  readonly key: string;
  readonly fields: ExpectedFields;
  /** The source refers to it, but does not have it. */
  readonly missing?: true;
}

export interface ExpectedRow extends ExpectedItem {
  readonly ref: string;
  /** Null if the source leaves the documentId to the import. */
  readonly documentId: string | null;
  readonly id: number | null;
  readonly locale: string | null;
  readonly versions: 'draft' | 'published' | 'both';
  /** The keys of rows that are locales of the same document. */
  readonly siblings: readonly string[];
}

/** Something that was looked for outside the stored entries. */
export interface CheckedItem {
  readonly at: string;
  /** Null if it was found. */
  readonly missing: string | null;
  /** Words that a line about it must contain; null: any line about it will do. */
  readonly mention?: string | null;
}

export interface ExpectedSource {
  /** All rows, in batches. */
  rows(): AsyncIterable<readonly ExpectedRow[]>;
  /** Called after `rows`: locales, permissions, and links of which no row was the holder. */
  others(): AsyncIterable<CheckedItem>;
  files(): AsyncIterable<SourceFile>;
}

export const expectedKey = (uid: string, ref: unknown): string => `${uid} ${String(ref)}`;
