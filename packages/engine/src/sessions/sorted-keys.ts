/** With more new keys than this, all are sorted together; fewer are inserted one by one. */
const FEW = 64;

/** A growing set of keys that returns its spans in order, without sorting everything again each time. */
export class SortedKeys {
  private sorted: string[] = [];
  private fresh: string[] = [];

  /** Adds a key that is not in the set yet. */
  add(key: string): void {
    this.fresh.push(key);
  }

  clear(): void {
    this.sorted = [];
    this.fresh = [];
  }

  /** The keys from `start` (inclusive) to `end` (exclusive), in order. */
  between(start: string, end: string): string[] {
    this.settle();
    return this.sorted.slice(this.placeOf(start), this.placeOf(end));
  }

  private settle(): void {
    if (this.fresh.length > FEW) {
      this.sorted = [...this.sorted, ...this.fresh].sort(byCodeUnits);
    } else {
      for (const key of this.fresh) this.sorted.splice(this.placeOf(key), 0, key);
    }
    this.fresh = [];
  }

  /** How many keys come before this one. */
  private placeOf(key: string): number {
    let low = 0;
    let high = this.sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.sorted[middle] as string) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
