import type { Document } from 'bson';
import { compileLeaf, type TestPlace } from '../matching/byte-filter.js';
import { compileSeen } from '../matching/compile-filter.js';
import type { Leaf } from '../matching/match-path.js';
import type { FilterOptions } from '../matching/options.js';
import type { ValueTest } from '../matching/tests.js';
import { PAUSE, type Paced } from '../values/pace.js';
import { STRING } from '../values/type-bytes.js';
import { isTurnOver, tickNow } from '../values/work.js';
import type { Column, ColumnNeed } from './column.js';
import { Numbers } from './numbers.js';
import { needleOf, searchText } from './search-text.js';

/** The result of a test for a value: not tested yet, or whether it matches. */
const UNKNOWN = 0;
const FAILS = 1;
const HOLDS = 2;
/** The number of rows or values processed without a pause. */
const BLOCK = 8192;

/** A test for the values of a column, run once for each value. */
class ColumnTest {
  readonly need: ColumnNeed;
  readonly #test: TestPlace;
  readonly #needle: Buffer | undefined;
  readonly #place = { type: 0, at: 0 };
  #column: Column | undefined;
  /** The values that match, if a search has found them. */
  #found: Uint32Array = new Uint32Array();
  #known = new Uint8Array();
  #unknown = UNKNOWN;

  constructor(path: string, of: ValueTest, leaf: Leaf) {
    const { literal } = of;
    this.#test = compileLeaf(of, leaf);
    this.#needle = literal === undefined ? undefined : needleOf(literal);
    this.need = { path, folded: this.#needle !== undefined && literal?.ignoresCase === true };
  }

  /** Whether a text search finds the rows, without testing each value. */
  get isSearch(): boolean {
    return this.#needle !== undefined;
  }

  /** Prepares the test for a column. Must be called before `holds`. */
  *bind(column: Column): Paced<void> {
    const known = new Uint8Array(column.count);
    this.#column = column;
    this.#known = known;
    this.#unknown = UNKNOWN;
    if (this.#needle === undefined) return;
    const found = yield* searchText(column, this.#needle);
    for (const value of found.items) known[value] = HOLDS;
    // Strings that the search did not find do not match; all other values, such as lists of texts, are tested.
    const others = column.isAll(STRING) ? 1 : column.count;
    yield* inBlocks(others, (from, to) => {
      for (let value = from; value < to; value++)
        if (column.typeOf(value) !== STRING && this.#learn(column, value)) found.push(value);
    });
    this.#found = found.items;
    this.#unknown = FAILS;
  }

  holds(row: number): boolean {
    const column = this.#column as Column;
    const value = column.valueOf(row);
    const known = this.#known[value] || this.#unknown;
    return known === UNKNOWN ? this.#learn(column, value) : known === HOLDS;
  }

  /** Marks the rows whose values match. Only after `bind` of a search. */
  *mark(marks: Uint8Array): Paced<void> {
    const known = this.#known;
    const column = this.#column as Column;
    const found = this.#found;
    if (column.isDistinct) for (const value of found) marks[value - 1] = 1;
    else if (found.length > 0)
      yield* inBlocks(marks.length, (from, to) => {
        for (let row = from; row < to; row++) if (known[column.valueOf(row)] === HOLDS) marks[row] = 1;
      });
  }

  #learn(column: Column, value: number): boolean {
    const place = this.#place;
    place.type = column.typeOf(value);
    place.at = column.startOf(value);
    const holds = this.#test(column.bytes, place);
    this.#known[value] = holds ? HOLDS : FAILS;
    return holds;
  }
}

/** Processes the numbers below `length` in blocks, with pauses. */
function* inBlocks(length: number, run: (from: number, to: number) => void): Paced<void> {
  for (let from = 0; from < length; from += BLOCK) {
    run(from, Math.min(length, from + BLOCK));
    tickNow();
    if (isTurnOver()) yield PAUSE;
  }
}

/** The rows that a filter matches. */
export interface MatchingRows {
  /** The only rows that may match, in order; undefined if all may. */
  readonly rows: Uint32Array | undefined;
  /** Whether a row, which is one of `rows`, matches. */
  admits(row: number): boolean;
}

/** A filter on the rows of columns. */
interface ColumnFilter {
  readonly needs: readonly ColumnNeed[];
  /** The matching rows, given the required columns. */
  bind(columns: readonly Column[]): Paced<MatchingRows>;
}

/**
 * Compiles a filter to a test for rows; undefined if it looks at whole documents, or at no field. Equivalent to
 * `compileByteFilter` on the records, except for rows that a column marks as `odd`.
 * @throws EngineError as `compileByteFilter`
 */
export function compileColumnFilter(filter: Document, options: FilterOptions): ColumnFilter | undefined {
  const made: ColumnTest[] = [];
  let isWhole = false;
  const { test: admits, needs: searches } = compileSeen<ColumnTest>(filter, options, {
    target: (path) => (of, leaf) => {
      const column = new ColumnTest(path, of, leaf);
      made.push(column);
      const test = (row: unknown): boolean => column.holds(row as number);
      return { test, needs: column.isSearch ? [column] : undefined };
    },
    whole: () => {
      isWhole = true;
      return () => false;
    },
  });
  if (isWhole || made.length === 0) return undefined;
  return {
    needs: made.map(({ need }) => need),
    *bind(columns) {
      for (const [i, test] of made.entries()) yield* test.bind(columns[i] as Column);
      return { rows: searches && (yield* markedBy(searches, columns[0] as Column)), admits };
    },
  };
}

/** The rows found by at least one of the searches. */
function* markedBy(searches: readonly ColumnTest[], { rows }: Column): Paced<Uint32Array> {
  const marks = new Uint8Array(rows);
  for (const search of searches) yield* search.mark(marks);
  const marked = new Numbers();
  yield* inBlocks(rows, (from, to) => {
    for (let row = from; row < to; row++) if (marks[row] === 1) marked.push(row);
  });
  return marked.items;
}
