/**
 * Stored scalars as JSON. Each writer handles the BSON types that its attribute is normally stored as and
 * leaves the rest to objects (read, convert, stringify), so the output is the same either way.
 */
import { type Buffer, isUtf8 } from 'node:buffer';
import { isText, textForm } from '../../pipeline/populate/shape.js';
import { type ScalarType, scalarOf } from '../../schema/scalars/index.js';
import type { WrittenForm } from '../../schema/scalars/scalar.js';
import type { ScalarAttribute } from '../../schema/types.js';
import { decodeAt, endOfName, endOfValue, int32, TYPE } from '../../values/bson-bytes.js';
import { jsonForm, keyText } from '../../values/json-form.js';
import { decimalNumber, doubleAt, hexAt, longNumber, longText, sameDecimal } from './numbers.js';
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

/** Deeper values are left to objects, which recurse less. */
const DEEPEST = 200;
/**
 * Each name of a document is compared with those before it, so documents with more members are left to
 * objects.
 */
const MOST_MEMBERS = 64;

/**
 * Writes a value as JSON. Returns false if `JSON.stringify` of the object could differ; what was written
 * until then must be discarded.
 */
type PlainWriter = (out: Output, type: number, bytes: Buffer, at: number) => boolean;

/** Writers by BSON type, for scalars other than text whose form depends on the attribute. */
type Leaves = Readonly<Record<number, PlainWriter>>;

/** As `JSON.stringify` writes the value read. */
const AS_READ: Leaves = {
  [TYPE.double]: (out, _, bytes, at) => {
    out.number(doubleAt(bytes, at));
    return true;
  },
  [TYPE.date]: (out, _, bytes, at) => {
    out.date(longNumber(bytes, at));
    return true;
  },
};

/** Writes a number unless it is null. */
function written(out: Output, number: number | null): boolean {
  if (number === null) return false;
  out.number(number);
  return true;
}

/** 64-bit integers and decimals as numbers. */
const AS_NUMBERS: Leaves = {
  ...AS_READ,
  [TYPE.long]: (out, _, bytes, at) => written(out, longNumber(bytes, at)),
  [TYPE.decimal]: (out, _, bytes, at) => written(out, decimalNumber(bytes, at)),
};

/** Limit of JavaScript dates, in milliseconds either side of 1970. */
const LAST_DATE = 8.64e15;

/** As `jsonForm` renders values stored by other programs. */
const ADOPTED: Leaves = {
  [TYPE.double]: (out, _, bytes, at) => {
    const number = doubleAt(bytes, at);
    return written(out, Number.isFinite(number) ? number : null);
  },
  [TYPE.date]: (out, _, bytes, at) => {
    const ms = longNumber(bytes, at);
    if (Math.abs(ms) > LAST_DATE) return false;
    out.date(ms);
    return true;
  },
  [TYPE.long]: (out, _, bytes, at) => {
    const number = longNumber(bytes, at);
    return written(out, Number.isSafeInteger(number) ? number : null);
  },
  [TYPE.decimal]: (out, _, bytes, at) => written(out, sameDecimal(bytes, at)),
  [TYPE.objectId]: (out, _, bytes, at) => {
    out.ascii(`"${hexAt(bytes, at)}"`);
    return true;
  },
};

function plainWriter(leaves: Leaves): PlainWriter {
  let depth = 0;

  const write: PlainWriter = (out, type, bytes, at) => {
    switch (type) {
      case TYPE.string:
        out.string(bytes, at + 4, at + 3 + int32(bytes, at));
        return true;
      case TYPE.int:
        out.integer(int32(bytes, at));
        return true;
      case TYPE.null:
        out.raw(NULL);
        return true;
      case TYPE.boolean:
        out.raw(bytes[at] === 1 ? TRUE : FALSE);
        return true;
      case TYPE.document:
        return inside(() => writeDocument(out, bytes, at));
      case TYPE.array:
        return inside(() => writeList(out, bytes, at));
      default:
        return leaves[type]?.(out, type, bytes, at) ?? false;
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
      const type = bytes[at] ?? 0;
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
    /** One bit per hash of the names so far. */
    let seen = 0;
    for (let members = 0; at < end; members++) {
      if (members === MOST_MEMBERS) return false;
      const type = bytes[at] ?? 0;
      const name = at + 1;
      at = endOfName(bytes, name);
      if (!isOrdinary(bytes, name, at)) return false;
      const bit = 1 << ((bytes[name] ?? 0) ^ ((bytes[at - 1] ?? 0) << 2) ^ ((at - name) << 1));
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
 * Rejects names that an object would treat specially: digits sort first, `$` may make it a reference, `_`
 * begins `__proto__` and `_bsontype`. Two invalid UTF-8 names may become equal, and an empty name has no
 * first letter.
 */
function isOrdinary(bytes: Buffer, name: number, end: number): boolean {
  const first = bytes[name] ?? 0;
  if (first === 0 || first === 0x24 || first === 0x5f || (first >= 0x30 && first <= 0x39)) return false;
  for (let i = name; i < end; i++) if ((bytes[i] ?? 0) >= 0x80) return isUtf8(bytes.subarray(name, end));
  return true;
}

/** Whether an earlier name of the document, from offset `from` on, is the same. */
function isRepeated(bytes: Buffer, from: number, name: number, end: number): boolean {
  let at = from;
  while (at < name - 1) {
    const type = bytes[at] ?? 0;
    const other = at + 1;
    at = endOfName(bytes, other);
    if (at - other === end - name && bytes.compare(bytes, other, at, name, end) === 0) return true;
    at = endOfValue(type, bytes, at + 1);
  }
  return false;
}

/** Writes the value of the given type at `at`. */
type ValueWriter = (out: Output, type: number, bytes: Buffer, at: number) => void;

/** Converts a stored value to what `JSON.stringify` should write; undefined leaves it unchanged. */
type Convert = ((value: unknown) => unknown) | undefined;

/** Renders through objects. */
const byObject =
  (convert: Convert): ValueWriter =>
  (out, type, bytes, at) => {
    const value = decodeAt(type, bytes, at) ?? null;
    const shown = value === null || convert === undefined ? value : convert(value);
    out.text(JSON.stringify(shown) ?? 'null');
  };

function asNumber(convert: Convert): ValueWriter {
  const writeOther = byObject(convert);
  return (out, type, bytes, at) => {
    if (type === TYPE.int) out.integer(int32(bytes, at));
    else if (type === TYPE.double) out.number(doubleAt(bytes, at));
    else if (type === TYPE.long) out.number(longNumber(bytes, at));
    else if (type === TYPE.null) out.raw(NULL);
    else {
      const number = type === TYPE.decimal ? decimalNumber(bytes, at) : null;
      if (number === null) writeOther(out, type, bytes, at);
      else out.number(number);
    }
  };
}

function asDigits(convert: Convert): ValueWriter {
  const writeOther = byObject(convert);
  return (out, type, bytes, at) => {
    if (type === TYPE.null) out.raw(NULL);
    else if (type === TYPE.long) out.ascii(`"${longText(bytes, at)}"`);
    else if (type === TYPE.int) out.ascii(`"${int32(bytes, at)}"`);
    else writeOther(out, type, bytes, at);
  };
}

function asMilliseconds(convert: Convert): ValueWriter {
  const writeOther = byObject(convert);
  return (out, type, bytes, at) => {
    if (type === TYPE.null) out.raw(NULL);
    else if (type === TYPE.date) out.ascii(`"${new Date(longNumber(bytes, at)).getTime()}"`);
    else writeOther(out, type, bytes, at);
  };
}

const asJson =
  (leaves: Leaves) =>
  (convert: Convert): ValueWriter => {
    const writePlain = plainWriter(leaves);
    const writeOther = byObject(convert);
    return (out, type, bytes, at) => {
      const { at: begin } = out;
      if (writePlain(out, type, bytes, at)) return;
      out.at = begin;
      writeOther(out, type, bytes, at);
    };
  };

const asStored = asJson(AS_READ)(undefined);

const WRITERS: Readonly<Record<WrittenForm, (convert: Convert) => ValueWriter>> = {
  number: asNumber,
  digits: asDigits,
  milliseconds: asMilliseconds,
  json: asJson(AS_NUMBERS),
};

export function valueWriter(type: ScalarType): ValueWriter {
  const { show, written } = scalarOf(type);
  const convert = show?.({ textDates: false });
  if (convert === undefined) return asStored;
  if (written) return WRITERS[written](convert);
  return byObject(convert);
}

/** Keys, and values shown as text of digits. */
const asText =
  (writeOther: ValueWriter): ValueWriter =>
  (out, type, bytes, at) => {
    if (type === TYPE.string) out.string(bytes, at + 4, at + 3 + int32(bytes, at));
    else if (type === TYPE.int) out.ascii(`"${int32(bytes, at)}"`);
    else if (type === TYPE.long) out.ascii(`"${longText(bytes, at)}"`);
    else if (type === TYPE.objectId) out.ascii(`"${hexAt(bytes, at)}"`);
    else writeOther(out, type, bytes, at);
  };

/** For attributes of adopted collections. */
export const formWriter = (attribute: ScalarAttribute): ValueWriter =>
  isText(attribute) ? asText(byObject(textForm)) : asJson(ADOPTED)(jsonForm);

/** The text that names an adopted document, from its `_id`. */
export const writeKey = asText((out, type, bytes, at) =>
  out.text(JSON.stringify(keyText(decodeAt(type, bytes, at)))),
);
