import type { Binary, Code, Document, ObjectId, Timestamp } from 'bson';
import { regexParts } from './compare.js';
import { encodeNumber } from './encode-number.js';
import { millisecondsOf } from './far-date.js';
import { bsonTypeOf } from './types.js';

/** The direction of one field of an index. */
export type Direction = 1 | -1;

/**
 * The first byte of each type's encoding, in the cross-type order. All lie between 0x10 and 0xE0, also when inverted
 * for a descending field, so 0xFF may follow any prefix as an upper bound.
 */
export const TYPE_MARKS = {
  minKey: 0x10,
  missing: 0x14,
  null: 0x18,
  number: 0x20,
  string: 0x28,
  object: 0x30,
  array: 0x38,
  binData: 0x40,
  objectId: 0x48,
  bool: 0x50,
  date: 0x58,
  timestamp: 0x60,
  regex: 0x68,
  dbPointer: 0x70,
  javascript: 0x78,
  javascriptWithScope: 0x80,
  maxKey: 0xe0,
} as const;

/** Appends a value's bytes. */
type Push = (out: number[], value: unknown) => void;

const END = 0x00;
const MEMBER = 0x01;

/** A string as UTF-8 terminated by 0x00; bytes 0x00 and 0x01 are escaped so that no string is a prefix of another. */
function pushText(out: number[], text: string): void {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) {
      pushBytes(out, Buffer.from(text.slice(i), 'utf8'));
      return;
    }
    if (code < 2) out.push(0x01, code + 1);
    else out.push(code);
  }
  out.push(END);
}

function pushBytes(out: number[], bytes: Uint8Array): void {
  for (const byte of bytes) {
    if (byte < 2) out.push(0x01, byte + 1);
    else out.push(byte);
  }
  out.push(END);
}

function pushUint(out: number[], value: bigint, bytes: number): void {
  for (let shift = BigInt((bytes - 1) * 8); shift >= 0n; shift -= 8n)
    out.push(Number((value >> shift) & 0xffn));
}

function pushBinary(out: number[], value: unknown): void {
  const bytes =
    value instanceof Uint8Array ? value : (value as Binary).buffer.subarray(0, (value as Binary).position);
  pushUint(out, BigInt(bytes.length), 4);
  out.push(value instanceof Uint8Array ? 0 : (value as Binary).sub_type);
  for (const byte of bytes) out.push(byte);
}

function pushDocument(out: number[], document: Document): void {
  for (const [name, value] of Object.entries(document)) {
    if (value === undefined) continue;
    out.push(MEMBER);
    // Fields compare by type, then name, then value.
    out.push(markOfType(value));
    pushText(out, name);
    encodeValue(out, value);
  }
  out.push(END);
}

function markOfType(value: unknown): number {
  const type = bsonTypeOf(value);
  switch (type) {
    case 'int':
    case 'long':
    case 'double':
    case 'decimal':
      return TYPE_MARKS.number;
    case 'symbol':
      return TYPE_MARKS.string;
    case 'undefined':
      return TYPE_MARKS.missing;
    default:
      return TYPE_MARKS[type];
  }
}

const pushArray: Push = (out, value) => {
  for (const item of value as unknown[]) {
    out.push(MEMBER);
    encodeValue(out, item ?? null);
  }
  out.push(END);
};

const pushRegex: Push = (out, value) => {
  const { pattern, options } = regexParts(value);
  pushText(out, pattern);
  pushText(out, options);
};

const pushCode: Push = (out, value) => pushText(out, (value as Code).code);

/** What follows the mark of each type; the types left out consist only of a mark. */
const PUSH: Readonly<Record<number, Push>> = {
  [TYPE_MARKS.string]: (out, value) => pushText(out, String(value)),
  [TYPE_MARKS.object]: (out, value) => pushDocument(out, value as Document),
  [TYPE_MARKS.array]: pushArray,
  [TYPE_MARKS.binData]: pushBinary,
  [TYPE_MARKS.objectId]: (out, value) => {
    for (const byte of (value as ObjectId).id) out.push(byte);
  },
  [TYPE_MARKS.bool]: (out, value) => {
    out.push(value === true ? 2 : 1);
  },
  // The sign bit is flipped, so that times before 1970 come first.
  [TYPE_MARKS.date]: (out, value) =>
    pushUint(out, BigInt.asUintN(64, millisecondsOf(value as Date)) ^ (1n << 63n), 8),
  [TYPE_MARKS.timestamp]: (out, value) =>
    pushUint(out, BigInt.asUintN(64, (value as Timestamp).toBigInt()), 8),
  [TYPE_MARKS.regex]: pushRegex,
  [TYPE_MARKS.javascript]: pushCode,
  [TYPE_MARKS.javascriptWithScope]: pushCode,
};

/** Appends the encoding of one value, ascending. */
export function encodeValue(out: number[], value: unknown): void {
  const mark = typeof value === 'number' ? TYPE_MARKS.number : markOfType(value);
  if (mark === TYPE_MARKS.number) {
    encodeNumber(out, value);
    return;
  }
  out.push(mark);
  PUSH[mark]?.(out, value);
}

/**
 * The index key of some values: its bytes compare (memcmp) as the values do in MongoDB's order, each field in its
 * direction. Equal numbers of different types give equal keys, and no key is the prefix of another key of as many
 * fields. `undefined` (below null) is the key of an empty array; a missing field is indexed as null by the caller.
 * Strings are encoded bytewise: under a collation pass `collationKey(text)` in their place.
 */
export function encodeKey(values: readonly unknown[], directions: readonly Direction[]): Buffer {
  const out: number[] = [];
  for (let i = 0; i < values.length; i++) {
    const start = out.length;
    encodeValue(out, values[i]);
    if ((directions[i] ?? 1) === -1) {
      for (let j = start; j < out.length; j++) out[j] = 0xff - (out[j] ?? 0);
    }
  }
  return Buffer.from(out);
}
