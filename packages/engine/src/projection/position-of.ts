import type { Document } from 'bson';
import { compileFilter } from '../matching/compile-filter.js';
import { isOperators } from '../matching/operators.js';
import type { FilterOptions } from '../matching/options.js';
import { isArrayIndex, member } from '../values/paths.js';
import { isDocument } from '../values/types.js';

/** The position of the first array element that meets a condition at a path in it. */
function placeIn(
  array: readonly unknown[],
  rest: readonly string[],
  condition: unknown,
  options: FilterOptions,
): number | undefined {
  const [name] = rest;
  const test = compileFilter({ [['a', ...rest].join('.')]: condition }, options);
  // A number is a field name here; as a position it would select one element, whatever its value.
  const isNumber = name !== undefined && isArrayIndex(name);
  const place = array.findIndex((item) => {
    if (isNumber) return isDocument(item) && Object.hasOwn(item, name) && test({ a: item });
    return test({ a: [item] });
  });
  return place < 0 ? undefined : place;
}

/** Negations, which match without selecting an element. */
const NEGATIVE = new Set(['$not', '$ne', '$nin']);

/** A condition without its negations; undefined if nothing remains. */
function affirmed(condition: unknown): unknown {
  if (!isOperators(condition)) return condition;
  const kept = Object.entries(condition).filter(([name]) => !NEGATIVE.has(name));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** An `$or` of values for one field as `$in`; undefined for any other `$or`. */
function asIn(clauses: readonly Document[]): Document | undefined {
  const fields = new Set(clauses.flatMap((clause) => Object.keys(clause)));
  const [field] = fields;
  if (field === undefined || fields.size > 1 || field.startsWith('$')) return undefined;
  const values = clauses.map((clause) => clause[field]);
  const wanted = values.map((value) => (isOperators(value) ? value['$eq'] : value));
  const plain = values.every((value) => !isOperators(value) || Object.keys(value).join() === '$eq');
  return plain ? { [field]: { $in: wanted } } : undefined;
}

/** The position in the first array on a path that does not name an element. */
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
 * The position of the array element that matched the query, which `$` refers to. The last condition on an
 * array decides. Undefined if no condition is on an array.
 */
export function positionOf(
  filter: Document,
  document: Document,
  options: FilterOptions = {},
): number | undefined {
  let place: number | undefined;
  for (const [key, condition] of Object.entries(filter)) {
    if (key === '$and') {
      for (const clause of condition as Document[]) place = positionOf(clause, document, options) ?? place;
    } else if (key === '$or') {
      const one = (condition as Document[]).length === 1 ? (condition as Document[])[0] : asIn(condition);
      if (one !== undefined) place = positionOf(one, document, options) ?? place;
    } else if (!key.startsWith('$')) {
      const asked = affirmed(condition);
      if (asked !== undefined) place = positionInCondition(key, asked, document, options) ?? place;
    }
  }
  return place;
}
