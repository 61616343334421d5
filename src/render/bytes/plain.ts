/** Documents and lists that JSON writes as they are stored: those of `json` and `blocks` attributes. */
import { type Buffer, isUtf8 } from 'node:buffer';
import { endOfName, endOfValue, int32, TYPE } from '../../values/bson-bytes.js';
import { decimalNumber, doubleAt, longNumber } from './numbers.js';
import {
  CLOSE,
  CLOSE_LIST,
  COLON,
  COMMA,
  FALSE,
  NULL,
  OPEN,
  OPEN_LIST,
  type Output,
  TRUE,
} from './output.js';

/** Deeper values are left to the rule of objects, which does not recurse where it need not. */
const DEEPEST = 200;

/**
 * Writes a value as JSON has it. False where an object made of it would not be written in just this way; what was written by then
 * means nothing.
 */
export type PlainWriter = (out: Output, type: number, bytes: Buffer, at: number) => boolean;

/** `wide`: 64-bit integers and decimals are numbers. */
export function plainWriter(wide: boolean): PlainWriter {
  let depth = 0;

  const write: PlainWriter = (out, type, bytes, at) => {
    switch (type) {
      case TYPE.string:
        out.string(bytes, at + 4, at + 3 + int32(bytes, at));
        return true;
      case TYPE.int:
        out.integer(int32(bytes, at));
        return true;
      case TYPE.double:
        out.number(doubleAt(bytes, at));
        return true;
      case TYPE.null:
        out.raw(NULL);
        return true;
      case TYPE.boolean:
        out.raw(bytes[at] === 1 ? TRUE : FALSE);
        return true;
      case TYPE.date:
        out.date(longNumber(bytes, at));
        return true;
      case TYPE.document:
        return inside(() => writeDocument(out, bytes, at));
      case TYPE.array:
        return inside(() => writeList(out, bytes, at));
      case TYPE.long:
        if (wide) out.number(longNumber(bytes, at));
        return wide;
      case TYPE.decimal: {
        const number = wide ? decimalNumber(bytes, at) : null;
        if (number !== null) out.number(number);
        return number !== null;
      }
      default:
        return false;
    }
  };

  const inside = (writeMembers: () => boolean): boolean => {
    if (depth === DEEPEST) return false;
    depth++;
    try {
      return writeMembers();
    } finally {
      depth--;
    }
  };

  function writeList(out: Output, bytes: Buffer, start: number): boolean {
    out.byte(OPEN_LIST);
    const end = start + int32(bytes, start) - 1;
    let at = start + 4;
    let first = true;
    while (at < end) {
      const type = bytes[at] as number;
      at = endOfName(bytes, at + 1) + 1;
      if (!first) out.byte(COMMA);
      first = false;
      if (!write(out, type, bytes, at)) return false;
      at = endOfValue(type, bytes, at);
    }
    out.byte(CLOSE_LIST);
    return true;
  }

  function writeDocument(out: Output, bytes: Buffer, start: number): boolean {
    out.byte(OPEN);
    const end = start + int32(bytes, start) - 1;
    let at = start + 4;
    /** A bit for each hash that a name had. */
    let seen = 0;
    while (at < end) {
      const type = bytes[at] as number;
      const name = at + 1;
      at = endOfName(bytes, name);
      if (!isOrdinary(bytes, name, at)) return false;
      const bit = 1 << ((bytes[name] as number) ^ ((bytes[at - 1] as number) << 2) ^ ((at - name) << 1));
      if ((seen & bit) !== 0 && isRepeated(bytes, start + 4, name, at)) return false;
      seen |= bit;
      if (name > start + 5) out.byte(COMMA);
      out.string(bytes, name, at);
      out.byte(COLON);
      at++;
      if (!write(out, type, bytes, at)) return false;
      at = endOfValue(type, bytes, at);
    }
    out.byte(CLOSE);
    return true;
  }

  return write;
}

/**
 * Names that begin with a digit may be put first by an object, those with `$` make a reference of it, `_` begins `__proto__` and
 * `_bsontype`; two that are not UTF-8 may become the same, and an empty one has no first letter.
 */
function isOrdinary(bytes: Buffer, name: number, end: number): boolean {
  const first = bytes[name] as number;
  if (first === 0 || first === 0x24 || first === 0x5f || (first >= 0x30 && first <= 0x39)) return false;
  for (let i = name; i < end; i++) if ((bytes[i] as number) >= 0x80) return isUtf8(bytes.subarray(name, end));
  return true;
}

/** Whether a name before it, from `at` on, is the same. */
function isRepeated(bytes: Buffer, from: number, name: number, end: number): boolean {
  let at = from;
  while (at < name - 1) {
    const type = bytes[at] as number;
    const other = at + 1;
    at = endOfName(bytes, other);
    if (at - other === end - name && bytes.compare(bytes, other, at, name, end) === 0) return true;
    at = endOfValue(type, bytes, at + 1);
  }
  return false;
}
