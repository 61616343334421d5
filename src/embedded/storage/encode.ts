import type { Binary, BSONRegExp, BSONSymbol, Code, DBRef, Decimal128, Document, Long, ObjectId } from 'bson';
import { fail } from '../errors.js';
import { bsonTag, isInt32 } from '../values/types.js';
import { knownBytes } from './known-bytes.js';

/** The largest document that a collection holds, as in MongoDB: 16 MB. */
export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

/** Answers and intermediate documents may be larger than stored ones, up to here. */
const LARGEST = 256 * 1024 * 1024;
/** A buffer that one large document has needed is not kept. */
const KEPT = 1024 * 1024;
const SHORT = 32;
const DEEPEST = 200;

let buffer = Buffer.allocUnsafeSlow(64 * 1024);
let at = 0;
let depth = 0;

function ensure(bytes: number): void {
  if (at + bytes <= buffer.length) return;
  if (at + bytes > LARGEST)
    fail(
      'BSONObjectTooLarge',
      `BSONObj size: ${at + bytes} is invalid. Size must be between 0 and 16793600(16MB)`,
    );
  const larger = Buffer.allocUnsafeSlow(Math.max(buffer.length * 2, at + bytes + 1024));
  buffer.copy(larger, 0, 0, at);
  buffer = larger;
}

/** Writes text as UTF-8; short ASCII, which most names and many values are, without leaving JavaScript. */
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

function writeName(type: number, name: string): void {
  ensure(2);
  buffer[at++] = type;
  const start = at;
  writeText(name);
  if (name.includes('\0'))
    fail('BadValue', `field names must not contain null bytes: ${JSON.stringify(name)}`);
  if (at === start) ensure(8);
  buffer[at++] = 0;
}

function writeInt32(value: number): void {
  ensure(16);
  at = buffer.writeInt32LE(value, at);
}

function writeString(text: string): void {
  ensure(8);
  const start = at;
  at += 4;
  writeText(text);
  buffer[at++] = 0;
  buffer.writeInt32LE(at - start - 4, start);
}

function writeBytes(bytes: Uint8Array): void {
  ensure(bytes.length + 8);
  buffer.set(bytes, at);
  at += bytes.length;
}

function writeLong(value: Long): void {
  writeInt32(value.low);
  at = buffer.writeInt32LE(value.high, at);
}

function writeDouble(value: number): void {
  ensure(16);
  at = buffer.writeDoubleLE(value, at);
}

function writeBigInt(value: bigint): void {
  ensure(16);
  at = buffer.writeBigInt64LE(BigInt.asIntN(64, value), at);
}

function writeBinary(bytes: Uint8Array, subtype: number): void {
  const old = subtype === 2;
  writeInt32(bytes.length + (old ? 4 : 0));
  buffer[at++] = subtype;
  if (old) writeInt32(bytes.length);
  writeBytes(bytes);
}

function writeNumber(name: string, value: number): void {
  if (isInt32(value)) {
    writeName(0x10, name);
    writeInt32(value);
  } else {
    writeName(0x01, name);
    writeDouble(value);
  }
}

function writePair(type: number, name: string, first: string, second: string): void {
  writeName(type, name);
  for (const text of [first, second]) {
    writeText(text);
    ensure(8);
    buffer[at++] = 0;
  }
}

function writeCode(name: string, value: Code): void {
  if (!value.scope) {
    writeName(0x0d, name);
    writeString(value.code);
    return;
  }
  writeName(0x0f, name);
  const start = at;
  at += 4;
  writeString(value.code);
  writeDocument(value.scope);
  buffer.writeInt32LE(at - start, start);
}

type WriteTagged = (name: string, value: object) => void;

const flagsOf = (flags: string): string =>
  [...flags]
    .filter((flag) => 'ims'.includes(flag))
    .sort()
    .join('');

const long =
  (type: number): WriteTagged =>
  (name, value) => {
    writeName(type, name);
    writeLong(value as Long);
  };

/** How the bson package's classes are written, by their tag. */
const TAGGED: Readonly<Record<string, WriteTagged>> = {
  ObjectId: (name, value) => {
    writeName(0x07, name);
    writeBytes((value as ObjectId).id);
  },
  Long: long(0x12),
  Timestamp: long(0x11),
  Double: (name, value) => {
    writeName(0x01, name);
    writeDouble((value as { value: number }).value);
  },
  Int32: (name, value) => {
    writeName(0x10, name);
    writeInt32((value as { value: number }).value);
  },
  Decimal128: (name, value) => {
    writeName(0x13, name);
    writeBytes((value as Decimal128).bytes);
  },
  Binary: (name, value) => {
    const binary = value as Binary;
    writeName(0x05, name);
    writeBinary(binary.buffer.subarray(0, binary.position), binary.sub_type);
  },
  BSONRegExp: (name, value) =>
    writePair(0x0b, name, (value as BSONRegExp).pattern, (value as BSONRegExp).options),
  BSONSymbol: (name, value) => {
    writeName(0x0e, name);
    writeString((value as BSONSymbol).value);
  },
  Code: (name, value) => writeCode(name, value as Code),
  DBRef: (name, value) => {
    writeName(0x03, name);
    writeDocument((value as DBRef).toJSON());
  },
  MinKey: (name) => writeName(0xff, name),
  MaxKey: (name) => writeName(0x7f, name),
};

function writeObject(name: string, value: object): void {
  if (Array.isArray(value)) {
    writeName(0x04, name);
    writeArray(value);
  } else if (value instanceof Date) {
    writeName(0x09, name);
    const time = value.getTime();
    writeBigInt(Number.isNaN(time) ? 0n : BigInt(time));
  } else {
    const tag = bsonTag(value);
    const write = tag === undefined ? undefined : TAGGED[tag];
    if (write !== undefined) write(name, value);
    else if (value instanceof RegExp) writePair(0x0b, name, value.source, flagsOf(value.flags));
    else if (value instanceof Uint8Array) {
      writeName(0x05, name);
      writeBinary(value, 0);
    } else {
      writeName(0x03, name);
      const bytes = knownBytes(value);
      if (bytes === undefined) writeDocument(value as Document);
      else writeBytes(bytes);
    }
  }
}

function writeMember(name: string, value: unknown): void {
  switch (typeof value) {
    case 'string':
      writeName(0x02, name);
      writeString(value);
      return;
    case 'number':
      writeNumber(name, value);
      return;
    case 'boolean':
      writeName(0x08, name);
      ensure(8);
      buffer[at++] = value ? 1 : 0;
      return;
    case 'bigint':
      writeName(0x12, name);
      writeBigInt(value);
      return;
    case 'object':
      if (value === null) writeName(0x0a, name);
      else writeObject(name, value);
      return;
    default:
  }
}

function writeBody(write: () => void): void {
  ensure(16);
  const start = at;
  at += 4;
  depth += 1;
  if (depth > DEEPEST) fail('Overflow', `BSONObj exceeded maximum nested object depth: ${DEEPEST}`);
  write();
  depth -= 1;
  ensure(8);
  buffer[at++] = 0;
  buffer.writeInt32LE(at - start, start);
}

function writeArray(values: readonly unknown[]): void {
  writeBody(() => {
    for (let i = 0; i < values.length; i++) writeMember(String(i), values[i] ?? null);
  });
}

function writeDocument(document: Document): void {
  writeBody(() => {
    for (const name of Object.keys(document)) writeMember(name, document[name]);
  });
}

/**
 * Encodes a document as BSON, the inverse of `decodeDocument`; members that are undefined are left out. Throws
 * `EngineError` for what BSON cannot hold.
 */
export function encodeDocument(document: Document): Buffer {
  at = 0;
  depth = 0;
  writeDocument(document);
  const out = Buffer.allocUnsafe(at);
  buffer.copy(out, 0, 0, at);
  if (buffer.length > KEPT) buffer = Buffer.allocUnsafeSlow(KEPT);
  return out;
}
