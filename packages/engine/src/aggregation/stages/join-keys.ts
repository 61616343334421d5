import type { Document } from 'bson';
import type { Scope } from '../../expressions/scope.js';
import { matchPath } from '../../matching/match-path.js';
import { PAUSE, type Paced } from '../../values/pace.js';
import { memberGetter } from '../../values/paths.js';
import { isRegex } from '../../values/regex.js';
import { isDocument, isNullish, UNDEFINED } from '../../values/types.js';
import { isTurnOver, tick } from '../../values/work.js';

/** A path component that is an index if the value is an array. */
const PLACE = /^(?:0|[1-9]\d*)$/;

/**
 * The values at a join's local path: for arrays their elements, also for documents inside arrays, or the element at the index in
 * the path; null if there are none.
 */
export function localValues(path: string): (document: Document) => readonly unknown[] {
  const parts = path.split('.');
  const getters = parts.map(memberGetter);
  const places = parts.map((part) => (PLACE.test(part) ? Number(part) : undefined));
  const visit = (value: unknown, at: number, out: unknown[]): void => {
    const get = getters[at];
    if (get === undefined) {
      if (Array.isArray(value)) {
        for (const item of value) {
          tick();
          out.push(item === UNDEFINED ? null : item);
        }
      } else if (value !== undefined) out.push(value === UNDEFINED ? null : value);
    } else if (isDocument(value)) visit(get(value), at + 1, out);
    else if (Array.isArray(value)) {
      const place = places[at];
      if (place !== undefined) visit(value[place], at + 1, out);
      else
        for (const item of value) {
          tick();
          if (isDocument(item)) visit(item, at, out);
        }
    }
  };
  return (document) => {
    const out: unknown[] = [];
    visit(document, 0, out);
    return out.length === 0 ? [null] : out;
  };
}

/** The filter that matches documents whose foreign path has one of some values. */
export function joinFilter(path: string, values: readonly unknown[]): Document {
  const [only] = values;
  if (values.length === 1) return { [path]: { $eq: only } };
  const plain = values.filter((value) => !isRegex(value));
  if (plain.length === values.length) return { [path]: { $in: values } };
  // Inside `$in` a regular expression would be a pattern.
  return {
    $or: [{ [path]: { $in: plain } }, ...values.filter(isRegex).map((value) => ({ [path]: { $eq: value } }))],
  };
}

/** Documents by the values at a path, so that each value finds its documents in their original order. */
export class JoinTable {
  readonly #places = new Map<unknown, number[]>();
  readonly #scope: Scope;

  private constructor(scope: Scope) {
    this.#scope = scope;
  }

  static *of(documents: readonly Document[], path: string, scope: Scope): Paced<JoinTable> {
    const table = new JoinTable(scope);
    const places = table.#places;
    let place = 0;
    let last: unknown;
    const visit = matchPath(path, (value) => {
      const key = scope.hash(isNullish(value) ? null : value);
      const known = places.get(key);
      last = known?.at(-1);
      if (known === undefined) places.set(key, [place]);
      else if (last !== place) known.push(place);
      return false;
    });
    for (; place < documents.length; place++) {
      visit(documents[place] as Document);
      if (isTurnOver()) yield PAUSE;
    }
    return table;
  }

  /** The positions of the documents that contain any of some values, in order. */
  find(values: readonly unknown[]): readonly number[] {
    if (values.length === 1) return this.#places.get(this.#scope.hash(values[0])) ?? [];
    const found = new Set<number>();
    for (const value of values)
      for (const place of this.#places.get(this.#scope.hash(value)) ?? []) found.add(place);
    return [...found].sort((a, b) => a - b);
  }
}
