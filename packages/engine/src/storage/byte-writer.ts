import type { Long } from 'bson';
import { fail } from '../errors.js';
import { DEEPEST } from '../values/check-bson.js';
import { checkSize } from '../values/document-size.js';
import { tick } from '../values/work.js';

/** The maximum size of responses and intermediate documents, which may be larger than stored ones. */
const LARGEST = 256 * 1024 * 1024;
/** A buffer this large, needed by one document, is not kept. */
const KEPT = 1024 * 1024;
const SHORT = 32;

let buffer = Buffer.allocUnsafeSlow(64 * 1024);
let at = 0;
let depth = 0;
let largest = LARGEST;

function check(length: number, most: number): void {
  if (length > most) buffer = Buffer.allocUnsafeSlow(KEPT);
  checkSize({ length }, most);
}

function ensure(bytes: number): void {
  if (at + bytes <= buffer.length) return;
  check(at + bytes, LARGEST);
  const larger = Buffer.allocUnsafeSlow(Math.max(buffer.length * 2, at + bytes + 1024));
  buffer.copy(larger, 0, 0, at);
  buffer = larger;
}

/** Writes a string as UTF-8; short ASCII strings, such as most names and many values, without leaving JavaScript. */
function writeText(text: string): void {
  const { length } = text;
  ensure(length * 3 + 8);
  if (length <= SHORT) {
    let i = 0;
    for (; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) break;
      buffer[at + i] = code;
    }
    if (i === length) {
      at += length;
      return;
    }
  }
  at += buffer.write(text, at, 'utf8');
}

export function writeName(type: number, name: string): void {
  ensure(2);
  buffer[at++] = type;
  const start = at;
  writeText(name);
  if (name.includes('\0'))
    fail('BadValue', `field names must not contain null bytes: ${JSON.stringify(name)}`);
  if (at === start) ensure(8);
  buffer[at++] = 0;
}

export function writeInt32(value: number): void {
  ensure(16);
  at = buffer.writeInt32LE(value, at);
}

export function writeString(text: string): void {
  ensure(8);
  const start = at;
  at += 4;
  writeText(text);
  buffer[at++] = 0;
  buffer.writeInt32LE(at - start - 4, start);
}

export function writeBytes(bytes: Uint8Array): void {
  ensure(bytes.length + 8);
  buffer.set(bytes, at);
  at += bytes.length;
}

export function writeLong(value: Long): void {
  writeInt32(value.low);
  at = buffer.writeInt32LE(value.high, at);
}

export function writeDouble(value: number): void {
  ensure(16);
  at = buffer.writeDoubleLE(value, at);
}

export function writeBigInt(value: bigint): void {
  ensure(16);
  at = buffer.writeBigInt64LE(BigInt.asIntN(64, value), at);
}

export function writeBinary(bytes: Uint8Array, subtype: number): void {
  writeInt32(bytes.length);
  buffer[at++] = subtype;
  writeBytes(bytes);
}

export function writePair(type: number, name: string, first: string, second: string): void {
  writeName(type, name);
  for (const text of [first, second]) {
    writeText(text);
    ensure(8);
    buffer[at++] = 0;
  }
}

export function writeByte(value: number): void {
  ensure(8);
  buffer[at++] = value;
}

/** Writes something preceded by its length in bytes, including the length itself. */
export function writeSized(write: () => void): void {
  ensure(16);
  const start = at;
  at += 4;
  write();
  buffer.writeInt32LE(at - start, start);
}

/** Writes a document or an array around its elements. */
export function writeBody(write: () => void): void {
  ensure(16);
  const start = at;
  // A response that contains the same documents many times would otherwise be written for a long time before it is rejected.
  check(start, largest);
  at += 4;
  depth += 1;
  tick();
  if (depth > DEEPEST) fail('Overflow', `BSONObj exceeded maximum nested object depth: ${DEEPEST}`);
  write();
  depth -= 1;
  ensure(8);
  buffer[at++] = 0;
  buffer.writeInt32LE(at - start, start);
}

/** The bytes written by `write`, in a separate buffer. Throws soon after `most` bytes. */
export function written(write: () => void, most: number = LARGEST): Buffer {
  at = 0;
  depth = 0;
  largest = most;
  write();
  const out = buffer.subarray(0, at);
  if (buffer.length <= KEPT) return Buffer.from(out);
  buffer = Buffer.allocUnsafeSlow(KEPT);
  return out;
}
