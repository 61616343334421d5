import { fail } from '../errors.js';
import { compareBytewise } from '../values/collation.js';
import { toDouble } from '../values/numbers.js';
import { codePoints, indexOfText, splitText, TextSearch, type Units } from '../values/text-search.js';
import { bsonTypeOf, isInt32, isNullish, isNumeric } from '../values/types.js';
import { tickFor } from '../values/work.js';
import { type Argument, aNumber, anInt32, argument, aString, checkArgument, needed } from './argument.js';
import {
  binary,
  type Members,
  named,
  type Operator,
  type Operators,
  several,
  unary,
  variadic,
} from './operator.js';
import { textOfValue } from './text-of-value.js';

/** A value that string operators accept, as a string; null and missing are empty. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (isNullish(value)) return '';
  const hasText = isNumeric(value) || value instanceof Date || bsonTypeOf(value) === 'timestamp';
  return hasText ? textOfValue(value) : undefined;
}

/** The same. Throws 16007 for another type. */
function coerce(value: unknown): string {
  tickFor(value);
  return textOf(value) ?? fail(16007, `can't convert from BSON type ${bsonTypeOf(value)} to String`);
}

function concat(texts: Iterable<string>): string {
  let out = '';
  for (const text of texts) out += text;
  return out;
}

/** Changes the case of ASCII letters only, as MongoDB documents. */
const lower = (text: string): string => text.replace(/[A-Z]+/g, (part) => part.toLowerCase());
const upper = (text: string): string => text.replace(/[a-z]+/g, (part) => part.toUpperCase());

function split(text: string, separator: string): unknown {
  if (separator === '') fail(40087, '$split requires a non-empty separator');
  return splitText(text, separator);
}

const lengthOf = (measure: (text: string) => number, code: number): Operator =>
  unary(measure, needed(aString(code, '$op requires a string argument, found: $type')));

/** What string operators accept as a string. */
const COERCED = argument((value): value is unknown => textOf(value) !== undefined)(
  16007,
  "can't convert from BSON type $type to String",
);

const WHERE = (code: number, what: string): Argument<unknown> =>
  needed(
    anInt32(
      code,
      `$op: ${what} must be a numeric type (is BSON type $type)`,
      `$op: ${what} cannot be represented as a 32-bit integral value: $number`,
    ),
  );

const BYTES = (code: number, what: string): Argument<unknown> =>
  needed(aNumber(code, `$substrBytes:  ${what} must be a numeric type (is BSON type $type)`));

/** `$substrCP`: a number of code points, from a code point. */
const substringOfPoints = several(
  3,
  ([value, start, count]) => {
    const from = toDouble(start);
    const length = toDouble(count);
    if (length < 0) fail(34454, '$substrCP: length must be a nonnegative integer.');
    if (from < 0) fail(34455, '$substrCP: the starting index must be nonnegative integer.');
    return [...coerce(value)].slice(from, from + length).join('');
  },
  [COERCED, WHERE(34450, 'starting index'), WHERE(34452, 'length')],
);

/** `$substrBytes`: a number of bytes, from a byte; a negative length takes the rest. */
const substringOfBytes = several(
  3,
  ([value, start, count]) => {
    const bytes = Buffer.from(coerce(value), 'utf8');
    const [from, length] = [start, count].map((number) => Math.trunc(toDouble(number))) as [number, number];
    if (from < 0) fail(50752, `$substrBytes: starting index must be non-negative (got: ${from})`);
    const isContinuation = (at: number): boolean => ((bytes[at] ?? 0) & 0xc0) === 0x80;
    if (isContinuation(from))
      fail(28656, '$substrBytes:  Invalid range, starting index is a UTF-8 continuation byte.');
    const to = length < 0 ? bytes.length : from + length;
    if (isContinuation(to))
      fail(28657, '$substrBytes:  Invalid range, ending index is in the middle of a UTF-8 character.');
    return bytes.toString('utf8', from, to);
  },
  [COERCED, BYTES(16034, 'starting index'), BYTES(16035, 'length')],
);

const INDEX = argument((value): value is unknown => isInt32(toDouble(value)))(
  40096,
  '$op requires an integral index, found a value of type: $type',
);

/** A position at which a search begins or ends; the start or end of the string by default. */
function boundOf(value: unknown, otherwise: number, name: string): number {
  if (isNullish(value)) return otherwise;
  checkArgument(INDEX, value, name);
  return toDouble(value);
}

type Search = [text: string, part: string, start?: unknown, end?: unknown];

/** `$indexOfCP` and `$indexOfBytes`: a position counted in units of the string. */
const indexOf = (unitsOf: (text: string) => Units, codes: readonly [number, number]): Operator =>
  several<Search>(
    [2, 4],
    ([text, part, start, end], name) => {
      const units = unitsOf(text);
      const from = boundOf(start, 0, name);
      const to = Math.min(boundOf(end, units.length, name), units.length);
      if (from < 0 || to < 0) fail(40097, `${name} requires a nonnegative index`);
      return new TextSearch(unitsOf(part)).find(units.subarray(0, to), from);
    },
    [
      aString(codes[0], '$op requires a string as the first argument, found: $type'),
      needed(aString(codes[1], '$op requires a string as the second argument, found: $type')),
    ],
  );

const SPACES = '\0 \t\n\v\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a';

const TRIM: Members = {
  object: 50696,
  unknown: 50694,
  missing: 50695,
  required: ['input'],
  optional: ['chars'],
  nulls: ['input', 'chars'],
  types: {
    input: aString(50699, '$op requires its input to be a string, got $type'),
    chars: aString(50700, "$op requires 'chars' to be a string, got $type"),
  },
};

/** `$trim`, `$ltrim`, `$rtrim`. */
function trim(left: boolean, right: boolean): Operator {
  return named(TRIM, ({ input, chars = SPACES }) => {
    const set = new Set(chars);
    const points = [...input];
    let from = 0;
    let to = points.length;
    while (left && from < to && set.has(points[from] as string)) from += 1;
    while (right && to > from && set.has(points[to - 1] as string)) to -= 1;
    return points.slice(from, to).join('');
  });
}

const REPLACE: Members = {
  object: 51751,
  unknown: 51750,
  required: ['input', 'find', 'replacement'],
  missing: [51749, 51748, 51747],
  types: {
    input: aString(51746, "$op requires that 'input' be a string, found: $type"),
    find: aString(51745, "$op requires that 'find' be a string, found: $type"),
    replacement: aString(51744, "$op requires that 'replacement' be a string, found: $type"),
  },
};
function replace(all: boolean): Operator {
  return named(REPLACE, ({ input, find, replacement }) => {
    if (isNullish(input) || isNullish(find) || isNullish(replacement)) return null;
    if (all && find !== '') return splitText(input, find).join(replacement);
    if (all) return input.replaceAll('', () => replacement);
    const at = indexOfText(input, find);
    return at < 0 ? input : input.slice(0, at) + replacement + input.slice(at + find.length);
  });
}

/** Operators on strings. */
export const STRINGS: Operators = {
  $concat: variadic(concat, aString(16702, '$op only supports strings, not $type')),
  $toLower: unary((value) => lower(coerce(value))),
  $toUpper: unary((value) => upper(coerce(value))),
  $strcasecmp: binary((a, b) => Math.sign(compareBytewise(upper(coerce(a)), upper(coerce(b))))),
  $split: binary(split, [
    aString(40085, '$op requires an expression that evaluates to a string as a first argument, found: $type'),
    aString(
      40086,
      '$op requires an expression that evaluates to a string as a second argument, found: $type',
    ),
  ]),
  $strLenCP: lengthOf((text) => codePoints(text).length, 34471),
  $strLenBytes: lengthOf((text) => Buffer.byteLength(text, 'utf8'), 34473),
  $substrCP: substringOfPoints,
  $substrBytes: substringOfBytes,
  $substr: substringOfBytes,
  $indexOfCP: indexOf(codePoints, [40093, 40094]),
  $indexOfBytes: indexOf((text) => Buffer.from(text, 'utf8'), [40091, 40092]),
  $trim: trim(true, true),
  $ltrim: trim(true, false),
  $rtrim: trim(false, true),
  $replaceOne: replace(false),
  $replaceAll: replace(true),
};
