/** Small readings of callers' values that several parts of the query language share. */
import { errors } from '../errors.js';
import type { RawObject, RawValue } from './ast.js';

/** A plain object: not an array, a date or a BSON value. */
export function isRecord(value: RawValue): value is RawObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

export const isAbsent = (value: RawValue): value is null | undefined => value === null || value === undefined;

/** The most values that one list of a filter may hold (rules 0.4, row 4). */
const longestList = 1000;

/**
 * A list: an array, or an object whose keys are all integers (what `qs` makes of long lists), in the order of the keys.
 * Null for anything else. 400 for more than 1000 values.
 */
export function listOf(value: RawValue): readonly RawValue[] | null {
  const list = Array.isArray(value) ? value : hasIntegerKeys(value) ? Object.values(value) : null;
  if (list && list.length > longestList)
    throw errors.validation(`Too many values (${list.length}) in a list. The maximum is ${longestList}.`);
  return list;
}

export function hasIntegerKeys(value: RawValue): value is RawObject {
  if (!isRecord(value)) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => /^\d+$/.test(key));
}

const words = new Map<RawValue, boolean>([
  ['true', true],
  ['t', true],
  ['1', true],
  [1, true],
  [true, true],
  ['false', false],
  ['f', false],
  ['0', false],
  [0, false],
  [false, false],
]);

/** `true`, `t`, `1` and `false`, `f`, `0`; undefined for anything else. */
export const readBoolean = (value: RawValue): boolean | undefined => words.get(value);

/** As `readBoolean`; any other value is true unless it is empty (rules B.4). */
export const forceBoolean = (value: RawValue): boolean => readBoolean(value) ?? Boolean(value);

/** How a value is quoted in a message; never longer than a line. */
export function quote(value: RawValue): string {
  const text = typeof value === 'object' ? (JSON.stringify(value) ?? '') : String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
