import { STRING } from '../values/type-bytes.js';
import { foldInto } from './fold.js';
import { Numbers } from './numbers.js';

/** Which values a column contains: those at a path, with strings unchanged or with their ASCII letters in lower case. */
export interface ColumnNeed {
  readonly path: string;
  readonly folded: boolean;
}

/** Unsigned numbers in as few bytes as the largest needs. */
type Unsigned = Uint8Array | Uint16Array | Uint32Array;

/** The parts of a column; those that follow a rule are that rule. */
interface ColumnParts {
  readonly rows: number;
  /** The number of values, including the missing one. */
  readonly count: number;
  /** The value of each row; undefined if rows have consecutive values. */
  readonly values: Unsigned | undefined;
  /** BSON's type byte of each value, or of all that are present. */
  readonly types: Uint8Array | number;
  /** Where each value begins, and where the last ends; or the length of each. */
  readonly starts: Uint32Array | number;
  readonly bytes: Buffer;
  readonly odd: readonly number[];
}

/**
 * The values at a path in all records of a collection, as bytes. Most duplicates are removed, and rows refer to values by number:
 * value 0 is the missing one.
 */
export class Column {
  readonly rows: number;
  readonly count: number;
  readonly bytes: Buffer;
  /** The rows whose record must be read directly, in order. */
  readonly odd: readonly number[];
  readonly #values: Unsigned | undefined;
  readonly #types: Uint8Array | undefined;
  readonly #type: number;
  readonly #starts: Uint32Array | undefined;
  readonly #length: number;

  constructor({ rows, count, values, types, starts, bytes, odd }: ColumnParts) {
    this.rows = rows;
    this.count = count;
    this.bytes = bytes;
    this.odd = odd;
    this.#values = values;
    this.#types = typeof types === 'number' ? undefined : types;
    this.#type = typeof types === 'number' ? types : 0;
    this.#starts = typeof starts === 'number' ? undefined : starts;
    this.#length = typeof starts === 'number' ? starts : 0;
  }

  /** The value of a row. */
  valueOf(row: number): number {
    return this.#values === undefined ? row + 1 : (this.#values[row] as number);
  }

  /** BSON's type byte of a value, 0 for the missing one. */
  typeOf(value: number): number {
    if (this.#types !== undefined) return this.#types[value] as number;
    return value === 0 ? 0 : this.#type;
  }

  /** Where a present value begins; for the number after the last value, where the last one ends. */
  startOf(value: number): number {
    return this.#starts === undefined ? (value - 1) * this.#length : (this.#starts[value] as number);
  }

  /** The value whose bytes include a position, given one that does not begin later. */
  valueAt(position: number, from: number): number {
    if (this.#starts === undefined) return 1 + Math.floor(position / this.#length);
    let value = from;
    while ((this.#starts[value + 1] as number) <= position) value += 1;
    return value;
  }

  /** Whether each row has a value of its own, in order. */
  get isDistinct(): boolean {
    return this.#values === undefined;
  }

  /** Whether all values that are present have that type. */
  isAll(type: number): boolean {
    return this.#types === undefined && this.#type === type;
  }

  /** In bytes. */
  get size(): number {
    const { bytes, odd } = this;
    const parts = [this.#values, this.#types, this.#starts, bytes];
    return parts.reduce((size, part) => size + (part?.byteLength ?? 0), odd.length * 8);
  }
}

const FIRST_BYTES = 4096;
const FIRST_SLOTS = 1024;
/** The number of bytes at each end of a value that determine its hash. */
const HASHED = 32;
/** The number of slots to try for a value, since many may have the same hash. */
const PROBES = 8;
/**
 * From this number of values on, duplicates are looked for only if at least this share of the rows repeats a
 * value.
 */
const JUDGED = 32_768;
const REPEATING = 1 / 8;

function hashOf(bytes: Buffer, from: number, to: number): number {
  let hash = to - from;
  for (let i = from; i < Math.min(to, from + HASHED); i++)
    hash = (Math.imul(hash, 31) + (bytes[i] as number)) | 0;
  for (let i = Math.max(from + HASHED, to - HASHED); i < to; i++)
    hash = (Math.imul(hash, 31) + (bytes[i] as number)) | 0;
  // Spread out, and positive with room to spare.
  return Math.imul(hash ^ (hash >>> 15), 0x9e37_79b1) >>> 2;
}

/** Gives a value the first free slot after its hash, if there is one nearby. */
function takeSlot(slots: Uint32Array, hash: number, value: number): void {
  for (let slot = hash; slot < hash + PROBES; slot++) {
    if (slots[slot & (slots.length - 1)] !== 0) continue;
    slots[slot & (slots.length - 1)] = value;
    return;
  }
}

/** Numbers below a limit, in as few bytes as that allows. */
function narrow(numbers: Uint32Array, limit: number): Unsigned {
  if (limit > 0x1_0000) return numbers;
  return limit > 0x100 ? new Uint16Array(numbers) : new Uint8Array(numbers);
}

/** Builds a column, row by row. */
export class ColumnBuilder {
  readonly #folded: boolean;
  readonly #values = new Numbers();
  readonly #types = new Numbers();
  /** Where each value begins, and where the last ends. */
  readonly #starts = new Numbers();
  readonly #hashes = new Numbers();
  readonly #odd: number[] = [];
  /** Values by hash; undefined if duplicates are not looked for. */
  #slots: Uint32Array | undefined = new Uint32Array(FIRST_SLOTS);
  /** The type and length of all values; undefined if they differ. */
  #type: number | undefined;
  #length: number | undefined;
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #end = 0;

  constructor(folded: boolean) {
    this.#folded = folded;
    // The missing value.
    this.#types.push(0);
    this.#hashes.push(0);
    this.#starts.push(0);
    this.#starts.push(0);
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
    const known = this.#slots && this.#find(this.#slots, type, end);
    if (known === undefined) {
      const isFirst = this.#types.length === 1;
      this.#type = isFirst || type === this.#type ? type : undefined;
      this.#length = isFirst || end - start === this.#length ? end - start : undefined;
      this.#types.push(type);
      this.#starts.push(end);
      this.#end = end;
    }
    this.#values.push(known ?? this.#types.length - 1);
    if (this.#slots !== undefined && this.#types.length * 2 > this.#slots.length) this.#moreSlots();
  }

  /** The number of rows added. */
  get rows(): number {
    return this.#values.length;
  }

  /** The number of rows that must be read directly. */
  get oddRows(): number {
    return this.#odd.length;
  }

  /** Finishes the column; nothing may be added afterwards. */
  build(): Column {
    const rows = this.#values.length;
    const count = this.#types.length;
    return new Column({
      rows,
      count,
      values: rows === count - 1 ? undefined : narrow(this.#values.items, count),
      types: count === 1 ? 0 : (this.#type ?? new Uint8Array(this.#types.items)),
      starts: this.#length ?? this.#starts.items,
      // The rest of the buffer was never written, so it uses no memory.
      bytes: this.#bytes.subarray(0, this.#end),
      odd: this.#odd,
    });
  }

  /** The earlier value that equals the one just appended; if there is none, the new one may take a slot. */
  #find(slots: Uint32Array, type: number, end: number): number | undefined {
    const hash = hashOf(this.#bytes, this.#end, end);
    for (let slot = hash; slot < hash + PROBES; slot++) {
      const value = slots[slot & (slots.length - 1)] as number;
      if (value === 0) break;
      if (this.#hashes.at(value) === hash && this.#isSame(value, type, end)) return value;
    }
    takeSlot(slots, hash, this.#types.length);
    this.#hashes.push(hash);
    return undefined;
  }

  #isSame(value: number, type: number, end: number): boolean {
    const from = this.#starts.at(value);
    const to = this.#starts.at(value + 1);
    return (
      this.#types.at(value) === type &&
      to - from === end - this.#end &&
      this.#bytes.compare(this.#bytes, from, to, this.#end, end) === 0
    );
  }

  #moreSlots(): void {
    const count = this.#types.length;
    const isRepeating = count < this.#values.length * (1 - REPEATING);
    const before = this.#slots?.length ?? 0;
    this.#slots = undefined;
    if (count > JUDGED && !isRepeating) return;
    const slots = new Uint32Array(before * 2);
    for (let value = 1; value < count; value++) takeSlot(slots, this.#hashes.at(value), value);
    this.#slots = slots;
  }

  #grow(size: number): void {
    if (size <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(size, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#end);
    this.#bytes = larger;
  }
}
