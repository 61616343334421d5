import type { Document } from 'bson';
import { compileFilter } from '../matching/compile-filter.js';
import type { FilterOptions } from '../matching/options.js';
import { isArrayIndex, member } from '../values/paths.js';
import { isDocument } from '../values/types.js';

/** The array that a path meets first, and the path to it and beyond. */
function firstArray(
  document: Document,
  path: string,
): { array: unknown[]; head: string; rest: string } | undefined {
  const parts = path.split('.');
  let value: unknown = document;
  for (let i = 0; i <= parts.length; i++) {
    if (Array.isArray(value)) {
      const rest = parts.slice(i);
      // A path that names a place itself has no element to find.
      if (rest[0] !== undefined && isArrayIndex(rest[0])) return undefined;
      return { array: value, head: parts.slice(0, i).join('.'), rest: rest.join('.') };
    }
    if (!isDocument(value)) return undefined;
    value = member(value, parts[i] as string);
  }
  return undefined;
}

function positionInCondition(
  path: string,
  condition: unknown,
  document: Document,
  options: FilterOptions,
): number | undefined {
  const found = firstArray(document, path);
  if (found === undefined) return undefined;
  const elements = isDocument(condition) ? condition['$elemMatch'] : undefined;
  if (isDocument(elements) && found.rest === '') {
    const only = compileFilter({ a: { $elemMatch: elements } }, options);
    const place = found.array.findIndex((item) => only({ a: [item] }));
    return place < 0 ? undefined : place;
  }
  const name = found.rest === '' ? 'a' : `a.${found.rest}`;
  const test = compileFilter({ [name]: condition }, options);
  const place = found.array.findIndex((item) => test({ a: [item] }));
  return place < 0 ? undefined : place;
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
