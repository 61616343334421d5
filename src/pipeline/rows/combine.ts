/** And, or and not of match documents. Keeps them flat, since servers plan a single merged `$match` best. */
import { isPlainObject } from '../../values/plain-object.js';
import type { Match, Step } from '../types.js';

export const ALWAYS: Match = Object.freeze({});
/** Matches no entry. */
export const NEVER: Match = Object.freeze({ _id: Object.freeze({ $in: Object.freeze([]) }) });

export const isAlways = (match: Match): boolean => Object.keys(match).length === 0;
export const isNever = (match: Match): boolean => match === NEVER;

/** Matches if all do. The keys are merged into one document if none occurs twice. */
export function allMatch(list: readonly Match[]): Match {
  const parts = list.filter((match) => !isAlways(match)).flatMap(conjuncts);
  if (parts.some(isNever)) return NEVER;
  return fuse(parts) ?? { $and: parts };
}

/** Matches if any does. */
export function anyMatch(list: readonly Match[]): Match {
  const parts = list.filter((match) => !isNever(match)).flatMap(alternatives);
  if (parts.some(isAlways)) return ALWAYS;
  if (parts.length === 0) return NEVER;
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : { $or: parts };
}

/** Matches if `match` does not, including null and missing values, unlike a negated test. */
export function not(match: Match): Match {
  if (isAlways(match)) return NEVER;
  return isNever(match) ? ALWAYS : { $nor: [match] };
}

/**
 * Matches if an item of the list at `path` satisfies `inner`. Not every server supports `$and` and `$or`
 * directly under `$elemMatch`, so alternatives become several `$elemMatch`.
 */
export function anyItem(path: string, inner: Match): Match {
  if (isNever(inner)) return NEVER;
  if (isAlways(inner)) return { [`${path}.0`]: { $exists: true } };
  return anyMatch(distribute(inner).map((match) => ({ [path]: { $elemMatch: beginWithPath(match) } })));
}

/** Matches if an item of the list at `steps` satisfies `inner`. The steps end with a list, or are empty. */
export function anyItemAt(steps: readonly Step[], inner: Match): Match {
  const list = steps.findIndex(({ list }) => list);
  if (list < 0) return inner;
  const path = steps.slice(0, list + 1).map(({ stored }) => stored);
  return anyItem(path.join('.'), anyItemAt(steps.slice(list + 1), inner));
}

/**
 * Some servers treat an `$elemMatch` that begins with `$and` or `$or` as operators on a value, so a condition
 * on a path that no item has comes first.
 */
const beginWithPath = (match: Match): Match =>
  Object.keys(match)[0]?.startsWith('$') ? { _none: { $exists: false }, ...match } : match;

/** Matches if the list at `path` is empty, null or missing. */
export const noItem = (path: string): Match => ({ [`${path}.0`]: { $exists: false } });

const partsOf =
  (operator: '$and' | '$or') =>
  (match: Match): readonly Match[] =>
    Array.isArray(match[operator]) && Object.keys(match).length === 1 ? match[operator] : [match];
const conjuncts = partsOf('$and');
const alternatives = partsOf('$or');

/** One document with all keys, merging operators on the same path; null if two conditions conflict. */
function fuse(parts: readonly Match[]): Match | null {
  const fused: Record<string, unknown> = {};
  for (const part of parts) {
    for (const [key, value] of Object.entries(part)) {
      const merged = key in fused ? mergeOperators(key, fused[key], value) : value;
      if (merged === undefined) return null;
      fused[key] = merged;
    }
  }
  return fused;
}

function mergeOperators(key: string, left: unknown, right: unknown): Match | undefined {
  // The operands of `$or`, `$expr` and the like cannot be merged.
  if (key.startsWith('$') || !isOperators(left) || !isOperators(right)) return undefined;
  // Two `$regex`, `$options` or `$not` on one path cannot be merged.
  const clash = Object.keys(right).some((key) => key in left);
  return clash ? undefined : { ...left, ...right };
}

const isOperators = (value: unknown): value is Match =>
  isPlainObject(value) && Object.keys(value).every((key) => key.startsWith('$'));

/** With more alternatives than this, `$or` is kept. */
const MOST_ALTERNATIVES = 32;

/** Distributes `inner` into alternatives without `$or`, unless there are too many. */
function distribute(inner: Match): readonly Match[] {
  let rows: readonly (readonly Match[])[] = [[]];
  for (const part of conjuncts(inner).flatMap(splitKeys)) {
    const choices = alternatives(part).flatMap((choice) => (choice === part ? [choice] : distribute(choice)));
    rows = rows.flatMap((row) => choices.map((choice) => [...row, choice]));
    if (rows.length > MOST_ALTERNATIVES) return [inner];
  }
  return rows.map(allMatch);
}

/** Splits `{ a, $or }` into `{ a }` and `{ $or }`. */
const splitKeys = (match: Match): readonly Match[] =>
  '$or' in match || '$and' in match
    ? Object.entries(match).flatMap(([key, value]) => conjuncts({ [key]: value }))
    : [match];
