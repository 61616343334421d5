/**
 * Rows that stay bytes: placing them reads a few members, everything else is written straight from the bytes.
 */
import { Buffer } from 'node:buffer';
import { LRUCache } from 'lru-cache';
import type { Doc } from '../../pipeline/types.js';
import {
  decodeAt,
  eachMember,
  endOfName,
  endOfValue,
  int32,
  stringAt,
  TYPE,
} from '../../values/bson-bytes.js';

/** Reads a value of the given type. */
type ReadValue = (type: number, bytes: Buffer, at: number) => unknown;

/** Reads a member of the document that begins at `start`. */
export type Read = (bytes: Buffer, start: number) => unknown;

/** Members that are read in a special way, by name. */
export type Reads = ReadonlyMap<string, Read>;

/** Where the JSON of a row stands in the output, and how many entries it contains. */
interface Made {
  readonly start: number;
  readonly end: number;
  readonly rows: number;
}

const BYTES = Symbol('bytes');
const START = Symbol('start');
const READS = Symbol('reads');
const KNOWN = Symbol('known');
const MADE = Symbol('made');

/** A BSON document whose known members can be read and set like properties. */
export interface BsonRow extends Doc {
  readonly [BYTES]: Buffer;
  readonly [START]: number;
  readonly [READS]: Reads;
  [KNOWN]: unknown[] | null;
  [MADE]: Made | null;
}

export const bytesOf = (row: BsonRow): Buffer => row[BYTES];
export const startOf = (row: BsonRow): number => row[START];
export const madeOf = (row: BsonRow): Made | null => row[MADE];
export const setMade = (row: BsonRow, made: Made): void => {
  row[MADE] = made;
};

type RowClass = new (bytes: Buffer, start: number, reads: Reads) => BsonRow;

/** By the member names, in order. An accessor takes some 400 bytes. */
const classes = new LRUCache<string, RowClass>({
  maxSize: 8_000_000,
  sizeCalculation: (RowOf, key) =>
    2 * key.length + 400 * Object.keys(Object.getOwnPropertyDescriptors(RowOf.prototype)).length + 500,
});

/** A class with an accessor for each name. Missing members are undefined. */
export function rowClass(names: Iterable<string>): RowClass {
  const each = [...new Set(names)];
  const key = each.join('\0');
  const known = classes.get(key) ?? newClass(each);
  classes.set(key, known);
  return known;
}

function knownOf(row: BsonRow): unknown[] {
  row[KNOWN] ??= [];
  return row[KNOWN];
}

function newClass(names: readonly string[]): RowClass {
  class BytesRow {
    readonly [BYTES]: Buffer;
    readonly [START]: number;
    readonly [READS]: Reads;
    [KNOWN]: unknown[] | null = null;
    [MADE]: Made | null = null;
    constructor(bytes: Buffer, start: number, reads: Reads) {
      this[BYTES] = bytes;
      this[START] = start;
      this[READS] = reads;
    }
  }
  for (const [number, name] of names.entries()) {
    const spelled = spell(name);
    Object.defineProperty(BytesRow.prototype, name, {
      get(this: BsonRow): unknown {
        const known = this[KNOWN];
        if (known !== null && number in known) return known[number];
        const read = this[READS].get(name);
        const value = read ? read(this[BYTES], this[START]) : readMember(this[BYTES], this[START], spelled);
        knownOf(this)[number] = value;
        return value;
      },
      set(this: BsonRow, value: unknown) {
        knownOf(this)[number] = value;
      },
    });
  }
  return BytesRow as unknown as RowClass;
}

/** A name as encoded in a document. */
export const spell = (name: string): Buffer => Buffer.from(`${name}\0`);

/** A member of the document that begins at `start`; undefined if missing. */
export function readMember(bytes: Buffer, start: number, spelled: Buffer, read: ReadValue = keyAt): unknown {
  const end = start + int32(bytes, start) - 1;
  let at = start + 4;
  while (at < end) {
    const type = bytes[at] ?? 0;
    const name = at + 1;
    at = endOfName(bytes, name) + 1;
    if (at - name === spelled.length && isSame(bytes, name, spelled)) return read(type, bytes, at);
    at = endOfValue(type, bytes, at);
  }
  return undefined;
}

export function isSame(bytes: Buffer, at: number, spelled: Buffer): boolean {
  for (let i = 0; i < spelled.length; i++) if (bytes[at + i] !== spelled[i]) return false;
  return true;
}

/** Fast paths for keys: strings, numbers and lists of strings. */
function keyAt(type: number, bytes: Buffer, at: number): unknown {
  switch (type) {
    case TYPE.string:
      return stringAt(bytes, at);
    case TYPE.int:
      return int32(bytes, at);
    case TYPE.null:
      return null;
    case TYPE.array: {
      const list: unknown[] = [];
      eachMember(bytes, at, (itemType, itemAt) => list.push(keyAt(itemType, bytes, itemAt)));
      return list;
    }
    default:
      return decodeAt(type, bytes, at);
  }
}

/** A list of documents as rows. */
export const rowsAt =
  (rowAt: (bytes: Buffer, start: number) => BsonRow): ReadValue =>
  (type, bytes, at) => {
    if (type !== TYPE.array) return decodeAt(type, bytes, at);
    const rows: BsonRow[] = [];
    eachMember(bytes, at, (_, itemAt) => rows.push(rowAt(bytes, itemAt)));
    return rows;
  };
