import type { Document } from 'bson';
import { compileLeaf, type TestPlace } from '../matching/byte-filter.js';
import { compileSeen } from '../matching/compile-filter.js';
import type { Leaf, TestValue } from '../matching/match-path.js';
import type { FilterOptions } from '../matching/options.js';
import { literalOf } from '../matching/raw-tests.js';
import type { Column, ColumnNeed } from './column.js';
import { FAILS, HOLDS, needleOf, searchText, UNKNOWN } from './search-text.js';

/** A test for the values of a column, run once for each value. */
class ColumnTest {
  readonly need: ColumnNeed;
  readonly #test: TestPlace;
  readonly #needle: Buffer | undefined;
  readonly #place = { type: 0, at: 0 };
  #column: Column | undefined;
  #values: Uint32Array = new Uint32Array();
  #known = new Uint8Array();

  constructor(path: string, test: TestValue, leaf: Leaf) {
    const literal = literalOf(test);
    this.#test = compileLeaf(test, leaf);
    this.#needle = literal === undefined ? undefined : needleOf(literal);
    this.need = { path, folded: this.#needle !== undefined && literal?.ignoresCase === true };
  }

  bind(column: Column): void {
    this.#column = column;
    this.#values = column.values;
    this.#known = new Uint8Array(column.types.length);
    if (this.#needle !== undefined) searchText(column, this.#needle, this.#known);
  }

  holds(row: number): boolean {
    const value = this.#values[row] as number;
    const known = this.#known[value];
    return known === UNKNOWN ? this.#learn(value) : known === HOLDS;
  }

  #learn(value: number): boolean {
    const column = this.#column as Column;
    const place = this.#place;
    place.type = column.types[value] as number;
    place.at = column.starts[value] as number;
    const holds = this.#test(column.bytes, place);
    this.#known[value] = holds ? HOLDS : FAILS;
    return holds;
  }
}

/** A filter over the rows of columns. */
export interface ColumnFilter {
  readonly needs: readonly ColumnNeed[];
  /** The test for a row, given the columns that it needs. */
  bind(columns: readonly Column[]): (row: number) => boolean;
}

/**
 * Compiles a filter to a test for rows; undefined if it looks at whole documents. For rows that no column marks as odd, it agrees
 * with `compileByteFilter` on their records.
 * @throws EngineError as `compileByteFilter`
 */
export function compileColumnFilter(filter: Document, options: FilterOptions): ColumnFilter | undefined {
  const tests: ColumnTest[] = [];
  let isWhole = false;
  const test = compileSeen(filter, options, {
    target: (path) => (testValue, leaf) => {
      const made = new ColumnTest(path, testValue, leaf);
      tests.push(made);
      return (row) => made.holds(row as number);
    },
    whole: () => {
      isWhole = true;
      return () => false;
    },
  });
  if (isWhole) return undefined;
  return {
    needs: tests.map(({ need }) => need),
    bind: (columns) => {
      for (const [i, one] of tests.entries()) one.bind(columns[i] as Column);
      return test;
    },
  };
}
