/**
 * Stored scalars as JSON. Each writer knows the types that its attribute is stored as by itself, and gives all others to the rule of
 * objects: read the value, show it, stringify it. So what is written is the same by either way.
 */
import type { Buffer } from 'node:buffer';
import { type ScalarType, scalarOf } from '../../schema/scalars/index.js';
import type { WrittenForm } from '../../schema/scalars/scalar.js';
import { int32, TYPE, valueAt } from '../../values/bson-bytes.js';
import { decimalNumber, doubleAt, longNumber, longText } from './numbers.js';
import { NULL, type Output } from './output.js';
import { plainWriter } from './plain.js';

/** Writes the value of this type at `at`. */
export type ValueWriter = (out: Output, type: number, bytes: Buffer, at: number) => void;

/** A stored value as the answer has it, which JSON then writes; undefined: as it is. */
export type Convert = ((value: unknown) => unknown) | undefined;

/** By the rule of objects. */
const byObject =
  (convert: Convert): ValueWriter =>
  (out, type, bytes, at) => {
    const value = valueAt(type, bytes, at) ?? null;
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

/** `wide`: 64-bit integers and decimals are shown as numbers. */
const asJson =
  (wide: boolean) =>
  (convert: Convert): ValueWriter => {
    const writePlain = plainWriter(wide);
    const writeOther = byObject(convert);
    return (out, type, bytes, at) => {
      const { at: begin } = out;
      if (writePlain(out, type, bytes, at)) return;
      out.at = begin;
      writeOther(out, type, bytes, at);
    };
  };

const asStored = asJson(false)(undefined);

const WRITERS: Readonly<Record<WrittenForm, (convert: Convert) => ValueWriter>> = {
  number: asNumber,
  digits: asDigits,
  milliseconds: asMilliseconds,
  json: asJson(true),
};

/** @param convert what the type's `show` gives for answers as JSON */
export function valueWriter(type: ScalarType, convert: Convert): ValueWriter {
  if (convert === undefined) return asStored;
  const { written } = scalarOf(type);
  if (written) return WRITERS[written](convert);
  return byObject(convert);
}
