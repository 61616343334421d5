import { mergeIndexNotes } from '../indexes/notes.js';
import type { Batch } from '../storage/batch.js';
import type { Catalog } from '../storage/catalog.js';
import { CatalogLayer, type CollectionMeta, namespaceOf } from '../storage/catalog.js';
import { type Conflicts, type Holder, writeConflict } from '../storage/conflicts.js';
import type { Snapshot } from '../storage/reader.js';
import type { RecordNumbers } from '../storage/record-numbers.js';
import type { ChangeRecord, Entry, KeySpan, Writable } from '../storage/view.js';
import { mergeSpans } from './merge-spans.js';
import { SortedKeys } from './sorted-keys.js';

/** What an overlay needs from the engine. */
export interface OverlayContext {
  readonly catalog: Catalog;
  readonly conflicts: Conflicts;
  readonly numbers: RecordNumbers;
}

/** A transaction's own state: a snapshot, and over it what the transaction has written, kept in memory until commit. */
export class Overlay implements Writable {
  readonly catalog: CatalogLayer;
  private readonly written = new Map<string, Buffer | null>();
  private readonly keysWritten = new SortedKeys();
  private readonly claimed = new Set<string>();
  private readonly differences = new Map<number, number>();
  private readonly changes: ChangeRecord[] = [];
  private readonly touched = new Map<number, CollectionMeta>();

  constructor(
    private readonly snapshot: Snapshot,
    private readonly context: OverlayContext,
    private readonly holder: Holder,
  ) {
    this.catalog = new CatalogLayer(context.catalog);
  }

  get hasWrites(): boolean {
    return this.written.size > 0 || this.catalog.changed.size > 0;
  }

  get(key: Buffer): Buffer | undefined {
    if (this.written.size > 0) {
      const own = this.written.get(key.toString('latin1'));
      if (own !== undefined) return own ?? undefined;
    }
    return this.snapshot.get(key);
  }

  entries(span: KeySpan): Iterable<Entry> {
    if (this.written.size === 0) return this.snapshot.entries(span);
    return mergeSpans(this.snapshot.entries(span), this.written, this.keysWritten, span);
  }

  *keys(span: KeySpan): Iterable<Buffer> {
    for (const { key } of this.entries(span)) yield key;
  }

  count(table: number): number {
    return this.snapshot.count(table) + (this.differences.get(table) ?? 0);
  }

  put(key: Buffer, value: Buffer): void {
    this.write(key, value);
  }

  remove(key: Buffer): void {
    this.write(key, null);
  }

  private write(key: Buffer, value: Buffer | null): void {
    const id = key.toString('latin1');
    if (!this.written.has(id)) this.keysWritten.add(id);
    this.written.set(id, value);
  }

  lock(key: Buffer): void {
    const id = key.toString('latin1');
    this.context.conflicts.claim(id, this.holder);
    this.claimed.add(id);
  }

  /** Throws WriteConflict if the collection was dropped after the transaction began. */
  touch(collection: CollectionMeta): void {
    if (this.touched.has(collection.table)) return;
    const { db, name, table } = collection;
    const isOwn = this.catalog.changed.has(namespaceOf(db, name));
    const current = this.context.catalog.collections.get(namespaceOf(db, name));
    if (!isOwn && current?.table !== table) throw writeConflict();
    this.touched.set(table, collection);
    this.context.conflicts.enter(table, this.holder);
  }

  /** A transaction only creates collections, which nobody else sees. */
  exclude(): void {}

  addCount(table: number, difference: number): void {
    this.differences.set(table, (this.differences.get(table) ?? 0) + difference);
  }

  nextRecord(table: number): number {
    return this.context.numbers.next(table, this);
  }

  log(change: ChangeRecord): void {
    this.changes.push(change);
  }

  /** A collection created in the transaction: others see it when the transaction commits. */
  saveCollection(meta: CollectionMeta): void {
    this.catalog.set(meta);
  }

  /** Releases the written keys. */
  release(): void {
    this.context.conflicts.end(this.holder, this.claimed);
    this.written.clear();
    this.keysWritten.clear();
    this.claimed.clear();
  }

  /** Writes everything to a batch. Throws WriteConflict if the catalogue has changed meanwhile. */
  applyTo(batch: Batch): void {
    const affected = new Map(this.touched);
    for (const meta of this.catalog.changed.values()) if (meta !== null) affected.set(meta.table, meta);
    for (const meta of affected.values()) {
      batch.touch(meta);
      this.applyCollection(meta, batch);
    }
    for (const [id, value] of this.written) {
      const key = Buffer.from(id, 'latin1');
      batch.touched.push(id);
      if (value === null) batch.remove(key);
      else batch.put(key, value);
    }
    for (const [table, difference] of this.differences) batch.addCount(table, difference);
    for (const change of this.changes) batch.log(change);
  }

  /** The collection as currently committed, with what the transaction has learned about its indexes. */
  private applyCollection(before: CollectionMeta, batch: Batch): void {
    const current = batch.catalog.get(before.db, before.name);
    const mine = this.catalog.get(before.db, before.name) ?? before;
    const isNew = !this.catalog.below.has(namespaceOf(before.db, before.name));
    if (isNew) {
      if (current !== undefined) throw writeConflict();
      batch.saveCollection(mine);
      return;
    }
    if (current === undefined || tablesOf(current) !== tablesOf(mine)) throw writeConflict();
    const merged = mergeIndexNotes(current, mine);
    if (merged !== current) batch.saveCollection(merged);
  }
}

const tablesOf = (meta: CollectionMeta): string =>
  [meta.table, ...meta.indexes.map((index) => index.table)].join();
