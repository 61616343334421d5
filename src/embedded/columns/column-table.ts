import { recordOf, tableRange } from '../storage/layout.js';
import type { Snapshot } from '../storage/reader.js';
import { ByteDocument } from '../values/byte-document.js';
import { PAUSE, type Paced } from '../values/pace.js';
import { isTurnOver, tick } from '../values/work.js';
import { type Column, type ColumnNeed, sizeOfColumn } from './column.js';
import { KnownMatches } from './known-matches.js';
import { PathValues } from './path-values.js';

/** The number of records written since, beyond which it is no longer worth reading these separately. */
const mostChanged = (rows: number): number => 64 + (rows >> 6);
/** How many of a column's rows may be odd. */
const MOST_ODD = 1 / 16;

/** The columns that a query reads, for one state of a collection. */
export interface ColumnView {
  /** The record of each row, in order. */
  readonly records: Float64Array;
  readonly columns: readonly Column[];
  /** Records that must be read directly, in order: odd rows, and those written since. */
  readonly apart: readonly number[];
  readonly matches: KnownMatches;
}

const keyOf = ({ path, folded }: ColumnNeed): string => `${folded ? 'i' : 's'} ${path}`;

/**
 * The columns of one collection as of one commit. Later writes are noted and read from the records, which each reader sees in its
 * own state; the other rows are the same in all states since that commit.
 */
export class ColumnTable {
  readonly #columns = new Map<string, { readonly column: Column; used: number }>();
  readonly #changed = new Set<number>();
  readonly #matches = new KnownMatches();
  #records: Float64Array | undefined;
  /** Whether columns are being collected. */
  isBuilding = false;
  /** How many records were read to collect columns. */
  read = 0;

  constructor(
    readonly table: number,
    readonly commit: number,
  ) {}

  get size(): number {
    let size = (this.#records?.byteLength ?? 0) + this.#changed.size * 32 + this.#matches.size;
    for (const { column } of this.#columns.values()) size += sizeOfColumn(column);
    return size;
  }

  get isEmpty(): boolean {
    return this.#columns.size === 0 && !this.isBuilding;
  }

  /** Notes a record as written after the commit. */
  noteChange(record: number): void {
    this.#changed.add(record);
  }

  get isOutdated(): boolean {
    return this.#records !== undefined && this.#changed.size > mostChanged(this.#records.length);
  }

  lacks(needs: readonly ColumnNeed[]): ColumnNeed[] {
    const lacking = new Map<string, ColumnNeed>();
    for (const need of needs) if (!this.#columns.has(keyOf(need))) lacking.set(keyOf(need), need);
    return [...lacking.values()];
  }

  /**
   * The columns that are needed, all of which must be there; `now` is noted as when they were used last. `written` are records that
   * the reader's state has otherwise than any commit.
   */
  view(needs: readonly ColumnNeed[], now: number, written: Iterable<number> = []): ColumnView {
    const records = this.#records ?? new Float64Array();
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
    return Math.min(...[...this.#columns.values()].map(({ used }) => used));
  }

  /** Removes the columns that were last used then. */
  forget(used: number): void {
    for (const [key, kept] of this.#columns) if (kept.used === used) this.#columns.delete(key);
  }

  /**
   * Collects columns in one scan of the collection, in a state since the commit. Returns the needs that cannot be kept: columns
   * that take more than `most` bytes in total, or have many odd rows.
   */
  *collect(reader: Snapshot, needs: readonly ColumnNeed[], most: number, now: number): Paced<ColumnNeed[]> {
    const document = new ByteDocument();
    const all = needs.map((need) => new PathValues(document, need));
    const before = this.#records;
    const records: number[] = [];
    let row = 0;
    this.isBuilding = true;
    try {
      for (const { key, value } of reader.lending.entries(tableRange(this.table))) {
        const record = recordOf(key);
        // Rows whose records are gone, and records that are not rows, were written since.
        for (; before !== undefined && (before[row] as number) < record; row++)
          for (const { builder } of all) builder.addNothing();
        if (before === undefined || before[row] === record) {
          document.read(value);
          for (const values of all) values.add();
          if (before === undefined) records.push(record);
          row += 1;
        }
        this.read += 1;
        tick();
        if (!isTurnOver()) continue;
        if (all.reduce((size, { builder }) => size + builder.size, 0) > most) return [...needs];
        yield PAUSE;
      }
      this.#records ??= Float64Array.from(records);
      const rows = this.#records.length;
      for (; row < rows; row++) for (const { builder } of all) builder.addNothing();
      const refused: ColumnNeed[] = [];
      for (const [i, need] of needs.entries()) {
        const { builder } = all[i] as PathValues;
        if (builder.oddRows > rows * MOST_ODD || builder.size > most) refused.push(need);
        else this.#columns.set(keyOf(need), { column: builder.build(), used: now });
        yield PAUSE;
      }
      return refused;
    } finally {
      this.isBuilding = false;
    }
  }
}
