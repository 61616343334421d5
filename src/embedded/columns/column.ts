import { STRING } from '../values/type-bytes.js';
import { foldInto } from './fold.js';

/** Which values a column contains: those at a path, with strings unchanged or with their ASCII letters in lower case. */
export interface ColumnNeed {
  readonly path: string;
  readonly folded: boolean;
}

/**
 * The values at a path in all records of a collection, as bytes. Duplicates are removed as far as a small table detects them, and
 * rows refer to values by number: value 0 is the missing one.
 */
export interface Column {
  /** The value of each row. */
  readonly values: Uint32Array;
  /** For each value: BSON's type byte, 0 for the missing one, and where it begins. */
  readonly types: Uint8Array;
  readonly starts: Uint32Array;
  readonly bytes: Buffer;
  /** The rows whose record must be read directly, in order. */
  readonly odd: readonly number[];
}

/** The size of a column, in bytes. */
export const sizeOfColumn = ({ values, types, starts, bytes, odd }: Column): number =>
  values.byteLength + types.byteLength + starts.byteLength + bytes.length + odd.length * 8;

const FIRST_BYTES = 4096;
/** The size of the table that detects values seen before. */
const SLOTS = 4096;
/** The bytes of a value that determine its place in the table. */
const HASHED = 48;

function hashOf(bytes: Buffer, from: number, to: number): number {
  let hash = to - from;
  const end = Math.min(to, from + HASHED);
  for (let i = from; i < end; i++) hash = (Math.imul(hash, 31) + (bytes[i] as number)) | 0;
  return (hash ^ (hash >>> 12)) & (SLOTS - 1);
}

/** Builds a column, row by row. */
export class ColumnBuilder {
  readonly #folded: boolean;
  readonly #values: number[] = [];
  readonly #types: number[] = [0];
  readonly #starts: number[] = [0];
  readonly #odd: number[] = [];
  readonly #seen = new Int32Array(SLOTS);
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #end = 0;

  constructor(folded: boolean) {
    this.#folded = folded;
  }

  /** The approximate size of the column, in bytes. */
  get size(): number {
    return this.#end + this.#values.length * 4 + this.#types.length * 5;
  }

  addNothing(): void {
    this.#values.push(0);
  }

  /** Adds a row whose record must be read directly. */
  addOdd(): void {
    this.#odd.push(this.#values.length);
    this.#values.push(0);
  }

  /** Adds the value of the next row. */
  add(source: Buffer, type: number, from: number, to: number): void {
    const start = this.#end;
    const end = start + to - from;
    this.#grow(end);
    const bytes = this.#bytes;
    if (this.#folded && type === STRING) {
      if (!foldInto(bytes, start, source.subarray(from, to))) {
        this.addOdd();
        return;
      }
    } else source.copy(bytes, start, from, to);
    const slot = hashOf(bytes, start, end);
    const known = this.#seen[slot] as number;
    if (known !== 0 && this.#isSame(known, type, end)) {
      this.#values.push(known);
      return;
    }
    const value = this.#types.push(type) - 1;
    this.#starts.push(start);
    this.#seen[slot] = value;
    this.#values.push(value);
    this.#end = end;
  }

  /** The rows whose records must be read. */
  get oddRows(): number {
    return this.#odd.length;
  }

  /** The column of what was added; nothing may be added after that. */
  build(): Column {
    // One more, for the end of the last value.
    this.#starts.push(this.#end);
    return {
      values: Uint32Array.from(this.#values),
      types: Uint8Array.from(this.#types),
      starts: Uint32Array.from(this.#starts),
      bytes: Buffer.from(this.#bytes.subarray(0, this.#end)),
      odd: this.#odd,
    };
  }

  /** Whether a value equals the one that was just appended. */
  #isSame(value: number, type: number, end: number): boolean {
    const from = this.#starts[value] as number;
    const to = value + 1 === this.#starts.length ? this.#end : (this.#starts[value + 1] as number);
    return (
      this.#types[value] === type &&
      to - from === end - this.#end &&
      this.#bytes.compare(this.#bytes, from, to, this.#end, end) === 0
    );
  }

  #grow(size: number): void {
    if (size <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(size, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#end);
    this.#bytes = larger;
  }
}
