import { getHeapStatistics } from 'node:v8';
import { Batch } from '../storage/batch.js';
import { Snapshot } from '../storage/reader.js';
import type { Reader } from '../storage/view.js';
import { PAUSE, type Paced } from '../values/pace.js';
import type { ColumnNeed } from './column.js';
import { ColumnTable, type ColumnView } from './column-table.js';

/** The share of the maximum heap size that columns may use, outside the heap. */
const SHARE = 1 / 8;
/** The minimum number of documents in a collection with columns. */
const LEAST = 500;
/** The number of scans that use a path before its column is collected. */
const OFTEN = 2;
/** The maximum number of paths whose scans are counted. */
const MOST_ASKED = 2000;
/** The number of turns to wait for a stalled collection of columns, which may have been abandoned. */
const MOST_TURNS = 50;

/** Knows when a collection was last changed. */
interface Changes {
  changedAt(table: number): number;
}

/** Where scans find columns. */
export interface ColumnSource {
  /** Notes that a scan has used paths whose columns would have saved reading the records. */
  ask(table: number, needs: readonly ColumnNeed[]): void;
  /** The columns in a reader's state; undefined if they do not exist. */
  open(reader: Reader, table: number, needs: readonly ColumnNeed[]): Paced<ColumnView | undefined>;
}

/** Memory limit of columns, and the minimum size of collections that have them. */
interface Bounds {
  readonly bytes: number;
  readonly least: number;
}

const usualBounds = (): Bounds => ({
  bytes: getHeapStatistics().heap_size_limit * SHARE,
  least: LEAST,
});

/**
 * Keeps the values at paths that scans use repeatedly, so that a scan reads these columns instead of every
 * record. Writes are noted (`ColumnTable`); after many writes, a collection's columns are dropped. If memory
 * runs short, the least recently used columns are dropped first.
 */
export class KeptColumns implements ColumnSource {
  readonly #tables = new Map<number, ColumnTable>();
  /**
   * The number of scans that have used a path; for a path whose column cannot be kept, it never reaches the
   * required number.
   */
  readonly #asked = new Map<string, number>();
  #now = 0;

  constructor(
    private readonly changes: Changes,
    private readonly bounds: Bounds = usualBounds(),
  ) {}

  /** The size of all columns, in bytes. */
  get size(): number {
    let size = 0;
    for (const table of this.#tables.values()) size += table.size;
    return size;
  }

  /** Whether writes to a table must be noted. */
  keeps(table: number): boolean {
    return this.#tables.has(table);
  }

  /** Notes the records that a commit has written. */
  noteCommit(written: ReadonlyMap<number, ReadonlySet<number>>): void {
    for (const [table, records] of written) {
      const kept = this.#tables.get(table);
      for (const record of records) kept?.noteChange(record);
      if (kept?.isOutdated) this.forget(table);
    }
  }

  /** Drops the columns of a collection. */
  forget(table: number): void {
    this.#tables.delete(table);
    for (const [key, times] of this.#asked) {
      if (times > 0 && key.startsWith(`${table} `)) this.#asked.delete(key);
    }
  }

  ask(table: number, needs: readonly ColumnNeed[]): void {
    if (this.#asked.size > MOST_ASKED) this.#asked.clear();
    for (const key of new Set(needs.map((need) => askKey(table, need))))
      this.#asked.set(key, (this.#asked.get(key) ?? 0) + 1);
  }

  /** The existing columns only, for readers that must not collect any. */
  readonly present: ColumnSource = {
    ask: () => {},
    open: (reader, table, needs) => this.#openPresent(reader, table, needs),
  };

  // biome-ignore lint/correctness/useYield: existing columns need no pauses
  *#openPresent(reader: Reader, table: number, needs: readonly ColumnNeed[]): Paced<ColumnView | undefined> {
    return this.#present(reader, table, needs);
  }

  /** The columns of a commit also serve a batch that is being written on top of it. */
  #present(reader: Reader, table: number, needs: readonly ColumnNeed[]): ColumnView | undefined {
    const kept = this.#tables.get(table);
    if (kept === undefined || kept.isBuilding || kept.lacks(needs).length > 0) return undefined;
    if (reader instanceof Batch) return kept.view(needs, this.#now, reader.writtenTo(table));
    return reader instanceof Snapshot && kept.commit <= reader.commit
      ? kept.view(needs, this.#now)
      : undefined;
  }

  /** Collects missing columns if scans of snapshots have requested them often enough. */
  *open(reader: Reader, table: number, needs: readonly ColumnNeed[]): Paced<ColumnView | undefined> {
    if (reader.count(table) < this.bounds.least) return undefined;
    if (reader instanceof Snapshot) yield* this.#wait(table);
    this.#now += 1;
    const present = this.#present(reader, table, needs);
    if (present !== undefined || !(reader instanceof Snapshot)) return present;
    const kept = this.#tables.get(table);
    if (kept !== undefined && (kept.isBuilding || kept.commit > reader.commit)) return undefined;
    const lacking = kept?.lacks(needs) ?? needs;
    if (!lacking.every((need) => (this.#asked.get(askKey(table, need)) ?? 0) >= OFTEN)) return undefined;
    // Writes between the reader's state and now have not been noted.
    if (kept === undefined && this.changes.changedAt(table) > reader.commit) return undefined;
    const made = kept ?? new ColumnTable(table, reader.commit);
    this.#tables.set(table, made);
    return yield* this.#collect(reader, made, needs);
  }

  *#collect(
    reader: Snapshot,
    made: ColumnTable,
    needs: readonly ColumnNeed[],
  ): Paced<ColumnView | undefined> {
    const { bytes } = this.bounds;
    const limit = { all: bytes, each: bytes / 2 };
    try {
      // Columns that another scan began to collect come first.
      for (let scans = made.isBegun ? 2 : 1; scans > 0; scans--) {
        const lacking = made.lacks(needs);
        if (lacking.length === 0) break;
        for (const need of yield* made.collect(reader, lacking, limit, this.#now))
          this.#asked.set(askKey(made.table, need), Number.NEGATIVE_INFINITY);
      }
      return made.lacks(needs).length === 0 ? made.view(needs, this.#now) : undefined;
    } finally {
      if (made.isEmpty) this.#drop(made);
      else this.#makeRoom();
    }
  }

  #drop(table: ColumnTable): void {
    if (this.#tables.get(table.table) === table) this.#tables.delete(table.table);
  }

  /** Drops the least recently used columns until the rest fits. */
  #makeRoom(): void {
    while (this.size > this.bounds.bytes) {
      const tables = [...this.#tables.values()].filter((table) => !table.isEmpty && !table.isBuilding);
      const [first] = tables.sort((a, b) => a.oldest - b.oldest);
      if (first === undefined) return;
      first.forget(first.oldest);
      if (first.isEmpty) this.#drop(first);
    }
  }

  /** Waits while another scan collects columns of the collection. */
  *#wait(table: number): Paced<void> {
    const kept = this.#tables.get(table);
    let read = kept?.read;
    for (let turns = 0; kept?.isBuilding && turns < MOST_TURNS; turns++) {
      yield PAUSE;
      if (kept.read !== read) turns = 0;
      read = kept.read;
    }
  }
}

const askKey = (table: number, { path, folded }: ColumnNeed): string =>
  `${table} ${folded ? 'i' : 's'} ${path}`;
