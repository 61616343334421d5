/** Helpers for callers' values that several parts of the query language share. */
import { errors } from '../errors.js';
import { isPlainObject } from '../values/plain-object.js';
import type { RawObject, RawValue } from './ast.js';

/** `details` of an error about a root parameter. */
export const atRoot = (param: string) => ({ key: param, path: null, source: 'query', param });

/** The maximum number of values in one list of a filter. */
const longestList = 1000;

/**
 * A list: an array, or an object whose keys are all integers (as `qs` represents long lists), in the order of
 * the keys. Null for anything else. Throws a 400 for more than 1000 values.
 */
export function listOf(value: RawValue): readonly RawValue[] | null {
  const list = Array.isArray(value) ? value : hasIntegerKeys(value) ? Object.values(value) : null;
  if (list && list.length > longestList)
    throw errors.validation(
      'list-too-long',
      `Too many values (${list.length}) in a list. The maximum is ${longestList}.`,
    );
  return list;
}

export function hasIntegerKeys(value: RawValue): value is RawObject {
  if (!isPlainObject(value)) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => /^\d+$/.test(key));
}

/** A value for a message, cut to 80 characters. */
export function quote(value: RawValue): string {
  const text = typeof value === 'object' ? (JSON.stringify(value) ?? '') : String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
