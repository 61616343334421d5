import {
  type Catalog,
  CatalogLayer,
  type CollectionMeta,
  collectionKey,
  countKey,
  decodeCount,
  doomedKey,
  encodeCollection,
  encodeCount,
} from './catalog.js';
import type { Conflicts } from './conflicts.js';
import { OPLOG_TABLE, recordOf, tableRange } from './layout.js';
import { encodeChange, type LogSpan, oldestChanges } from './oplog.js';
import { isEmptySpan, rangeOptions } from './reader.js';
import type { RecordNumbers } from './record-numbers.js';
import type { Store } from './store.js';
import type { ChangeRecord, Entry, KeySpan, Writable } from './view.js';

/** What a batch needs from the engine. */
export interface BatchContext {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly conflicts: Conflicts;
  readonly numbers: RecordNumbers;
  /** Called after each commit with the collections that it changed. */
  readonly versions: { noteCommit(commit: number, tables: Iterable<number>): void };
  /** Called with the records that each commit writes to collections with columns. */
  readonly columns: {
    keeps(table: number): boolean;
    noteCommit(written: ReadonlyMap<number, ReadonlySet<number>>): void;
    forget(table: number): void;
  };
  /** The number of the last change in the oplog. */
  lastChange: number;
  /** The span of the oplog, whose start may be too low. */
  logSpan: LogSpan;
  /** The most bytes of changes to keep. */
  readonly oplogBytes: number;
}

const NOTHING: readonly never[] = [];
const EMPTY = Buffer.alloc(0);

/** The writes of one lmdb transaction, in which it must be created and ended: those of one or several commands. */
export class Batch implements Writable {
  readonly catalog: CatalogLayer;
  readonly touched: string[] = [];
  /** The collections whose documents have changed. */
  readonly touchedTables = new Set<number>();
  /** The tables to be removed, and why. */
  readonly doomed = new Map<number, string>();
  lastChange: number;
  private logSpan: LogSpan;
  /** How many writes were made: a command that fails before its first one need not undo the others. */
  writes = 0;
  private readonly differences = new Map<number, number>();
  /** The records that were written, in collections with columns. */
  private readonly written = new Map<number, Set<number>>();

  constructor(private readonly context: BatchContext) {
    this.catalog = new CatalogLayer(context.catalog);
    this.lastChange = context.lastChange;
    this.logSpan = context.logSpan;
  }

  get(key: Buffer): Buffer | undefined {
    return this.context.store.get(key);
  }

  entries(span: KeySpan): Iterable<Entry> {
    return isEmptySpan(span) ? NOTHING : this.context.store.getRange(rangeOptions(span));
  }

  keys(span: KeySpan): Iterable<Buffer> {
    return isEmptySpan(span) ? NOTHING : this.context.store.getKeys(rangeOptions(span));
  }

  count(table: number): number {
    return decodeCount(this.get(countKey(table))) + (this.differences.get(table) ?? 0);
  }

  put(key: Buffer, value: Buffer): void {
    this.writes += 1;
    this.noteWrite(key);
    this.context.store.putSync(key, value);
  }

  remove(key: Buffer): void {
    this.writes += 1;
    this.noteWrite(key);
    this.context.store.removeSync(key);
  }

  private noteWrite(key: Buffer): void {
    const table = key.readUInt32BE(0);
    if (!this.context.columns.keeps(table)) return;
    const records = this.written.get(table);
    if (records === undefined) this.written.set(table, new Set([recordOf(key)]));
    else records.add(recordOf(key));
  }

  /** The records that were written of a collection of which columns are kept. */
  writtenTo(table: number): ReadonlySet<number> {
    return this.written.get(table) ?? new Set();
  }

  lock(key: Buffer): void {
    if (this.context.conflicts.isIdle) return;
    const id = key.toString('latin1');
    this.context.conflicts.checkFree(id);
    this.touched.push(id);
  }

  touch(collection: CollectionMeta): void {
    this.touchedTables.add(collection.table);
  }

  exclude(collection: CollectionMeta): void {
    this.context.conflicts.checkUnwritten(collection.table);
  }

  addCount(table: number, difference: number): void {
    this.differences.set(table, (this.differences.get(table) ?? 0) + difference);
  }

  nextRecord(table: number): number {
    return this.context.numbers.next(table, this);
  }

  log(change: ChangeRecord): void {
    this.lastChange += 1;
    const { start, end } = this.logSpan;
    const { key, value } = encodeChange(this.lastChange, change, end);
    this.logSpan = { start, end: end + value.length };
    this.put(key, value);
  }

  /** Stores a collection's description, new or changed. */
  saveCollection(meta: CollectionMeta): void {
    this.catalog.set(meta);
    this.put(collectionKey(meta.table), encodeCollection(meta));
  }

  /** Marks a table's entries for removal; they become inaccessible at once. */
  doom(table: number, reason: string): void {
    this.doomed.set(table, reason);
    this.put(doomedKey(table), EMPTY);
  }

  /** Removes a collection and all its tables. */
  dropCollection(meta: CollectionMeta): void {
    this.exclude(meta);
    this.catalog.remove(meta.db, meta.name);
    this.remove(collectionKey(meta.table));
    this.remove(countKey(meta.table));
    this.differences.delete(meta.table);
    for (const table of [meta.table, ...meta.indexes.map((index) => index.table)])
      this.doom(table, 'collection dropped');
  }

  /** Removes the oldest changes from a log that has become too large. */
  private trimLog(): void {
    const { oplogBytes } = this.context;
    const { start, end } = this.logSpan;
    if (end - start <= oplogBytes) return;
    const { keys, span } = oldestChanges(this.entries(tableRange(OPLOG_TABLE)), this.logSpan, oplogBytes);
    this.logSpan = span;
    for (const key of keys) this.remove(key);
  }

  /** The last writes before the commit: the counts that have changed, and changes that are no longer kept. */
  finish(): void {
    this.trimLog();
    for (const table of this.differences.keys()) this.put(countKey(table), encodeCount(this.count(table)));
  }

  /** Applies the committed changes in memory. */
  publish(): void {
    this.context.catalog.merge(this.catalog);
    for (const table of this.doomed.keys()) {
      this.context.catalog.doomed.add(table);
      this.context.columns.forget(table);
    }
    this.context.lastChange = this.lastChange;
    this.context.logSpan = this.logSpan;
    this.context.conflicts.noteCommit(this.touched);
    this.context.columns.noteCommit(this.written);
    this.context.versions.noteCommit(this.context.conflicts.commits, this.touchedTables);
  }
}
