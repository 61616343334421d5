/** The maximum size in bytes of the matches kept for a collection. */
const MOST_BYTES = 1 << 20;

/**
 * Remembers which rows of the columns match a filter. Rows never change, since records written later are read
 * separately. So a page, its total and the next page need only one search.
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
