import type { Document } from 'bson';
import { bsonTypeOf, isDocument, isNumeric, type Limits, typeOrder } from '../values/index.js';
import { toDouble } from '../values/numbers.js';
import { hasOperator } from '../values/types.js';
import { prefixOfRegex } from './regex-prefix.js';

/** The conditions of a filter on one path, in the form that an ordered index can serve. */
export interface Predicate {
  /** The path must have one of these values. */
  readonly points?: readonly unknown[];
  readonly limits?: Limits;
  /** A value that matches in addition to those within the limits: a stored pattern equals the requested one. */
  readonly beside?: unknown;
  /** Whether an index scan yields only matching documents, so that they need not be tested again. */
  readonly exact: boolean;
}

/** The part of a filter that can be served: predicates by path, and whether they are the whole filter. */
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

/** The keys for an equality: for an array, which may also be a whole element, the key of its first element. */
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

/** Combines two predicates on one path into one that is no narrower than both; limits of the same kind are merged. */
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
      // Places no condition on documents.
    } else if (key.startsWith('$')) {
      draft.complete = false;
    } else {
      collectPath(key, condition, draft);
    }
  }
}

/** Alternatives that are all values of one path, as a list of values. */
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

/** Whether a predicate can only hold for a value that is there. */
const needsValue = ({ points = [] }: Predicate): boolean => points.every(isExact);

/**
 * What `$elemMatch` requires of the fields of an element, as conditions on their paths. It also requires that one element meets
 * all of them, which an index does not tell.
 */
function collectElements(path: string, condition: unknown, draft: Draft): void {
  const fields = hasOperator(condition) ? condition['$elemMatch'] : undefined;
  if (!isDocument(fields)) return;
  for (const [name, inner] of Object.entries(fields)) {
    if (/^[$\d]|\.\d/.test(name)) continue;
    for (const predicate of readCondition(inner) ?? [])
      if (needsValue(predicate)) addPredicate(`${path}.${name}`, { ...predicate, exact: false }, draft);
  }
}

function addPredicate(path: string, predicate: Predicate, draft: Draft): void {
  const known = draft.byPath.get(path);
  if (!predicate.exact) draft.complete = false;
  const joined = known === undefined ? predicate : join(known, predicate);
  if (known !== undefined && !joined.exact) draft.complete = false;
  draft.byPath.set(path, joined);
}

function collectPath(path: string, condition: unknown, draft: Draft): void {
  const found = readCondition(condition);
  if (found === undefined || found.length === 0) draft.complete = false;
  for (const predicate of found ?? []) addPredicate(path, predicate, draft);
  collectElements(path, condition, draft);
}

/** Extracts the part of a filter that an index could serve. Nothing is lost: the rest is tested on each document. */
export function readPredicates(filter: Document): Predicates {
  const draft: Draft = { byPath: new Map(), complete: true, branches: undefined };
  collect(filter, draft);
  return draft;
}
