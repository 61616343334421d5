import type { Binary, BSONRegExp, BSONSymbol, Code, DBRef, Decimal128, Document, Long, ObjectId } from 'bson';
import { checkSize } from '../values/document-size.js';
import { millisecondsOf } from '../values/far-date.js';
import { knownBytes } from '../values/known-bytes.js';
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

function writeNumber(name: string, value: number): void {
  if (isInt32(value)) {
    writeName(INT, name);
    writeInt32(value);
  } else {
    writeName(DOUBLE, name);
    writeDouble(value);
  }
}

function writeCode(name: string, value: Code): void {
  if (!value.scope) {
    writeName(CODE, name);
    writeString(value.code);
    return;
  }
  const { code, scope } = value;
  writeName(SCOPED_CODE, name);
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
    writeName(OBJECT_ID, name);
    writeBytes((value as ObjectId).id);
  },
  Long: long(LONG),
  Timestamp: long(TIMESTAMP),
  Double: (name, value) => {
    writeName(DOUBLE, name);
    writeDouble((value as { value: number }).value);
  },
  Int32: (name, value) => {
    writeName(INT, name);
    writeInt32((value as { value: number }).value);
  },
  Decimal128: (name, value) => {
    writeName(DECIMAL, name);
    writeBytes((value as Decimal128).bytes);
  },
  Binary: (name, value) => {
    const binary = value as Binary;
    writeName(BINARY, name);
    writeBinary(binary.buffer.subarray(0, binary.position), binary.sub_type);
  },
  BSONRegExp: (name, value) =>
    writePair(REGEX, name, (value as BSONRegExp).pattern, (value as BSONRegExp).options),
  BSONSymbol: (name, value) => {
    writeName(SYMBOL, name);
    writeString((value as BSONSymbol).value);
  },
  Code: (name, value) => writeCode(name, value as Code),
  DBRef: (name, value) => {
    writeName(DOCUMENT, name);
    writeDocument((value as DBRef).toJSON());
  },
  BsonUndefined: (name) => writeName(UNDEFINED_TYPE, name),
  MinKey: (name) => writeName(MIN_KEY, name),
  MaxKey: (name) => writeName(MAX_KEY, name),
};

function writeObject(name: string, value: object): void {
  if (Array.isArray(value)) {
    writeName(ARRAY, name);
    writeArray(value);
  } else if (value instanceof Date) {
    writeName(DATE, name);
    writeBigInt(Number.isNaN(value.getTime()) ? 0n : millisecondsOf(value));
  } else {
    const tag = bsonTag(value);
    const write = tag === undefined ? undefined : TAGGED[tag];
    if (write !== undefined) write(name, value);
    else if (value instanceof RegExp) writePair(REGEX, name, value.source, flagsOf(value.flags));
    else if (value instanceof Uint8Array) {
      writeName(BINARY, name);
      writeBinary(value, 0);
    } else {
      writeName(DOCUMENT, name);
      const bytes = knownBytes(value);
      if (bytes === undefined) writeDocument(value as Document);
      else writeBytes(bytes);
    }
  }
}

function writeMember(name: string, value: unknown): void {
  switch (typeof value) {
    case 'string':
      writeName(STRING, name);
      writeString(value);
      return;
    case 'number':
      writeNumber(name, value);
      return;
    case 'boolean':
      writeName(BOOLEAN, name);
      writeByte(value ? 1 : 0);
      return;
    case 'bigint':
      writeName(LONG, name);
      writeBigInt(value);
      return;
    case 'object':
      if (value === null) writeName(NULL, name);
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
 * Encodes a document as BSON, the inverse of `decodeDocument`; undefined fields are left out. Throws `EngineError` for what BSON
 * cannot represent, and soon after `most` bytes.
 */
export const encodeDocument = (document: Document, most?: number): Buffer =>
  written(() => writeDocument(document), most);

/** The number of list elements that are written without a pause. */
const MANY = 64;

/** As `encodeDocument`, with pauses inside long lists. */
export function* encodePaced(document: Document, most: number): Paced<Buffer> {
  const isLong = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > MANY;
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
    for (let from = 0; from < value.length; from += MANY) {
      const to = Math.min(from + MANY, value.length);
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
