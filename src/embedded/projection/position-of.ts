import type { Document } from 'bson';
import { compileFilter } from '../matching/compile-filter.js';
import type { FilterOptions } from '../matching/options.js';
import { isArrayIndex, member } from '../values/paths.js';
import { isDocument } from '../values/types.js';

/** The first element of an array that meets a condition at a path within it. */
function placeIn(
  array: readonly unknown[],
  rest: readonly string[],
  condition: unknown,
  options: FilterOptions,
): number | undefined {
  const [name] = rest;
  const test = compileFilter({ [['a', ...rest].join('.')]: condition }, options);
  // A number is the name of a member here: as a place it leads to one element, whatever it holds.
  const isNumber = name !== undefined && isArrayIndex(name);
  const place = array.findIndex((item) => {
    if (isNumber) return isDocument(item) && Object.hasOwn(item, name) && test({ a: item });
    return test({ a: [item] });
  });
  return place < 0 ? undefined : place;
}

/** The place in the first array that a path runs through without naming the element. */
function positionInCondition(
  path: string,
  condition: unknown,
  document: Document,
  options: FilterOptions,
): number | undefined {
  const parts = path.split('.');
  let value: unknown = document;
  for (let i = 0; i <= parts.length; i++) {
    const name = parts[i];
    if (Array.isArray(value)) {
      const place = placeIn(value, parts.slice(i), condition, options);
      if (place !== undefined || name === undefined || !isArrayIndex(name)) return place;
      value = value[Number(name)];
    } else if (isDocument(value) && name !== undefined) value = member(value, name);
    else return undefined;
  }
  return undefined;
}

/**
 * The place of the array element by which a document matched its query, which `$` stands for: the last condition on an
 * array decides. Undefined where the query names no array of the document.
 */
export function positionOf(
  filter: Document,
  document: Document,
  options: FilterOptions = {},
): number | undefined {
  let place: number | undefined;
  for (const [key, condition] of Object.entries(filter)) {
    if (key === '$and' || key === '$or') {
      for (const clause of condition as Document[]) {
        if (key === '$or' && !compileFilter(clause, options)(document)) continue;
        place = positionOf(clause, document, options) ?? place;
        if (key === '$or' && place !== undefined) break;
      }
    } else if (!key.startsWith('$')) place = positionInCondition(key, condition, document, options) ?? place;
  }
  return place;
}
