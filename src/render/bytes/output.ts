import { Buffer, isUtf8 } from 'node:buffer';

/** Bytes reserved in front, for what can only be written last. */
const HEAD = 64;
const FIRST_SIZE = 16_384;
/** Extra room beyond the largest answer so far, so that the buffer rarely has to grow. */
const SPARE = 512;
/** Up to this many bytes, copying byte by byte is faster than a call into the runtime. */
const SHORT = 48;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

const HIGH = 1;
const ESCAPED = 2;
/** How each byte of a string must be handled. */
const CLASSES = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 ? HIGH : byte < 0x20 || byte === QUOTE || byte === BACKSLASH ? ESCAPED : 0,
);

/** JSON literals and punctuation as bytes. */
export const NULL = Buffer.from('null');
export const TRUE = Buffer.from('true');
export const FALSE = Buffer.from('false');
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_LIST = 0x5b;
export const CLOSE_LIST = 0x5d;
export const OPEN = 0x7b;
export const CLOSE = 0x7d;

/** JSON text as UTF-8 bytes, appended to one growing buffer. */
export class Output {
  private bytes: Buffer;
  private begin = HEAD;
  /** Offset of the next byte. */
  at = HEAD;

  /** @param expected size in bytes; 0 if unknown */
  constructor(expected = 0) {
    // Node.js allocates small ones from a pool, which is ten times faster.
    this.bytes = Buffer.allocUnsafe(HEAD + (expected === 0 ? FIRST_SIZE : expected + SPARE));
  }

  /** An output with one value, by `JSON.stringify`. */
  static of(value: unknown): Output {
    const out = new Output();
    out.text(JSON.stringify(value));
    return out;
  }

  /** Bytes written so far. */
  get length(): number {
    return this.at - this.begin;
  }

  /** Everything written, as a view. */
  done(): Buffer {
    return this.bytes.subarray(this.begin, this.at);
  }

  /** The values written, separated by commas, as objects. */
  values(): unknown[] {
    return JSON.parse(`[${this.done().toString()}]`);
  }

  /** Prepends ASCII text of at most 64 characters. */
  before(text: string): void {
    this.begin -= text.length;
    this.bytes.write(text, this.begin, 'latin1');
  }

  private reserve(count: number): void {
    const needed = this.at + count;
    if (needed <= this.bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, Math.ceil(this.bytes.length * 1.5)));
    this.bytes.copy(grown, 0, 0, this.at);
    this.bytes = grown;
  }

  byte(value: number): void {
    if (this.at === this.bytes.length) this.reserve(1);
    this.bytes[this.at++] = value;
  }

  /** Removes the last byte. */
  takeBack(): void {
    this.at--;
  }

  /** Overwrites the byte at `at` with an opening brace. */
  openAt(at: number): void {
    this.bytes[at] = OPEN;
  }

  /** Appends a member to the open object. */
  member(name: string, json: string): void {
    if (this.bytes[this.at - 1] !== OPEN) this.byte(COMMA);
    this.text(`${JSON.stringify(name)}:${json}`);
  }

  /** Appends bytes that are already JSON. */
  raw(from: Uint8Array): void {
    const { length } = from;
    this.reserve(length);
    const { bytes } = this;
    let { at } = this;
    if (length <= SHORT) for (let i = 0; i < length; i++) bytes[at++] = from[i] ?? 0;
    else {
      bytes.set(from, at);
      at += length;
    }
    this.at = at;
  }

  /** Appends a copy of this output's bytes from `start` to `end`. */
  again(start: number, end: number): void {
    this.reserve(end - start);
    this.bytes.copyWithin(this.at, start, end);
    this.at += end - start;
  }

  /** Appends JSON text. */
  text(json: string): void {
    this.reserve(json.length * 3);
    this.at += this.bytes.write(json, this.at, 'utf8');
  }

  /** Appends JSON text that is ASCII. */
  ascii(json: string): void {
    this.reserve(json.length);
    this.at += this.bytes.write(json, this.at, 'latin1');
  }

  /** Appends the BSON string at `start` to `end` like `JSON.stringify`; invalid UTF-8 becomes U+FFFD. */
  string(from: Buffer, start: number, end: number): void {
    const length = end - start;
    this.reserve(length + 2);
    let classes = 0;
    if (length <= SHORT) {
      const { bytes } = this;
      let { at } = this;
      bytes[at++] = QUOTE;
      for (let i = start; i < end; i++) {
        const byte = from[i] ?? 0;
        classes |= CLASSES[byte] ?? 0;
        bytes[at++] = byte;
      }
      bytes[at++] = QUOTE;
      if (classes === 0) {
        this.at = at;
        return;
      }
    } else for (let i = start; i < end; i++) classes |= CLASSES[from[i] ?? 0] ?? 0;
    if ((classes & ESCAPED) !== 0 || ((classes & HIGH) !== 0 && !isUtf8(from.subarray(start, end))))
      this.text(JSON.stringify(from.toString('utf8', start, end)));
    else {
      this.bytes[this.at++] = QUOTE;
      from.copy(this.bytes, this.at, start, end);
      this.at += length;
      this.bytes[this.at++] = QUOTE;
    }
  }

  /** Appends a number like `JSON.stringify`: null if it is not finite. */
  number(value: number): void {
    this.ascii(Number.isFinite(value) ? String(value) : 'null');
  }
}
