import type { Binary, BSONRegExp, BSONSymbol, Code, DBRef, Decimal128, Document, Long, ObjectId } from 'bson';
import { checkSize } from '../values/document-size.js';
import { Encoded } from '../values/encoded.js';
import { millisecondsOf } from '../values/far-date.js';
import { PAUSE, type Paced } from '../values/pace.js';
import {
  ARRAY,
  BINARY,
  BOOLEAN,
  CODE,
  DATE,
  DECIMAL,
  DOCUMENT,
  DOUBLE,
  INT,
  LONG,
  MAX_KEY,
  MIN_KEY,
  NULL,
  OBJECT_ID,
  REGEX,
  SCOPED_CODE,
  STRING,
  SYMBOL,
  TIMESTAMP,
  UNDEFINED_TYPE,
} from '../values/type-bytes.js';
import { bsonTag, isInt32 } from '../values/types.js';
import { isTurnOver } from '../values/work.js';
import { type ByteWriter, written } from './byte-writer.js';

function writeNumber(to: ByteWriter, name: string, value: number): void {
  if (isInt32(value)) {
    to.name(INT, name);
    to.int32(value);
  } else {
    to.name(DOUBLE, name);
    to.double(value);
  }
}

function writeCode(to: ByteWriter, name: string, value: Code): void {
  if (!value.scope) {
    to.name(CODE, name);
    to.string(value.code);
    return;
  }
  const { code, scope } = value;
  to.name(SCOPED_CODE, name);
  to.sized(() => {
    to.string(code);
    writeDocument(to, scope);
  });
}

function writePattern(to: ByteWriter, name: string, pattern: string, flags: string): void {
  to.name(REGEX, name);
  to.pair(pattern, flags);
}

type WriteTagged = (to: ByteWriter, name: string, value: object) => void;

const flagsOf = (flags: string): string =>
  [...flags]
    .filter((flag) => 'ims'.includes(flag))
    .sort()
    .join('');

const long =
  (type: number): WriteTagged =>
  (to, name, value) => {
    to.name(type, name);
    to.long(value as Long);
  };

/** How the bson package's classes are written, by their tag. */
const TAGGED: Readonly<Record<string, WriteTagged>> = {
  ObjectId: (to, name, value) => {
    to.name(OBJECT_ID, name);
    to.raw((value as ObjectId).id);
  },
  Long: long(LONG),
  Timestamp: long(TIMESTAMP),
  Double: (to, name, value) => {
    to.name(DOUBLE, name);
    to.double((value as { value: number }).value);
  },
  Int32: (to, name, value) => {
    to.name(INT, name);
    to.int32((value as { value: number }).value);
  },
  Decimal128: (to, name, value) => {
    to.name(DECIMAL, name);
    to.raw((value as Decimal128).bytes);
  },
  Binary: (to, name, value) => {
    const binary = value as Binary;
    to.name(BINARY, name);
    to.binary(binary.buffer.subarray(0, binary.position), binary.sub_type);
  },
  BSONRegExp: (to, name, value) =>
    writePattern(to, name, (value as BSONRegExp).pattern, (value as BSONRegExp).options),
  BSONSymbol: (to, name, value) => {
    to.name(SYMBOL, name);
    to.string((value as BSONSymbol).value);
  },
  Code: (to, name, value) => writeCode(to, name, value as Code),
  DBRef: (to, name, value) => {
    to.name(DOCUMENT, name);
    writeDocument(to, (value as DBRef).toJSON());
  },
  BsonUndefined: (to, name) => to.name(UNDEFINED_TYPE, name),
  MinKey: (to, name) => to.name(MIN_KEY, name),
  MaxKey: (to, name) => to.name(MAX_KEY, name),
};

function writeObject(to: ByteWriter, name: string, value: object): void {
  if (Array.isArray(value)) {
    to.name(ARRAY, name);
    writeArray(to, value);
  } else if (value instanceof Date) {
    to.name(DATE, name);
    to.bigInt(Number.isNaN(value.getTime()) ? 0n : millisecondsOf(value));
  } else {
    const tag = bsonTag(value);
    const write = tag === undefined ? undefined : TAGGED[tag];
    if (write !== undefined) write(to, name, value);
    else if (value instanceof RegExp) writePattern(to, name, value.source, flagsOf(value.flags));
    else if (value instanceof Uint8Array) {
      to.name(BINARY, name);
      to.binary(value, 0);
    } else {
      to.name(DOCUMENT, name);
      if (value instanceof Encoded) to.raw(value.bytes);
      else writeDocument(to, value as Document);
    }
  }
}

function writeMember(to: ByteWriter, name: string, value: unknown): void {
  switch (typeof value) {
    case 'string':
      to.name(STRING, name);
      to.string(value);
      return;
    case 'number':
      writeNumber(to, name, value);
      return;
    case 'boolean':
      to.name(BOOLEAN, name);
      to.byte(value ? 1 : 0);
      return;
    case 'bigint':
      to.name(LONG, name);
      to.bigInt(value);
      return;
    case 'object':
      if (value === null) to.name(NULL, name);
      else writeObject(to, name, value);
      return;
    default:
  }
}

function writeArray(to: ByteWriter, values: readonly unknown[]): void {
  to.body(() => {
    for (let i = 0; i < values.length; i++) writeMember(to, String(i), values[i] ?? null);
  });
}

function writeDocument(to: ByteWriter, document: Document): void {
  to.body(() => {
    for (const name of Object.keys(document)) writeMember(to, name, document[name]);
  });
}

/**
 * Encodes a document as BSON, the inverse of `decodeDocument`; undefined fields are left out. Throws `EngineError` for what BSON
 * cannot represent, and soon after `most` bytes.
 */
export const encodeDocument = (document: Document, most?: number): Buffer =>
  written((to) => writeDocument(to, document), most);

/** The number of list elements that are written without a pause. */
const MANY = 64;

/** As `encodeDocument`, by a writer that is used again for the next document, which ends the bytes. */
export function encodeBy(to: ByteWriter, document: Document): Buffer {
  to.restart();
  writeDocument(to, document);
  return to.bytes;
}

/** The same with pauses inside long lists. */
export function* encodePaced(to: ByteWriter, document: Document): Paced<Buffer> {
  const isLong = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > MANY;
  if (!Object.values(document).some(isLong)) return encodeBy(to, document);
  const { most } = to;
  const parts: Buffer[] = [];
  let size = 0;
  const write = (made: (to: ByteWriter) => void): Buffer => {
    const part = written(made, most);
    size += part.length;
    checkSize({ length: size }, most);
    parts.push(part);
    return part;
  };
  write((to) => to.int32(0));
  for (const [name, value] of Object.entries(document)) {
    if (!isLong(value)) {
      write((to) => writeMember(to, name, value));
      continue;
    }
    const frame = write((to) => {
      to.name(ARRAY, name);
      to.int32(0);
    });
    const before = size - 4;
    for (let from = 0; from < value.length; from += MANY) {
      const end = Math.min(from + MANY, value.length);
      write((to) => {
        for (let i = from; i < end; i++) writeMember(to, String(i), value[i] ?? null);
      });
      if (isTurnOver()) yield PAUSE;
    }
    write((to) => to.byte(0));
    frame.writeInt32LE(size - before, frame.length - 4);
  }
  write((to) => to.byte(0));
  parts[0]?.writeInt32LE(size, 0);
  return Buffer.concat(parts, size);
}
