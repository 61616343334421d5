import type { Long } from 'bson';
import { fail } from '../errors.js';
import { DEEPEST } from '../values/check-bson.js';
import { checkSize } from '../values/document-size.js';
import { tick } from '../values/work.js';

/** The maximum size of responses and intermediate documents, which may be larger than stored ones. */
const LARGEST = 256 * 1024 * 1024;
/** The first size of the buffer, which grows. */
const FIRST = 1024;
/** A buffer this large, needed by one document, is not kept. */
const KEPT = 1024 * 1024;
const SHORT = 32;

/** Writes the parts of BSON into a buffer that grows. */
export class ByteWriter {
  #buffer = Buffer.allocUnsafe(FIRST);
  #at = 0;
  #depth = 0;

  /** Throws soon after `most` bytes. */
  constructor(readonly most = LARGEST) {}

  /** What was written since the last `restart`, until the next one. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#at);
  }

  /** Begins again, in the same memory unless that is large. */
  restart(): void {
    if (this.#buffer.length > KEPT) this.#buffer = Buffer.allocUnsafe(FIRST);
    this.#at = 0;
    this.#depth = 0;
  }

  #ensure(bytes: number): void {
    const end = this.#at + bytes;
    if (end <= this.#buffer.length) return;
    checkSize({ length: end }, LARGEST);
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, end + FIRST));
    this.#buffer.copy(larger, 0, 0, this.#at);
    this.#buffer = larger;
  }

  /** Writes a string as UTF-8; short ASCII strings, such as most names and many values, without leaving JavaScript. */
  #text(text: string): void {
    const { length } = text;
    this.#ensure(length * 3 + 8);
    const at = this.#at;
    const buffer = this.#buffer;
    if (length <= SHORT) {
      let i = 0;
      for (; i < length; i++) {
        const code = text.charCodeAt(i);
        if (code > 0x7f) break;
        buffer[at + i] = code;
      }
      if (i === length) {
        this.#at = at + length;
        return;
      }
    }
    this.#at = at + buffer.write(text, at, 'utf8');
  }

  /** The type and the name of a member. */
  name(type: number, name: string): void {
    this.#ensure(2);
    this.#buffer[this.#at++] = type;
    this.#text(name);
    if (name.includes('\0'))
      fail('BadValue', `field names must not contain null bytes: ${JSON.stringify(name)}`);
    this.byte(0);
  }

  int32(value: number): void {
    this.#ensure(4);
    this.#at = this.#buffer.writeInt32LE(value, this.#at);
  }

  string(text: string): void {
    this.#ensure(4);
    const start = this.#at;
    this.#at += 4;
    this.#text(text);
    this.byte(0);
    this.#buffer.writeInt32LE(this.#at - start - 4, start);
  }

  raw(bytes: Uint8Array): void {
    this.#ensure(bytes.length);
    this.#buffer.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  long(value: Long): void {
    this.int32(value.low);
    this.int32(value.high);
  }

  double(value: number): void {
    this.#ensure(8);
    this.#at = this.#buffer.writeDoubleLE(value, this.#at);
  }

  bigInt(value: bigint): void {
    this.#ensure(8);
    this.#at = this.#buffer.writeBigInt64LE(BigInt.asIntN(64, value), this.#at);
  }

  binary(bytes: Uint8Array, subtype: number): void {
    this.int32(bytes.length);
    this.byte(subtype);
    this.raw(bytes);
  }

  /** Two texts that end with zeros, as those of a regular expression. */
  pair(first: string, second: string): void {
    for (const text of [first, second]) {
      this.#text(text);
      this.byte(0);
    }
  }

  byte(value: number): void {
    this.#ensure(1);
    this.#buffer[this.#at++] = value;
  }

  /** Something preceded by its length in bytes, including the length itself. */
  sized(write: () => void): void {
    this.#ensure(4);
    const start = this.#at;
    this.#at += 4;
    write();
    this.#buffer.writeInt32LE(this.#at - start, start);
  }

  /** A document or an array around its elements. */
  body(write: () => void): void {
    // A response that contains the same documents many times would otherwise be written for a long time before it is rejected.
    checkSize({ length: this.#at }, this.most);
    tick();
    this.#depth += 1;
    if (this.#depth > DEEPEST) fail('Overflow', `BSONObj exceeded maximum nested object depth: ${DEEPEST}`);
    this.sized(() => {
      write();
      this.byte(0);
    });
    this.#depth -= 1;
  }
}

/** The bytes written by `write`. Throws soon after `most` bytes. */
export function written(write: (to: ByteWriter) => void, most?: number): Buffer {
  const writer = new ByteWriter(most);
  write(writer);
  const { bytes } = writer;
  // Not in more memory than twice its size.
  return bytes.length * 2 > bytes.buffer.byteLength ? bytes : Buffer.from(bytes);
}
