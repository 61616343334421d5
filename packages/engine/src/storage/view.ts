import type { Document } from 'bson';
import type { CatalogLayer, CollectionMeta } from './catalog.js';

/** A span of keys, from `start` (inclusive) to `end` (exclusive), in ascending or descending order. */
export interface KeySpan {
  readonly start: Buffer;
  readonly end: Buffer;
  readonly reverse?: boolean;
}

export interface Entry {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** Reads whose values are not copied. */
export interface Lending {
  get(key: Buffer): Buffer | undefined;
  entries(span: KeySpan): Iterable<Entry>;
}

/** A consistent state of the store. */
export interface Reader {
  readonly catalog: CatalogLayer;
  get(key: Buffer): Buffer | undefined;
  entries(span: KeySpan): Iterable<Entry>;
  keys(span: KeySpan): Iterable<Buffer>;
  /**
   * The same as `get` and `entries` with borrowed values: they are valid until the next read of any kind. Only readers that do
   * not read ahead have these.
   */
  readonly lending?: Lending | undefined;
  /** The number of documents of a collection's table. */
  count(table: number): number;
}

/** A change to one document or collection, for change streams. */
export interface ChangeRecord {
  readonly type: string;
  readonly db: string;
  readonly collection?: string;
  /** Fields of the event besides type, namespace and time. */
  readonly body?: Document;
}

/** A state that can be written to: the batch about to be committed, or the writes of a transaction so far. */
export interface Writable extends Reader {
  put(key: Buffer, value: Buffer): void;
  remove(key: Buffer): void;
  /** Claims a key for writing. Throws if an open transaction holds it or has not seen its latest value. */
  lock(key: Buffer): void;
  /** Notes that a document of the collection is about to be written. */
  touch(collection: CollectionMeta): void;
  /** Waits until no open transaction has written to the collection, which is itself about to change. */
  exclude(collection: CollectionMeta): void;
  /** Stores a collection's description, new or changed. */
  saveCollection(meta: CollectionMeta): void;
  addCount(table: number, difference: number): void;
  log(change: ChangeRecord): void;
  /** A record number of the collection's table that has never been used. */
  nextRecord(table: number): number;
}
