/** The bytes that may be remembered of one collection. */
const MOST_BYTES = 1 << 20;

/**
 * The rows of columns that filters match. Rows do not change: what is written later is read apart. So a page, its total and the
 * next page are one search.
 */
export class KnownMatches {
  readonly #rows = new Map<string, Uint32Array>();
  /** In bytes. */
  size = 0;

  /** The rows that a filter matches, in order; undefined if they are not known. */
  find(filter: string): Uint32Array | undefined {
    const rows = this.#rows.get(filter);
    if (rows !== undefined) {
      this.#rows.delete(filter);
      this.#rows.set(filter, rows);
    }
    return rows;
  }

  note(filter: string, rows: readonly number[]): void {
    this.#forget(filter);
    this.#rows.set(filter, Uint32Array.from(rows));
    this.size += bytesOf(filter, rows);
    for (const oldest of this.#rows.keys()) {
      if (this.size <= MOST_BYTES) return;
      this.#forget(oldest);
    }
  }

  #forget(filter: string): void {
    const rows = this.#rows.get(filter);
    if (rows === undefined) return;
    this.#rows.delete(filter);
    this.size -= bytesOf(filter, rows);
  }
}

const bytesOf = (filter: string, rows: { readonly length: number }): number =>
  filter.length + rows.length * 4;
