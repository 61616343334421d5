/**
 * Stored scalars as JSON. What JSON writes as it is stored is written from the bytes; everything else goes through
 * objects (read, convert, stringify), so the output is the same either way.
 */
import type { Buffer } from 'node:buffer';
import { isText, textForm } from '../../pipeline/populate/shape.js';
import { isJsonNumberType, isJsonType, type ScalarType, scalarOf } from '../../schema/scalars/index.js';
import type { ScalarAttribute } from '../../schema/types.js';
import { decodeAt, int32, TYPE } from '../../values/bson-bytes.js';
import { jsonForm, keyText } from '../../values/json-form.js';
import { decimalNumber, hexAt, longNumber } from './numbers.js';
import { FALSE, NULL, type Output, TRUE } from './output.js';

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

/** Numbers, in whatever form they are stored. */
function asNumber(convert: Convert): ValueWriter {
  const writeOther = byObject(convert);
  return (out, type, bytes, at) => {
    if (type === TYPE.int) out.number(int32(bytes, at));
    else if (type === TYPE.double) out.number(bytes.readDoubleLE(at));
    else if (type === TYPE.null) out.raw(NULL);
    else {
      const number = type === TYPE.decimal ? decimalNumber(bytes, at) : null;
      if (number === null) writeOther(out, type, bytes, at);
      else out.number(number);
    }
  };
}

/** Limit of JavaScript dates, in milliseconds either side of 1970. */
const LAST_DATE = 8.64e15;

/** Values of the types that JSON has, and dates. `convert` leaves these as they are. */
function asStored(convert: Convert): ValueWriter {
  const writeOther = byObject(convert);
  return (out, type, bytes, at) => {
    switch (type) {
      case TYPE.string:
        return out.string(bytes, at + 4, at + 3 + int32(bytes, at));
      case TYPE.int:
        return out.number(int32(bytes, at));
      case TYPE.null:
        return out.raw(NULL);
      case TYPE.boolean:
        return out.raw(bytes[at] === 1 ? TRUE : FALSE);
      case TYPE.double: {
        const number = bytes.readDoubleLE(at);
        return Number.isFinite(number) ? out.number(number) : writeOther(out, type, bytes, at);
      }
      case TYPE.date: {
        const ms = longNumber(bytes, at);
        if (Math.abs(ms) > LAST_DATE) return writeOther(out, type, bytes, at);
        return out.ascii(`"${new Date(ms).toISOString()}"`);
      }
      default:
        return writeOther(out, type, bytes, at);
    }
  };
}

export function valueWriter(type: ScalarType): ValueWriter {
  const convert = scalarOf(type).show?.({ textDates: false });
  if (convert === undefined || isJsonType(type)) return asStored(convert);
  return isJsonNumberType(type) ? asNumber(convert) : byObject(convert);
}

/** Keys, and values shown as text of digits. */
const asText =
  (writeOther: ValueWriter): ValueWriter =>
  (out, type, bytes, at) => {
    if (type === TYPE.string) out.string(bytes, at + 4, at + 3 + int32(bytes, at));
    else if (type === TYPE.int) out.ascii(`"${int32(bytes, at)}"`);
    else if (type === TYPE.objectId) out.ascii(`"${hexAt(bytes, at)}"`);
    else writeOther(out, type, bytes, at);
  };

/** For attributes of adopted collections. */
export const formWriter = (attribute: ScalarAttribute): ValueWriter =>
  isText(attribute) ? asText(byObject(textForm)) : asStored(jsonForm);

/** The text that names an adopted document, from its `_id`. */
export const writeKey = asText((out, type, bytes, at) =>
  out.text(JSON.stringify(keyText(decodeAt(type, bytes, at)))),
);
