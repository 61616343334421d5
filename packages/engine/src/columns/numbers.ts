const FIRST = 1024;

/** A growing list of whole numbers below 2^32, outside the heap. */
export class Numbers {
  #items = new Uint32Array(FIRST);
  length = 0;

  /** Returns the new length. */
  push(number: number): number {
    if (this.length === this.#items.length) {
      const larger = new Uint32Array(this.length * 2);
      larger.set(this.#items);
      this.#items = larger;
    }
    this.#items[this.length] = number;
    this.length += 1;
    return this.length;
  }

  at(index: number): number {
    return this.#items[index] as number;
  }

  /** The list so far, without copying. */
  get items(): Uint32Array {
    return this.#items.subarray(0, this.length);
  }
}
