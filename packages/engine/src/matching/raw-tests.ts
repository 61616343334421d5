import type { Collation } from '../values/collation.js';
import { isSimpleCollation } from '../values/collation.js';
import { readStringAt } from '../values/decode.js';
import { FarDate } from '../values/far-date.js';
import { type Numeric, type NumericType, nearestDouble, readNumber } from '../values/numbers.js';
import { doubleAt, isExactly, isNumberType, orderOfDoubles } from '../values/order-at.js';
import type { Pattern } from '../values/regex.js';
import {
  BOOLEAN,
  DATE,
  DECIMAL,
  DOUBLE,
  INT,
  LONG,
  NULL,
  REGEX,
  STRING,
  SYMBOL,
  UNDEFINED_TYPE,
} from '../values/type-bytes.js';
import { UNDEFINED } from '../values/types.js';
import type { RawTest } from './tests.js';

const NUMBER_TYPES: Readonly<Record<NumericType, number>> = {
  int: INT,
  long: LONG,
  double: DOUBLE,
  decimal: DECIMAL,
};

type Holds = (order: number) => boolean;

/** Numbers as doubles, exact or close; undefined if none is close to the limit, as for NaN. */
function number(limit: Numeric, holds: Holds): RawTest | undefined {
  const wanted = nearestDouble(limit);
  if (Number.isNaN(wanted)) return undefined;
  const isExact = isExactly(NUMBER_TYPES[limit.type], wanted);
  return (bytes, type, at) => {
    if (!isNumberType(type)) return false;
    const value = doubleAt(bytes, type, at);
    const order = orderOfDoubles(value, wanted, isExact && isExactly(type, value));
    return order === undefined ? undefined : holds(order);
  };
}

/** Strings by byte order. */
function string(wanted: string, holds: Holds): RawTest {
  const encoded = Buffer.from(wanted, 'utf8');
  return (bytes, type, at) => {
    if (type === SYMBOL) return undefined;
    if (type !== STRING) return false;
    const start = at + 4;
    const end = start + bytes.readInt32LE(at) - 1;
    return holds(bytes.compare(encoded, 0, encoded.length, start, end));
  };
}

function sameString(wanted: string): RawTest {
  const encoded = Buffer.from(wanted, 'utf8');
  const { length } = encoded;
  return (bytes, type, at) => {
    if (type === SYMBOL) return undefined;
    if (type !== STRING || bytes.readInt32LE(at) !== length + 1) return false;
    for (let i = 0; i < length; i++) if (bytes[at + 4 + i] !== encoded[i]) return false;
    return true;
  };
}

const date =
  (wanted: number, holds: Holds): RawTest =>
  (bytes, type, at) => {
    if (type !== DATE) return false;
    const value = bytes.readInt32LE(at + 4) * 0x1_0000_0000 + bytes.readUInt32LE(at);
    return holds(value - wanted);
  };

const nothing: RawTest = (_bytes, type) => type === NULL || type === UNDEFINED_TYPE;

/** The byte test of `$eq`; undefined for values that have none. */
export function rawEqual(wanted: unknown, collation: Collation | undefined): RawTest | undefined {
  if (wanted === null || wanted === undefined) return nothing;
  if (wanted === UNDEFINED) return undefined;
  if (typeof wanted === 'string') return isSimpleCollation(collation) ? sameString(wanted) : undefined;
  if (typeof wanted === 'boolean')
    return (bytes, type, at) => type === BOOLEAN && (bytes[at] === 1) === wanted;
  return rawRange(wanted, collation, (order) => order === 0);
}

/** The byte test of a range over strings, numbers and dates; undefined for other limits. */
export function rawRange(
  limit: unknown,
  collation: Collation | undefined,
  holds: Holds,
): RawTest | undefined {
  if (typeof limit === 'string') return isSimpleCollation(collation) ? string(limit, holds) : undefined;
  if (limit instanceof Date) return limit instanceof FarDate ? undefined : date(limit.getTime(), holds);
  const numeric = readNumber(limit);
  return numeric === undefined ? undefined : number(numeric, holds);
}

/** The number of values of an `$in` that are compared one by one; more are looked up. */
const MOST_WANTED = 8;

/** The byte test of `$in`; undefined for lists that are long or contain values without one. */
export function rawIn(list: readonly unknown[], collation: Collation | undefined): RawTest | undefined {
  const tests = list.map((wanted) => rawEqual(wanted, collation));
  if (list.length > MOST_WANTED || !tests.every((test) => test !== undefined)) return undefined;
  return (bytes, type, at) => {
    let holds: boolean | undefined = false;
    for (const test of tests) {
      const known = test(bytes, type, at);
      if (known === true) return true;
      if (known === undefined) holds = undefined;
    }
    return holds;
  };
}

/** The byte test of a pattern: only strings are decoded. */
export const rawPattern =
  (pattern: Pattern): RawTest =>
  (bytes, type, at) => {
    if (type === STRING) return pattern.test(readStringAt(bytes, at));
    return type === REGEX ? undefined : false;
  };

/** Every value that is present. */
export const rawPresent: RawTest = () => true;
