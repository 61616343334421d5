import type { Binary, BSONRegExp, BSONSymbol, Code, DBRef, Decimal128, Document, Long, ObjectId } from 'bson';
import { checkSize } from '../values/document-size.js';
import { millisecondsOf } from '../values/far-date.js';
import { PAUSE, type Paced } from '../values/pace.js';
import { bsonTag, isInt32 } from '../values/types.js';
import { isTurnOver } from '../values/work.js';
import {
  writeBigInt,
  writeBinary,
  writeBody,
  writeByte,
  writeBytes,
  writeDouble,
  writeInt32,
  writeLong,
  writeName,
  writePair,
  writeSized,
  writeString,
  written,
} from './byte-writer.js';
import { knownBytes } from './known-bytes.js';

function writeNumber(name: string, value: number): void {
  if (isInt32(value)) {
    writeName(0x10, name);
    writeInt32(value);
  } else {
    writeName(0x01, name);
    writeDouble(value);
  }
}

function writeCode(name: string, value: Code): void {
  if (!value.scope) {
    writeName(0x0d, name);
    writeString(value.code);
    return;
  }
  const { code, scope } = value;
  writeName(0x0f, name);
  writeSized(() => {
    writeString(code);
    writeDocument(scope);
  });
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
  BsonUndefined: (name) => writeName(0x06, name),
  MinKey: (name) => writeName(0xff, name),
  MaxKey: (name) => writeName(0x7f, name),
};

function writeObject(name: string, value: object): void {
  if (Array.isArray(value)) {
    writeName(0x04, name);
    writeArray(value);
  } else if (value instanceof Date) {
    writeName(0x09, name);
    writeBigInt(Number.isNaN(value.getTime()) ? 0n : millisecondsOf(value));
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
      writeByte(value ? 1 : 0);
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
 * `EngineError` for what BSON cannot hold, and soon after `most` bytes.
 */
export const encodeDocument = (document: Document, most?: number): Buffer =>
  written(() => writeDocument(document), most);

/** Elements of a list that are written in one go. */
const LONG = 64;
const ARRAY = 0x04;

/** As `encodeDocument`, with pauses within its long lists. */
export function* encodePaced(document: Document, most: number): Paced<Buffer> {
  const isLong = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > LONG;
  if (!Object.values(document).some(isLong)) return encodeDocument(document, most);
  const parts: Buffer[] = [];
  let size = 0;
  const write = (made: () => void): Buffer => {
    const part = written(made, most);
    size += part.length;
    checkSize({ length: size }, most);
    parts.push(part);
    return part;
  };
  write(() => writeInt32(0));
  for (const [name, value] of Object.entries(document)) {
    if (!isLong(value)) {
      write(() => writeMember(name, value));
      continue;
    }
    const frame = write(() => {
      writeName(ARRAY, name);
      writeInt32(0);
    });
    const before = size - 4;
    for (let from = 0; from < value.length; from += LONG) {
      const to = Math.min(from + LONG, value.length);
      write(() => {
        for (let i = from; i < to; i++) writeMember(String(i), value[i] ?? null);
      });
      if (isTurnOver()) yield PAUSE;
    }
    write(() => writeByte(0));
    frame.writeInt32LE(size - before, frame.length - 4);
  }
  write(() => writeByte(0));
  parts[0]?.writeInt32LE(size, 0);
  return Buffer.concat(parts, size);
}
