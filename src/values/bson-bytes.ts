/** BSON (bsonspec.org, version 1.1) as bytes: finding where values end, and decoding single values. */
import { Buffer } from 'node:buffer';
import { deserialize } from 'bson';
import { AS_STORED } from './bson.js';

/** The types that are rendered directly from bytes. */
export const TYPE = {
  double: 0x01,
  string: 0x02,
  document: 0x03,
  array: 0x04,
  undefined: 0x06,
  objectId: 0x07,
  boolean: 0x08,
  date: 0x09,
  null: 0x0a,
  int: 0x10,
  long: 0x12,
  decimal: 0x13,
} as const;

export const int32 = (bytes: Buffer, at: number): number =>
  (bytes[at] ?? 0) |
  ((bytes[at + 1] ?? 0) << 8) |
  ((bytes[at + 2] ?? 0) << 16) |
  ((bytes[at + 3] ?? 0) << 24);

/** Sizes in bytes of the types of fixed length. */
const SIZES: Readonly<Record<number, number>> = {
  1: 8,
  6: 0,
  7: 12,
  8: 1,
  9: 8,
  10: 0,
  16: 4,
  17: 8,
  18: 8,
  19: 16,
  127: 0,
  255: 0,
};
const FIXED = Int8Array.from({ length: 256 }, (_, type) => SIZES[type] ?? -1);

export function endOfName(bytes: Buffer, at: number): number {
  let end = at;
  while (bytes[end] !== 0) {
    if (end >= bytes.length) throw new RangeError('BSON: a name without its end');
    end++;
  }
  return end;
}

/**
 * The position after the value of this type that begins at `at`. Throws a `RangeError` if the bytes are not
 * BSON.
 */
export function endOfValue(type: number, bytes: Buffer, at: number): number {
  const fixed = FIXED[type] ?? -1;
  if (fixed >= 0) return at + fixed;
  const end = at + ofOwnLength(type, bytes, at);
  if (end <= at || end > bytes.length) throw new RangeError(`BSON: no value of type ${type}`);
  return end;
}

function ofOwnLength(type: number, bytes: Buffer, at: number): number {
  switch (type) {
    case TYPE.document:
    case TYPE.array:
    case 0x0f:
      return int32(bytes, at);
    case TYPE.string:
    case 0x0d:
    case 0x0e:
      return int32(bytes, at) + 4;
    case 0x05:
      return int32(bytes, at) + 5;
    case 0x0c:
      return int32(bytes, at) + 16;
    case 0x0b:
      return endOfName(bytes, endOfName(bytes, at) + 1) + 1 - at;
    default:
      return 0;
  }
}

export const stringAt = (bytes: Buffer, at: number): string =>
  bytes.toString('utf8', at + 4, at + 3 + int32(bytes, at));

/** Bytes before the value in a document that consists of this value alone: length, type and the name `v`. */
const BEFORE = 7;

/** Decodes one value, with the same options as `deserialize` for whole documents. */
export function decodeAt(type: number, bytes: Buffer, at: number): unknown {
  const end = endOfValue(type, bytes, at);
  const alone = new Uint8Array(BEFORE + (end - at) + 1);
  new DataView(alone.buffer).setInt32(0, alone.length, true);
  alone[4] = type;
  alone[5] = 0x76;
  alone.set(bytes.subarray(at, end), BEFORE);
  return deserialize(alone, AS_STORED)['v'];
}

/** Visits the members of the document or array that begins at `start`. */
export function eachMember(bytes: Buffer, start: number, visit: Visit): void {
  const end = start + int32(bytes, start) - 1;
  let at = start + 4;
  while (at < end) {
    const type = bytes[at] ?? 0;
    const name = at + 1;
    at = endOfName(bytes, name) + 1;
    visit(type, at, name);
    at = endOfValue(type, bytes, at);
  }
}

/** Visits the members with this name, of which there should be at most one. */
function eachNamed(
  document: Uint8Array,
  wanted: string,
  visit: (bytes: Buffer, type: number, at: number) => void,
): void {
  const bytes = asBuffer(document);
  eachMember(bytes, 0, (type, at, name) => {
    if (at - name === wanted.length + 1 && bytes.toString('latin1', name, at - 1) === wanted)
      visit(bytes, type, at);
  });
}

/** The `_id` of a document; undefined if it has none. */
export function idOf(document: Uint8Array): unknown {
  let id: unknown;
  eachNamed(document, '_id', (bytes, type, at) => {
    id = decodeAt(type, bytes, at);
  });
  return id;
}

/** The `documentId` of an entry; an empty string if it has none or it is not a string. */
export function documentIdOf(entry: Uint8Array): string {
  let id = '';
  eachNamed(entry, 'documentId', (bytes, type, at) => {
    if (type === TYPE.string) id = stringAt(bytes, at);
  });
  return id;
}

/**
 * Called with the type of a member, the position `at` of its value, and the position `name` of its
 * zero-terminated name.
 */
type Visit = (type: number, at: number, name: number) => void;

export const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
