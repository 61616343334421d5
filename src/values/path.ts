import { isDbRef } from './bson.js';
import { isObject } from './plain-object.js';

/**
 * The value at a dotted path of a stored document, traversing documents and lists as the server does.
 * Undefined if there is none.
 * @example valueAt({ a: [{ b: 1 }, { b: [2, 3] }, {}] }, 'a.b') // [1, 2, 3]
 */
export const valueAt = (document: unknown, path: string): unknown => valueAlong(document, path.split('.'));

/** Whether a part of a path names a member of a list. */
export const isPosition = (part: string | undefined): boolean => /^\d+$/.test(part ?? '');

/** The same with the names on the path. */
export function valueAlong(value: unknown, [first, ...rest]: readonly string[]): unknown {
  if (first === undefined) return value;
  if (Array.isArray(value)) {
    if (isPosition(first)) return valueAlong(value[Number(first)], rest);
    const found = value.map((item) => (Array.isArray(item) ? undefined : valueAlong(item, [first, ...rest])));
    const there = found.filter((item) => item !== undefined);
    return there.length === 0 ? undefined : there.flat();
  }
  if (isDbRef(value)) return valueAlong(value.toJSON(), [first, ...rest]);
  if (!isObject(value)) return undefined;
  return Object.hasOwn(value, first) ? valueAlong(value[first], rest) : undefined;
}
