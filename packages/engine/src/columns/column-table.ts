import { recordKey, recordOf, tableRange } from '../storage/layout.js';
import type { Snapshot } from '../storage/reader.js';
import { ByteDocument } from '../values/byte-document.js';
import { PAUSE, type Paced } from '../values/pace.js';
import { isTurnOver, tick } from '../values/work.js';
import type { Column, ColumnNeed } from './column.js';
import { KnownMatches } from './known-matches.js';
import { PathValues } from './path-values.js';

/** The number of records written since the commit beyond which reading them separately is not worthwhile. */
const mostChanged = (rows: number): number => 64 + (rows >> 6);
/** The maximum share of odd rows in a column. */
const MOST_ODD = 1 / 16;

/** The columns that a query reads, for one state of a collection. */
export interface ColumnView {
  /** The record number of each row, in order. */
  readonly records: Float64Array;
  readonly columns: readonly Column[];
  /** Numbers of the records that must be read directly, in order: odd rows, and records written since. */
  readonly apart: readonly number[];
  readonly matches: KnownMatches;
}

/** Columns that are being collected, or whose collection was interrupted. */
interface Collection {
  readonly needs: readonly ColumnNeed[];
  readonly document: ByteDocument;
  readonly values: readonly PathValues[];
  /** The records of the rows, unless they are known from other columns. */
  readonly records: number[];
  /** The row and the record at which to continue. */
  row: number;
  next: number;
  used: number;
}

/** Memory limits for the columns of one scan, in bytes. */
export interface CollectionLimit {
  readonly all: number;
  readonly each: number;
}

const keyOf = ({ path, folded }: ColumnNeed): string => `${folded ? 'i' : 's'} ${path}`;

/**
 * The columns of one collection as of one commit. Records written later are noted, and are read directly by
 * each reader in its own state; all other rows are the same in every state since that commit.
 */
export class ColumnTable {
  readonly #columns = new Map<string, { readonly column: Column; used: number }>();
  readonly #changed = new Set<number>();
  readonly #matches = new KnownMatches();
  #records: Float64Array | undefined;
  /** An unfinished collection, for example because its time was over; the next scan continues it. */
  #begun: Collection | undefined;
  /** Whether columns are being collected. */
  isBuilding = false;
  /** The number of records read to collect columns. */
  read = 0;

  constructor(
    readonly table: number,
    readonly commit: number,
  ) {}

  get size(): number {
    let size = (this.#records?.byteLength ?? 0) + this.#changed.size * 32 + this.#matches.size;
    for (const { column } of this.#columns.values()) size += column.size;
    return size + (this.#begun === undefined ? 0 : sizeOf(this.#begun));
  }

  get isEmpty(): boolean {
    return this.#columns.size === 0 && this.#begun === undefined && !this.isBuilding;
  }

  /** Notes that a record was written after the commit. */
  noteChange(record: number): void {
    this.#changed.add(record);
  }

  get isOutdated(): boolean {
    const rows = this.#records?.length ?? this.#begun?.row;
    return rows !== undefined && this.#changed.size > mostChanged(rows);
  }

  lacks(needs: readonly ColumnNeed[]): ColumnNeed[] {
    const lacking = new Map<string, ColumnNeed>();
    for (const need of needs) if (!this.#columns.has(keyOf(need))) lacking.set(keyOf(need), need);
    return [...lacking.values()];
  }

  /**
   * The columns for these needs, all of which must exist; `now` becomes the time of their last use.
   * `written`: records of an uncommitted batch.
   */
  view(needs: readonly ColumnNeed[], now: number, written: Iterable<number> = []): ColumnView {
    const records = this.#records;
    if (records === undefined) throw new Error('no columns have been collected');
    const columns = needs.map((need) => {
      const kept = this.#columns.get(keyOf(need));
      if (kept === undefined) throw new Error(`there is no column of ${need.path}`);
      kept.used = now;
      return kept.column;
    });
    const apart = new Set([...this.#changed, ...written]);
    for (const { odd } of columns) for (const row of odd) apart.add(records[row] as number);
    return { records, columns, apart: [...apart].sort((a, b) => a - b), matches: this.#matches };
  }

  /** When the least recently used column was last used. */
  get oldest(): number {
    const kept = [...this.#columns.values(), ...(this.#begun === undefined ? [] : [this.#begun])];
    return Math.min(...kept.map(({ used }) => used));
  }

  /** Removes the columns that were last used at that time. */
  forget(used: number): void {
    if (this.#begun?.used === used) this.#begun = undefined;
    for (const [key, kept] of this.#columns) if (kept.used === used) this.#columns.delete(key);
  }

  /** Whether the collection of columns was interrupted. */
  get isBegun(): boolean {
    return this.#begun !== undefined;
  }

  /**
   * Collects columns in one scan of the collection, in a state since the commit. If the scan is interrupted,
   * the next call continues it before it collects other columns. Returns the needs that cannot be met:
   * columns that are too large, or have many odd rows.
   */
  *collect(
    reader: Snapshot,
    needs: readonly ColumnNeed[],
    limit: CollectionLimit,
    now: number,
  ): Paced<ColumnNeed[]> {
    const begun = this.#begun ?? beginOf(needs);
    begun.used = now;
    this.isBuilding = true;
    try {
      const tooLarge = yield* this.#scan(reader, begun, limit);
      this.#begun = undefined;
      return tooLarge === undefined ? yield* this.#keep(begun, limit) : [tooLarge];
    } finally {
      this.isBuilding = false;
    }
  }

  /** Reads the remaining records. Returns the need whose column would be too large, if any. */
  *#scan(reader: Snapshot, begun: Collection, limit: CollectionLimit): Paced<ColumnNeed | undefined> {
    const { document, values, records } = begun;
    const before = this.#records;
    const { end } = tableRange(this.table);
    for (const { key, value } of (reader.lending ?? reader).entries({
      start: recordKey(this.table, begun.next),
      end,
    })) {
      const record = recordOf(key);
      // Unset while a record is processed: a collection with half a record cannot be continued.
      this.#begun = undefined;
      // Rows without a record, and records without a row, were written since.
      for (; before !== undefined && (before[begun.row] as number) < record; begun.row++)
        for (const { builder } of values) builder.addNothing();
      if (before === undefined || before[begun.row] === record) {
        document.read(value);
        for (const one of values) one.add();
        if (before === undefined) records.push(record);
        begun.row += 1;
      }
      begun.next = record + 1;
      this.#begun = begun;
      this.read += 1;
      tick();
      if (!isTurnOver()) continue;
      const tooLarge = tooLargeOf(begun, limit);
      if (tooLarge !== undefined) return tooLarge;
      yield PAUSE;
    }
    return undefined;
  }

  *#keep({ needs, values, records, used }: Collection, limit: CollectionLimit): Paced<ColumnNeed[]> {
    this.#records ??= new Float64Array(records);
    const rows = this.#records.length;
    const refused: ColumnNeed[] = [];
    for (const [i, need] of needs.entries()) {
      const { builder } = values[i] as PathValues;
      while (builder.rows < rows) builder.addNothing();
      if (builder.oddRows > rows * MOST_ODD || builder.size > limit.each) refused.push(need);
      else this.#columns.set(keyOf(need), { column: builder.build(), used });
      yield PAUSE;
    }
    return refused;
  }
}

function beginOf(needs: readonly ColumnNeed[]): Collection {
  const document = new ByteDocument();
  const values = needs.map((need) => new PathValues(document, need));
  return { needs, document, values, records: [], row: 0, next: 0, used: 0 };
}

const sizeOf = ({ values, records }: Collection): number =>
  values.reduce((size, { builder }) => size + builder.size, records.length * 8);

/** The largest column, if it exceeds its own limit or all columns exceed theirs. */
function tooLargeOf(begun: Collection, { all, each }: CollectionLimit): ColumnNeed | undefined {
  const sizes = begun.values.map(({ builder }) => builder.size);
  const largest = Math.max(...sizes);
  return largest > each || sizeOf(begun) > all ? begun.needs[sizes.indexOf(largest)] : undefined;
}
