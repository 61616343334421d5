import { fail } from '../errors.js';
import { compareBytewise } from '../values/collation.js';
import { toDouble } from '../values/numbers.js';
import { bsonTypeOf, isInt32, isNullish, isNumeric } from '../values/types.js';
import { aString, needed } from './argument.js';
import { binary, named, type Operator, type Operators, several, unary, variadic } from './operator.js';
import { textOfValue } from './text-of-value.js';

/** The text of a value that string operators accept; null and missing are empty. */
function coerce(value: unknown): string {
  if (typeof value === 'string') return value;
  if (isNullish(value)) return '';
  const text =
    isNumeric(value) || value instanceof Date || bsonTypeOf(value) === 'timestamp'
      ? textOfValue(value)
      : undefined;
  return text ?? fail(16007, `can't convert from BSON type ${bsonTypeOf(value)} to String`);
}

function concat(texts: Iterable<string>): string {
  let out = '';
  for (const text of texts) out += text;
  return out;
}

/** Cases of ASCII letters only, as MongoDB documents. */
const lower = (text: string): string => text.replace(/[A-Z]+/g, (part) => part.toLowerCase());
const upper = (text: string): string => text.replace(/[a-z]+/g, (part) => part.toUpperCase());

function split(text: string, separator: string): unknown {
  if (separator === '') fail(40087, '$split requires a non-empty separator');
  return text.split(separator);
}

const lengthOf = (measure: (text: string) => number, code: number): Operator =>
  unary(measure, needed(aString(code, '$op requires a string argument, found:')));

const integer = (value: unknown, code: number, what: string): number => {
  if (!isNumeric(value)) fail(code, `${what} must be a numeric type (is BSON type ${bsonTypeOf(value)})`);
  return Math.trunc(toDouble(value));
};

/** A 32-bit integer. Throws the code for anything but a number, and the next one for another number. */
const int32 = (value: unknown, code: number, what: string): number => {
  const number = integer(value, code, what);
  if (number !== toDouble(value) || !isInt32(number))
    fail(code + 1, `${what} cannot be represented as a 32-bit integral value: ${toDouble(value)}`);
  return number;
};

/** A place that a search begins or ends at. */
function boundOf(value: unknown, name: string): number {
  const place = toDouble(value);
  if (!isInt32(place))
    fail(40096, `${name} requires an integral index, found a value of type: ${bsonTypeOf(value)}`);
  return place;
}

/** `$substrCP`: from a code point, as many code points. */
function substringOfPoints(values: readonly unknown[]): string {
  const [value, start, count] = values;
  const text = coerce(value);
  const from = int32(start, 34450, '$substrCP: starting index');
  const length = int32(count, 34452, '$substrCP: length');
  if (length < 0) fail(34454, '$substrCP: length must be a nonnegative integer.');
  if (from < 0) fail(34455, '$substrCP: the starting index must be nonnegative integer.');
  return [...text].slice(from, from + length).join('');
}

/** `$substrBytes`: from a byte, as many bytes; a negative length takes the rest. */
function substringOfBytes(values: readonly unknown[]): string {
  const [value, start, count] = values;
  const bytes = Buffer.from(coerce(value), 'utf8');
  const from = integer(start, 16034, '$substrBytes:  starting index');
  const length = integer(count, 16035, '$substrBytes:  length');
  if (from < 0) fail(50752, `$substrBytes: starting index must be non-negative (got: ${from})`);
  const isContinuation = (at: number): boolean => ((bytes[at] ?? 0) & 0xc0) === 0x80;
  if (isContinuation(from))
    fail(28656, '$substrBytes:  Invalid range, starting index is a UTF-8 continuation byte.');
  const to = length < 0 ? bytes.length : from + length;
  if (isContinuation(to))
    fail(28657, '$substrBytes:  Invalid range, ending index is in the middle of a UTF-8 character.');
  return bytes.toString('utf8', from, to);
}

/** `$indexOfCP` and `$indexOfBytes`: a place counted in units of the text. */
function indexOf(unitsOf: (text: string) => ArrayLike<unknown>, codes: readonly [number, number]): Operator {
  return several([2, 4], ([text, part, start, end], name) => {
    if (isNullish(text)) return null;
    if (typeof text !== 'string')
      return fail(codes[0], `${name} requires a string as the first argument, found: ${bsonTypeOf(text)}`);
    if (typeof part !== 'string')
      return fail(codes[1], `${name} requires a string as the second argument, found: ${bsonTypeOf(part)}`);
    const units = Array.from(unitsOf(text));
    const wanted = Array.from(unitsOf(part));
    const from = isNullish(start) ? 0 : boundOf(start, name);
    const to = Math.min(isNullish(end) ? units.length : boundOf(end, name), units.length);
    if (from < 0 || to < 0) fail(40097, `${name} requires a nonnegative index`);
    for (let at = from; at + wanted.length <= to; at++) {
      if (wanted.every((unit, i) => unit === units[at + i])) return at;
    }
    return -1;
  });
}

const SPACES = '\0 \t\n\v\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a';

/** `$trim`, `$ltrim`, `$rtrim`. */
function trim(left: boolean, right: boolean): Operator {
  const spec = { required: ['input'], optional: ['chars'], object: 50696, unknown: 50694, missing: 50695 };
  return named(spec, (values, name) => {
    const { input, chars = SPACES } = values;
    if (isNullish(input) || chars === null || ('chars' in values && values['chars'] === undefined))
      return null;
    if (typeof input !== 'string')
      fail(50699, `${name} requires its input to be a string, got ${bsonTypeOf(input)}`);
    if (typeof chars !== 'string')
      fail(50700, `${name} requires 'chars' to be a string, got ${bsonTypeOf(chars)}`);
    const set = new Set(chars);
    const points = [...(input as string)];
    let from = 0;
    let to = points.length;
    while (left && from < to && set.has(points[from] as string)) from += 1;
    while (right && to > from && set.has(points[to - 1] as string)) to -= 1;
    return points.slice(from, to).join('');
  });
}

const REPLACE = {
  required: ['input', 'find', 'replacement'],
  object: 51751,
  unknown: 51750,
  missing: [51749, 51748, 51747],
  types: {
    input: aString(51746, "$op requires that 'input' be a string, found:"),
    find: aString(51745, "$op requires that 'find' be a string, found:"),
    replacement: aString(51744, "$op requires that 'replacement' be a string, found:"),
  },
};
function replace(all: boolean): Operator {
  return named(REPLACE, ({ input, find, replacement }) => {
    if (isNullish(input) || isNullish(find) || isNullish(replacement)) return null;
    return all ? input.replaceAll(find, () => replacement) : input.replace(find, () => replacement);
  });
}

/** Operators on strings. */
export const STRINGS: Operators = {
  $concat: variadic(concat, aString(16702, '$op only supports strings, not')),
  $toLower: unary((value) => lower(coerce(value))),
  $toUpper: unary((value) => upper(coerce(value))),
  $strcasecmp: binary((a, b) => Math.sign(compareBytewise(upper(coerce(a)), upper(coerce(b))))),
  $split: binary(split, [
    aString(40085, '$op requires an expression that evaluates to a string as a first argument, found:'),
    aString(40086, '$op requires an expression that evaluates to a string as a second argument, found:'),
  ]),
  $strLenCP: lengthOf((text) => [...text].length, 34471),
  $strLenBytes: lengthOf((text) => Buffer.byteLength(text, 'utf8'), 34473),
  $substrCP: several([3, 3], substringOfPoints),
  $substrBytes: several([3, 3], substringOfBytes),
  $substr: several([3, 3], substringOfBytes),
  $indexOfCP: indexOf((text) => [...text], [40093, 40094]),
  $indexOfBytes: indexOf((text) => Buffer.from(text, 'utf8'), [40091, 40092]),
  $trim: trim(true, true),
  $ltrim: trim(true, false),
  $rtrim: trim(false, true),
  $replaceOne: replace(false),
  $replaceAll: replace(true),
};
