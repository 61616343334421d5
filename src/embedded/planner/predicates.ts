import type { Document } from 'bson';
import { bsonTypeOf, isDocument, isNumeric, type Limits, typeOrder } from '../values/index.js';
import { toDouble } from '../values/numbers.js';
import { hasOperator } from '../values/types.js';
import { prefixOfRegex } from './regex-prefix.js';

/** What a filter says of one path, in the form that an ordered index can serve. */
export interface Predicate {
  /** The values that the path must have one of. */
  readonly points?: readonly unknown[];
  readonly limits?: Limits;
  /** A value that matches beside what lies within the limits: a stored pattern equals the one asked for. */
  readonly beside?: unknown;
  /** An index scan over it yields matching documents only, so that they need not be tested again. */
  readonly exact: boolean;
}

/** The served part of a filter: predicates by path, and whether they say all that the filter says. */
export interface Predicates {
  readonly byPath: ReadonlyMap<string, Predicate>;
  readonly complete: boolean;
  readonly branches: readonly Document[] | undefined;
}

const EXACT_TYPES = new Set(['string', 'int', 'long', 'double', 'decimal', 'objectId', 'bool', 'date']);

const isExact = (value: unknown): boolean =>
  EXACT_TYPES.has(bsonTypeOf(value)) && !(isNumeric(value) && Number.isNaN(toDouble(value)));

const INDEXABLE = new Set([...EXACT_TYPES, 'null', 'object', 'binData', 'timestamp', 'minKey', 'maxKey']);

const isPoint = (value: unknown): boolean => INDEXABLE.has(bsonTypeOf(value));

/** The keys of what a value equals: of an array, which may be a whole element as well, that of its own first element. */
const keysOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? [value[0], value] : [value]);

function pointsOf(values: readonly unknown[]): Predicate | undefined {
  const points = values.flatMap(keysOf);
  const known = points.every((point) => isPoint(point) || point === undefined || Array.isArray(point));
  return known ? { points, exact: points.every(isExact) } : undefined;
}

type Read = (operand: unknown, condition: Document) => Predicate | undefined;

const bound =
  (name: 'gt' | 'gte' | 'lt' | 'lte'): Read =>
  (operand) => {
    if (!isExact(operand)) return undefined;
    return { limits: { [name]: operand }, exact: true };
  };

const READERS: Readonly<Record<string, Read>> = {
  $eq: (operand) => pointsOf([operand]),
  $in: (operand) => (Array.isArray(operand) ? pointsOf(operand) : undefined),
  $gt: bound('gt'),
  $gte: bound('gte'),
  $lt: bound('lt'),
  $lte: bound('lte'),
  $regex: (operand, condition) => fromRegex(operand, condition['$options']),
  $all: (operand) => {
    const [first] = Array.isArray(operand) ? operand : [];
    const found = first === undefined || isDocument(first) ? undefined : pointsOf([first]);
    return found === undefined ? undefined : { ...found, exact: false };
  },
};

function fromRegex(pattern: unknown, options: unknown): Predicate | undefined {
  const prefix = prefixOfRegex(pattern, options);
  if (prefix === undefined) return undefined;
  return bsonTypeOf(pattern) === 'regex' ? { ...prefix, beside: pattern } : prefix;
}

function readCondition(condition: unknown): Predicate[] | undefined {
  if (!hasOperator(condition)) {
    const found = bsonTypeOf(condition) === 'regex' ? fromRegex(condition, undefined) : pointsOf([condition]);
    return found === undefined ? undefined : [found];
  }
  const found: Predicate[] = [];
  let complete = true;
  for (const [name, operand] of Object.entries(condition)) {
    const predicate = READERS[name]?.(operand, condition);
    if (predicate === undefined) complete = false;
    else found.push(predicate);
  }
  return complete ? found : found.map((predicate) => ({ ...predicate, exact: false }));
}

/** Two predicates on one path as one that is no narrower than both; limits of one kind each are joined. */
function join(a: Predicate, b: Predicate): Predicate {
  if (a.points !== undefined) return { ...a, exact: false };
  if (b.points !== undefined) return { ...b, exact: false };
  const both = { ...a.limits, ...b.limits };
  const names = Object.keys(both);
  const lows = names.filter((name) => name.startsWith('g')).length;
  const disjoint = names.length === Object.keys(a.limits ?? {}).length + Object.keys(b.limits ?? {}).length;
  const types = new Set(Object.values(both).map(typeOrder));
  if (!disjoint || lows > 1 || names.length - lows > 1 || types.size > 1) return { ...a, exact: false };
  return { limits: both, exact: a.exact && b.exact };
}

interface Draft {
  readonly byPath: Map<string, Predicate>;
  complete: boolean;
  branches: readonly Document[] | undefined;
}

function collect(filter: Document, draft: Draft): void {
  for (const [key, condition] of Object.entries(filter)) {
    if (key === '$and' && Array.isArray(condition)) {
      for (const clause of condition) if (isDocument(clause)) collect(clause, draft);
    } else if (key === '$or' && Array.isArray(condition)) {
      const same = asIn(condition);
      if (same !== undefined) collectPath(same.path, { $in: same.values }, draft);
      else {
        draft.branches ??= condition;
        draft.complete = false;
      }
    } else if (key === '$comment') {
      // Says nothing about documents.
    } else if (key.startsWith('$')) {
      draft.complete = false;
    } else {
      collectPath(key, condition, draft);
    }
  }
}

/** Alternatives that are all values of one path, as these. */
function asIn(clauses: readonly unknown[]): { path: string; values: readonly unknown[] } | undefined {
  const [path] = Object.keys(clauses[0] ?? {});
  if (path === undefined || path.startsWith('$')) return undefined;
  const values: unknown[] = [];
  for (const clause of clauses) {
    if (!isDocument(clause) || Object.keys(clause).length !== 1 || !(path in clause)) return undefined;
    const condition = clause[path];
    const [found, ...others] = readCondition(condition) ?? [];
    if (found?.points === undefined || !found.exact || others.length > 0) return undefined;
    values.push(...found.points);
  }
  return { path, values };
}

function collectPath(path: string, condition: unknown, draft: Draft): void {
  const found = readCondition(condition);
  if (found === undefined || found.length === 0) draft.complete = false;
  for (const predicate of found ?? []) {
    const known = draft.byPath.get(path);
    if (!predicate.exact) draft.complete = false;
    const joined = known === undefined ? predicate : join(known, predicate);
    if (known !== undefined && !joined.exact) draft.complete = false;
    draft.byPath.set(path, joined);
  }
}

/** Reads out of a filter what an index could serve. Nothing is lost: the rest is tested on each document. */
export function readPredicates(filter: Document): Predicates {
  const draft: Draft = { byPath: new Map(), complete: true, branches: undefined };
  collect(filter, draft);
  return draft;
}
