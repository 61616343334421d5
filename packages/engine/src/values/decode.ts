import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  DBRef,
  Decimal128,
  type Document,
  Double,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'bson';
import { fail } from '../errors.js';
import { dateOf } from './far-date.js';
import { internName } from './intern.js';
import { setMember } from './paths.js';
import { BOOLEAN, SIZES } from './type-bytes.js';
import { isInt32, UNDEFINED } from './types.js';

/** Stands for the type of what is beyond the end. */
const NO_TYPE = -1;

interface Cursor {
  readonly buffer: Buffer;
  at: number;
}

/** Field names and short strings repeat; this reads one and leaves the cursor after its zero byte. */
function readName(cursor: Cursor): string {
  const { buffer } = cursor;
  const start = cursor.at;
  let end = start;
  while (buffer[end] !== 0) {
    end += 1;
    if (end >= buffer.length) fail(22, 'bad BSON: a name without an end');
  }
  cursor.at = end + 1;
  return internName(buffer, start, end);
}

function readString(cursor: Cursor): string {
  const { buffer } = cursor;
  const start = cursor.at + 4;
  const length = readInt(buffer, cursor.at);
  const end = start + length - 1;
  if (length < 1 || end >= buffer.length) fail(22, 'bad BSON: a string of impossible length');
  cursor.at = end + 1;
  return length > SHORT ? buffer.toString('utf8', start, end) : readShort(buffer, start, end);
}

/** Up to this length it is faster to build a string in JavaScript than to call the decoder. */
const SHORT = 24;

function readShort(buffer: Buffer, start: number, end: number): string {
  let text = '';
  for (let i = start; i < end; i++) {
    const byte = buffer[i] ?? 0;
    if (byte > 0x7f) return buffer.toString('utf8', start, end);
    text += String.fromCharCode(byte);
  }
  return text;
}

/** A little-endian 32-bit integer, without the checks of the buffer's own method. */
function readInt(buffer: Buffer, at: number): number {
  return (
    (buffer[at] ?? 0) |
    ((buffer[at + 1] ?? 0) << 8) |
    ((buffer[at + 2] ?? 0) << 16) |
    ((buffer[at + 3] ?? 0) << 24)
  );
}

function readDouble(cursor: Cursor): number | Double {
  const value = cursor.buffer.readDoubleLE(cursor.at);
  cursor.at += 8;
  return isInt32(value) ? new Double(value) : value;
}

/** Milliseconds from which on JavaScript has no dates. */
const FAR = 8.64e15;

function readDate(buffer: Buffer, at: number): Date {
  const time = readInt(buffer, at + 4) * 0x1_0000_0000 + (readInt(buffer, at) >>> 0);
  return time > FAR || time < -FAR ? dateOf(buffer.readBigInt64LE(at)) : new Date(time);
}

function readLong(cursor: Cursor): Long {
  const { buffer, at } = cursor;
  cursor.at += 8;
  return new Long(readInt(buffer, at), readInt(buffer, at + 4));
}

function readBinary(cursor: Cursor): Binary {
  const { buffer } = cursor;
  const length = buffer.readInt32LE(cursor.at);
  const subtype = buffer[cursor.at + 4] ?? 0;
  const start = cursor.at + 5;
  cursor.at = start + length;
  return new Binary(Uint8Array.prototype.slice.call(buffer, start, start + length), subtype);
}

function readArray(cursor: Cursor): unknown[] {
  const out: unknown[] = [];
  const { buffer } = cursor;
  cursor.at += 4;
  for (;;) {
    const type = buffer[cursor.at++] ?? NO_TYPE;
    if (type === 0) return out;
    while (buffer[cursor.at++] !== 0)
      if (cursor.at > buffer.length) fail(22, 'bad BSON: an array without an end');
    out.push(readValue(cursor, type));
  }
}

function readScopedCode(cursor: Cursor): Code {
  cursor.at += 4;
  const code = readString(cursor);
  return new Code(code, readDocument(cursor));
}

function readRegex(cursor: Cursor): BSONRegExp {
  const pattern = readName(cursor);
  return new BSONRegExp(pattern, readName(cursor));
}

function take(cursor: Cursor, bytes: number): Buffer {
  const { buffer, at } = cursor;
  cursor.at += bytes;
  return buffer.subarray(at, at + bytes);
}

/** Reads a value of a given type byte. */
function readValue(cursor: Cursor, type: number): unknown {
  switch (type) {
    case 0x01:
      return readDouble(cursor);
    case 0x02:
      return readString(cursor);
    case 0x03:
      return readDocument(cursor);
    case 0x04:
      return readArray(cursor);
    case 0x05:
      return readBinary(cursor);
    case 0x06:
      return UNDEFINED;
    case 0x0a:
      return null;
    case 0x07:
      return new ObjectId(Uint8Array.prototype.slice.call(take(cursor, 12)));
    case 0x08:
      return cursor.buffer[cursor.at++] === 1;
    case 0x09:
      cursor.at += 8;
      return readDate(cursor.buffer, cursor.at - 8);
    case 0x0b:
      return readRegex(cursor);
    case 0x0c: {
      const namespace = readString(cursor);
      return new DBRef(namespace, new ObjectId(Uint8Array.prototype.slice.call(take(cursor, 12))));
    }
    case 0x0d:
      return new Code(readString(cursor));
    case 0x0e:
      return new BSONSymbol(readString(cursor));
    case 0x0f:
      return readScopedCode(cursor);
    case 0x10: {
      cursor.at += 4;
      return readInt(cursor.buffer, cursor.at - 4);
    }
    case 0x11:
      return new Timestamp(readLong(cursor));
    case 0x12:
      return readLong(cursor);
    case 0x13:
      return new Decimal128(Uint8Array.prototype.slice.call(take(cursor, 16)));
    case 0x7f:
      return new MaxKey();
    case 0xff:
      return new MinKey();
    default:
      return fail(22, `bad BSON: unknown type ${type}`);
  }
}

function readDocument(cursor: Cursor): Document {
  const out: Document = {};
  const { buffer } = cursor;
  cursor.at += 4;
  for (;;) {
    const type = buffer[cursor.at++] ?? NO_TYPE;
    if (type === 0) return out;
    const name = readName(cursor);
    setMember(out, name, readValue(cursor, type));
  }
}

/** Where a value ends that begins at a position. Throws for an unknown type. */
export function valueEnd(buffer: Buffer, type: number, at: number): number {
  const fixed = SIZES[type];
  if (fixed !== undefined) return at + fixed;
  if (type === BOOLEAN) return at + 1;
  if (type === 2 || type === 13 || type === 14) return at + readInt(buffer, at) + 4;
  if (type === 3 || type === 4 || type === 15) return at + readInt(buffer, at);
  if (type === 5) return at + readInt(buffer, at) + 5;
  const cursor = { buffer, at };
  readValue(cursor, type);
  return cursor.at;
}

/** The value of a type at a position in some bytes. */
export const readValueAt = (buffer: Buffer, type: number, at: number): unknown =>
  readValue({ buffer, at }, type);

/** The string at a position in some bytes. */
export const readStringAt = (buffer: Buffer, at: number): string => readString({ buffer, at });

/**
 * Decodes a BSON document, keeping each value's type: a 32-bit int is a bare number, an integral double a `Double`, a
 * 64-bit int a `Long`, a regular expression a `BSONRegExp`. The bson package's `serialize` writes the same bytes again.
 */
export function decodeDocument(bytes: Uint8Array): Document {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return readDocument({ buffer, at: 0 });
}
