import type { Document } from 'bson';
import { fail } from '../errors.js';
import { isArrayIndex, member } from './paths.js';
import { isDocument, UNDEFINED } from './types.js';

interface Pending {
  readonly field: number;
  readonly value: unknown;
  readonly rest: readonly string[];
}

/** A number in a path is either the index of an element or the name of a field, not both. */
function checkAmbiguous(array: readonly unknown[], name: string): void {
  if (array.some((item) => isDocument(item) && member(item, name) !== undefined)) {
    fail(
      16746,
      `Ambiguous field name found in array (do not use numeric field names in embedded elements in an array), field: '${name}'`,
    );
  }
}

/** Where a path leads before it meets an array: the array and the rest of the path, or the final value. */
function descend(value: unknown, rest: readonly string[]): { value: unknown; rest: readonly string[] } {
  let current = value;
  let at = 0;
  while (at < rest.length) {
    const name = rest[at] as string;
    if (Array.isArray(current)) {
      if (!isArrayIndex(name) || Number(name) >= current.length) break;
      checkAmbiguous(current, name);
      current = current[Number(name)];
    } else {
      current = isDocument(current) ? member(current, name) : undefined;
      if (current === undefined) return { value: null, rest: [] };
    }
    at += 1;
  }
  return { value: current, rest: rest.slice(at) };
}

function expand(pending: readonly Pending[], key: readonly unknown[], out: unknown[][]): void {
  const next = [...key];
  const arrays: Pending[] = [];
  for (const item of pending) {
    const { value, rest } = descend(item.value, item.rest);
    if (Array.isArray(value)) arrays.push({ field: item.field, value, rest });
    else next[item.field] = value === UNDEFINED ? null : value;
  }
  const first = arrays[0];
  if (first === undefined) {
    out.push(next);
    return;
  }
  if (arrays.some((item) => item.value !== first.value)) {
    fail('CannotIndexParallelArrays', 'cannot index parallel arrays');
  }
  const array = first.value as unknown[];
  if (array.length === 0) {
    for (const item of arrays) next[item.field] = item.rest.length === 0 ? undefined : null;
    out.push(next);
    return;
  }
  for (const element of array) expandElement(element, arrays, next, out);
}

/** One element of an array, which several fields of the index may share. */
function expandElement(
  element: unknown,
  arrays: readonly Pending[],
  key: readonly unknown[],
  out: unknown[][],
): void {
  const next = [...key];
  const deeper: Pending[] = [];
  for (const { field, rest } of arrays) {
    if (rest.length === 0) next[field] = element === UNDEFINED ? null : (element ?? null);
    else if (isDocument(element)) deeper.push({ field, value: element, rest });
    else next[field] = null;
  }
  if (deeper.length === 0) out.push(next);
  else expand(deeper, next, out);
}

/**
 * The keys of a document in an index on some paths: one for a plain document, one for each element if a path leads through an
 * array. Missing is null, an empty array `undefined`. Two different arrays in one document throw CannotIndexParallelArrays. Keys
 * may repeat. BSON's undefined is indexed as null, which finds it too.
 */
export function indexKeys(document: Document, paths: readonly string[]): unknown[][] {
  const out: unknown[][] = [];
  const pending = paths.map((path, field) => ({ field, value: document as unknown, rest: path.split('.') }));
  expand(pending, new Array(paths.length).fill(null), out);
  return out;
}
