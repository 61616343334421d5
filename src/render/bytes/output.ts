import { Buffer, isUtf8 } from 'node:buffer';

/** Bytes reserved in front, for what can only be written last. */
const HEAD = 64;
const FIRST_SIZE = 16_384;
/** Extra room beyond the largest answer so far, so that the buffer rarely has to grow. */
const SPARE = 512;
/** Up to this many bytes, copying byte by byte is faster than a call into the runtime. */
const SHORT = 48;
/**
 * Longer strings that need escaping go through `JSON.stringify`, which does not have to reserve the worst
 * case.
 */
const LONG = 4096;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;

const HIGH = 1;
const ESCAPED = 2;
/** How each byte of a string must be handled. */
const CLASSES = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 ? HIGH : byte < 0x20 || byte === QUOTE || byte === BACKSLASH ? ESCAPED : 0,
);
/** The JSON escapes, by byte. */
const ESCAPES: readonly Buffer[] = Array.from({ length: 256 }, (_, byte) =>
  Buffer.from(CLASSES[byte] === ESCAPED ? JSON.stringify(String.fromCharCode(byte)).slice(1, -1) : ''),
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

const DAY_MS = 86_400_000;
/** `9999-12-31T23:59:59.999Z`; later years have more digits. */
const LAST_DATE = 253_402_300_799_999;

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
    if ((classes & HIGH) !== 0 && !isUtf8(from.subarray(start, end)))
      this.text(JSON.stringify(from.toString('utf8', start, end)));
    else if ((classes & ESCAPED) !== 0) this.escaped(from, start, end);
    else {
      this.bytes[this.at++] = QUOTE;
      from.copy(this.bytes, this.at, start, end);
      this.at += length;
      this.bytes[this.at++] = QUOTE;
    }
  }

  private escaped(from: Buffer, start: number, end: number): void {
    if (end - start > LONG) {
      this.text(JSON.stringify(from.toString('utf8', start, end)));
      return;
    }
    this.reserve((end - start) * 6 + 2);
    const { bytes } = this;
    let { at } = this;
    bytes[at++] = QUOTE;
    for (let i = start; i < end; i++) {
      const byte = from[i] ?? 0;
      if (CLASSES[byte] !== ESCAPED) bytes[at++] = byte;
      else for (const each of ESCAPES[byte] ?? []) bytes[at++] = each;
    }
    bytes[at++] = QUOTE;
    this.at = at;
  }

  /** Appends a number like `JSON.stringify`: null if it is not finite. */
  number(value: number): void {
    const hundredths = Math.round(value * 100);
    if ((value | 0) === value) this.integer(value);
    else if ((hundredths | 0) === hundredths && hundredths / 100 === value) this.decimal(hundredths);
    else this.ascii(Number.isFinite(value) ? String(value) : 'null');
  }

  /** Appends a number with at most two decimals, such as a price; arithmetic is several times as fast as `String`. */
  private decimal(hundredths: number): void {
    this.reserve(13);
    const { bytes } = this;
    if (hundredths < 0) bytes[this.at++] = MINUS;
    const rest = Math.abs(hundredths);
    const whole = Math.trunc(rest / 100);
    this.integer(whole);
    bytes[this.at++] = POINT;
    this.at = twoDigits(bytes, this.at, rest - whole * 100);
    if (rest % 10 === 0) this.takeBack();
  }

  /** @param value signed, 32 bits */
  integer(value: number): void {
    this.reserve(11);
    const { bytes } = this;
    let rest = value;
    if (rest < 0) {
      bytes[this.at++] = MINUS;
      rest = -rest;
    }
    let digits = 1;
    for (let limit = 10; rest >= limit && digits < 10; limit *= 10) digits++;
    for (let i = this.at + digits - 1; i >= this.at; i--) {
      const tenth = Math.trunc(rest / 10);
      bytes[i] = ZERO + (rest - tenth * 10);
      rest = tenth;
    }
    this.at += digits;
  }

  /** Appends a date like `JSON.stringify`. @param ms since 1970 */
  date(ms: number): void {
    if (!(ms >= 0 && ms <= LAST_DATE)) {
      this.ascii(JSON.stringify(new Date(ms)));
      return;
    }
    const day = Math.floor(ms / DAY_MS);
    let rest = ms - day * DAY_MS;
    const millis = rest % 1000;
    rest = (rest - millis) / 1000;
    const seconds = rest % 60;
    rest = (rest - seconds) / 60;
    const minutes = rest % 60;
    const hours = (rest - minutes) / 60;
    this.reserve(26);
    const { bytes } = this;
    let { at } = this;
    bytes[at++] = QUOTE;
    at = calendarDay(bytes, at, day);
    bytes[at++] = 0x54;
    at = twoDigits(bytes, at, hours);
    bytes[at++] = 0x3a;
    at = twoDigits(bytes, at, minutes);
    bytes[at++] = 0x3a;
    at = twoDigits(bytes, at, seconds);
    bytes[at++] = 0x2e;
    const hundreds = Math.trunc(millis / 100);
    bytes[at++] = ZERO + hundreds;
    at = twoDigits(bytes, at, millis - hundreds * 100);
    bytes[at++] = 0x5a;
    bytes[at++] = QUOTE;
    this.at = at;
  }
}

/**
 * Writes `2024-02-29` arithmetically: creating a `Date` just for its text takes a microsecond. @param day
 * since 1970, not negative
 */
function calendarDay(bytes: Buffer, start: number, day: number): number {
  // In years that begin in March, the leap day comes last and the lengths of months follow one rule.
  const since0 = day + 719_468;
  const era = Math.trunc(since0 / 146_097);
  const ofEra = since0 - era * 146_097;
  const leapDays = Math.trunc(ofEra / 1460) - Math.trunc(ofEra / 36_524) + Math.trunc(ofEra / 146_096);
  const yearOfEra = Math.trunc((ofEra - leapDays) / 365);
  const ofYear = ofEra - (365 * yearOfEra + Math.trunc(yearOfEra / 4) - Math.trunc(yearOfEra / 100));
  const fromMarch = Math.trunc((5 * ofYear + 2) / 153);
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  const year = era * 400 + yearOfEra + (month < 3 ? 1 : 0);
  const century = Math.trunc(year / 100);
  let at = twoDigits(bytes, start, century);
  at = twoDigits(bytes, at, year - century * 100);
  bytes[at++] = MINUS;
  at = twoDigits(bytes, at, month);
  bytes[at++] = MINUS;
  return twoDigits(bytes, at, ofYear - Math.trunc((153 * fromMarch + 2) / 5) + 1);
}

function twoDigits(bytes: Buffer, at: number, value: number): number {
  const tens = Math.trunc(value / 10);
  bytes[at] = ZERO + tens;
  bytes[at + 1] = ZERO + (value - tens * 10);
  return at + 2;
}
