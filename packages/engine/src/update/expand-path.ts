import type { Document } from 'bson';
import { fail } from '../errors.js';
import { compileFilter } from '../matching/compile-filter.js';
import { NOT_OF_ELEMENTS, refuseConditions } from '../matching/refuse-conditions.js';
import { positionOf } from '../projection/position-of.js';
import { rootOf } from '../values/paths.js';
import { shellText } from '../values/shell-text.js';
import { childOf } from './draft.js';
import type { UpdateOptions } from './options.js';

/** Turns a path with `$`, `$[]` and `$[name]` into the concrete paths that it means in a document. */
type ExpandPath = (document: Document) => readonly (readonly string[])[];

type TestElement = (element: unknown) => boolean;

/** The names that an array filter's conditions begin with. */
function namesOf(filter: Document): string[] {
  return Object.entries(filter).flatMap(([key, condition]) => {
    if (!key.startsWith('$')) return [rootOf(key)];
    return Array.isArray(condition) ? condition.flatMap((clause) => namesOf(clause)) : [];
  });
}

/** Compiles `arrayFilters` by the name that each uses. */
export function compileArrayFilters(options: UpdateOptions): Map<string, TestElement> {
  const out = new Map<string, TestElement>();
  for (const filter of options.arrayFilters ?? []) {
    refuseConditions(filter, NOT_OF_ELEMENTS);
    const test = compileFilter(filter, { collation: options.collation });
    const [name, ...others] = [...new Set(namesOf(filter))];
    if (name === undefined)
      fail('FailedToParse', 'Cannot use an expression without a top-level field name in arrayFilters');
    if (others.length > 0)
      fail(
        'FailedToParse',
        `Error parsing array filter :: caused by :: Expected a single top-level field name, found '${name}' and '${others[0]}'`,
      );
    if (!/^[a-z][a-zA-Z0-9]*$/.test(name))
      fail(
        'BadValue',
        `Error parsing array filter :: caused by :: The top-level field name must be an alphanumeric string beginning with a lowercase letter, found '${name}'`,
      );
    if (out.has(name))
      fail('FailedToParse', `Found multiple array filters with the same top-level field name ${name}`);
    out.set(name, (element) => test({ [name]: element }));
  }
  return out;
}

const FILTERED = /^\$\[(.*)\]$/;

/** Names of the array filters that a path uses. */
export const filterNames = (path: string): string[] =>
  path.split('.').flatMap((part) => FILTERED.exec(part)?.[1] || []);

function expand(
  value: unknown,
  parts: readonly string[],
  filters: ReadonlyMap<string, TestElement>,
): string[][] {
  const at = parts.findIndex((part) => FILTERED.test(part));
  if (at < 0) return [[...parts]];
  const head = parts.slice(0, at);
  const array = head.reduce((inner, part) => childOf(inner, part), value);
  const path = head.join('.');
  if (array === undefined)
    return fail('BadValue', `The path '${path}' must exist in the document in order to apply array updates.`);
  if (!Array.isArray(array))
    return fail('BadValue', `Cannot apply array updates to non-array element ${path}: ${shellText(array)}`);
  const name = FILTERED.exec(parts[at] as string)?.[1] as string;
  const test = name === '' ? () => true : (filters.get(name) as TestElement);
  return array.flatMap((element, i) => {
    if (!test(element)) return [];
    return expand(element, parts.slice(at + 1), filters).map((rest) => [...head, String(i), ...rest]);
  });
}

/** Compiles a path of an update. Throws BadValue for a name without an array filter. */
export function compilePathOf(
  path: string,
  filters: ReadonlyMap<string, TestElement>,
  options: UpdateOptions,
): ExpandPath {
  for (const name of filterNames(path)) {
    if (!filters.has(name))
      fail('BadValue', `No array filter found for identifier '${name}' in path '${path}'`);
  }
  const parts = path.split('.');
  if (!path.includes('$')) return () => [parts];
  return (document) => {
    const place = parts.includes('$') ? positionOf(options.filter ?? {}, document, options) : undefined;
    if (parts.includes('$') && place === undefined) {
      fail('BadValue', 'The positional operator did not find the match needed from the query.');
    }
    const concrete = parts.map((part) => (part === '$' ? String(place) : part));
    return expand(document, concrete, filters);
  };
}
