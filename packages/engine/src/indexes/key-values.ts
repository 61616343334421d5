import { type Document, Double, Long, ObjectId } from 'bson';
import { encodeDocument } from '../storage/encode.js';
import { TYPE_MARKS } from '../values/encode-key.js';
import { NUMBER_MARKS } from '../values/encode-number.js';
import { dateOf } from '../values/far-date.js';
import { bsonTypeOf, type Direction, decodeDocument } from '../values/index.js';
import { valueAt } from '../values/paths.js';
import { isInt32 } from '../values/types.js';

/**
 * The information about a value that is not in a key's bytes, one byte per field; a key whose values are all plain has none. If a
 * value cannot be decoded from the key, all of them are stored as BSON after one byte `stored`; for a value that is not known
 * there is only `unknown`.
 */
const NOTE = { plain: 0, double: 1, long: 2, missing: 3, stored: 4, unknown: 5 } as const;

const NONE = Buffer.alloc(0);
/** Integers up to this limit equal a double. */
const SAFE = Long.fromNumber(2 ** 53);

function noteOfNumber(value: unknown, type: string): number {
  if (type === 'long') {
    const long = typeof value === 'bigint' ? Long.fromBigInt(value) : (value as Long);
    return long.greaterThan(SAFE) || long.lessThan(SAFE.negate()) ? NOTE.stored : NOTE.long;
  }
  const number = Number(value);
  if (type === 'int') return NOTE.plain;
  return Object.is(number, -0) ? NOTE.stored : isInt32(number) ? NOTE.double : NOTE.plain;
}

/** Null and missing have the same key. For a dotted path it is not known how much of it is missing. */
function noteOfNull(document: Document, path: string): number {
  const value = valueAt(document, path);
  if (value === null) return NOTE.plain;
  return value === undefined && !path.includes('.') ? NOTE.missing : NOTE.unknown;
}

const READABLE = new Set(['string', 'objectId', 'bool', 'date']);
const NUMBERS = new Set(['int', 'long', 'double']);

/** Values with more bytes than this are read from the document instead. */
const MOST_STORED = 400;
const UNKNOWN = Buffer.of(NOTE.unknown);

function noteOf(value: unknown, path: string, document: Document): number {
  if (value === null) return noteOfNull(document, path);
  const type = bsonTypeOf(value);
  if (NUMBERS.has(type)) return noteOfNumber(value, type);
  if (READABLE.has(type)) return NOTE.plain;
  return type === 'missing' ? NOTE.unknown : NOTE.stored;
}

/** The notes on a key of a document. */
export function keyNotes(values: readonly unknown[], paths: readonly string[], document: Document): Buffer {
  const notes = values.map((value, i) => noteOf(value, paths[i] as string, document));
  if (notes.every((note) => note === NOTE.plain)) return NONE;
  if (notes.includes(NOTE.unknown)) return UNKNOWN;
  if (!notes.includes(NOTE.stored)) return Buffer.from(notes);
  const known = values.map((value, i): [string, unknown] => [
    String(i),
    notes[i] === NOTE.missing ? undefined : value,
  ]);
  const stored = encodeDocument(Object.fromEntries(known));
  return stored.length > MOST_STORED ? UNKNOWN : Buffer.concat([Buffer.of(NOTE.stored), stored]);
}

const scratch = Buffer.alloc(8);

/** Reads the bytes of a key one after another. */
class KeyCursor {
  /** The mask that inverts the bytes of the field. */
  flip = 0;

  constructor(
    readonly bytes: Buffer,
    public at: number,
  ) {}

  byte(): number {
    return (this.bytes[this.at++] ?? 0) ^ this.flip;
  }

  /** The next bytes, inverted once more if the number is negative. */
  take(length: number, flip = this.flip): Buffer {
    const out = length === 8 ? scratch : Buffer.allocUnsafe(length);
    for (let i = 0; i < length; i++) out[i] = (this.bytes[this.at++] ?? 0) ^ flip;
    return out;
  }

  text(): string {
    const start = this.at;
    let plain = this.flip === 0;
    let byte = this.byte();
    for (; byte !== 0; byte = this.byte()) if (byte === 1 || byte > 0x7f) plain = false;
    if (plain) return this.bytes.toString('latin1', start, this.at - 1);
    const out: number[] = [];
    for (let at = start; at < this.at - 1; at++) {
      const found = (this.bytes[at] ?? 0) ^ this.flip;
      out.push(found === 1 ? ((this.bytes[++at] ?? 0) ^ this.flip) - 1 : found);
    }
    return Buffer.from(out).toString('utf8');
  }

  number(note: number): unknown {
    const mark = this.byte();
    if (mark === NUMBER_MARKS.nan) return Number.NaN;
    let value = 0;
    if (mark !== NUMBER_MARKS.zero) {
      const isNegative = mark === NUMBER_MARKS.negative;
      value = this.take(8, isNegative ? 0xff - this.flip : this.flip).readDoubleBE(0) * (isNegative ? -1 : 1);
      // A value between two doubles is stored next to the key.
      this.at += 1;
    }
    return note === NOTE.double ? new Double(value) : note === NOTE.long ? Long.fromNumber(value) : value;
  }
}

const READ: Readonly<Record<number, (cursor: KeyCursor) => unknown>> = {
  [TYPE_MARKS.null]: () => null,
  [TYPE_MARKS.string]: (cursor) => cursor.text(),
  [TYPE_MARKS.objectId]: (cursor) => new ObjectId(cursor.take(12)),
  [TYPE_MARKS.bool]: (cursor) => cursor.byte() === 2,
  [TYPE_MARKS.date]: (cursor) => dateOf(BigInt.asIntN(64, cursor.take(8).readBigUInt64BE(0) ^ (1n << 63n))),
};

/** The values of a key's first fields, `undefined` for what is missing. */
interface KeyValues {
  readonly values: readonly unknown[];
  /** Where the last of them ends; undefined if they were not read from the key. */
  readonly end: number | undefined;
}

/** Reads the first fields of a key from its entry; undefined if the entry does not contain all of the values. */
export function readKey(
  { bytes, at, notes }: { readonly bytes: Buffer; readonly at: number; readonly notes: Buffer },
  directions: readonly Direction[],
  fields: number,
): KeyValues | undefined {
  if (notes[0] === NOTE.unknown) return undefined;
  if (notes[0] === NOTE.stored) {
    const stored = decodeDocument(notes.subarray(1));
    return { values: Array.from({ length: fields }, (_, i) => stored[String(i)]), end: undefined };
  }
  const cursor = new KeyCursor(bytes, at);
  const values: unknown[] = [];
  for (let i = 0; i < fields; i++) {
    const note = notes[i] ?? NOTE.plain;
    cursor.flip = directions[i] === -1 ? 0xff : 0;
    const mark = (bytes[cursor.at] ?? 0) ^ cursor.flip;
    if (mark >= NUMBER_MARKS.nan && mark <= NUMBER_MARKS.positive) {
      values.push(cursor.number(note));
      continue;
    }
    cursor.at += 1;
    const value = READ[mark]?.(cursor);
    values.push(note === NOTE.missing ? undefined : value);
  }
  return { values, end: cursor.at };
}
