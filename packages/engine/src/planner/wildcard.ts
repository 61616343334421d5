import type { Document } from 'bson';
import type { CompiledIndex } from '../indexes/compile-index.js';
import { pathsOfProjection } from '../indexes/index-spec.js';
import { isDocument } from '../values/index.js';
import { isWithin, rootOf } from '../values/paths.js';
import { isRegex } from '../values/regex.js';
import { hasOperator } from '../values/types.js';

const WILDCARD = '$**';

/** Whether a wildcard index includes a path. */
function includes({ meta, paths }: CompiledIndex, path: string): boolean {
  const [name = ''] = paths;
  if (name !== WILDCARD) return isWithin(path, name.slice(0, -WILDCARD.length - 1));
  const listed = pathsOfProjection(meta.spec['wildcardProjection'] ?? {});
  if (rootOf(path) === '_id') return listed.some(([at, shown]) => at === '_id' && shown);
  const others = listed.filter(([at]) => at !== '_id');
  const shows = others.some(([, shown]) => shown);
  return others.some(([at]) => isWithin(path, at)) === shows;
}

/** A wildcard index contains the values at the ends of paths: no objects and arrays except empty ones, and no missing values. */
const isHeld = (value: unknown): boolean =>
  isRegex(value) ||
  (value !== null && (isDocument(value) || Array.isArray(value) ? Object.keys(value).length === 0 : true));

/** Operators that may match values which an index on some paths need not contain. */
const HELD: Readonly<Record<string, (operand: unknown) => boolean>> = {
  $eq: isHeld,
  $gt: isHeld,
  $gte: isHeld,
  $lt: isHeld,
  $lte: isHeld,
  $in: (operand) => Array.isArray(operand) && operand.every(isHeld),
  $exists: (operand) => operand === true || Number(operand) !== 0,
  $ne: (operand) => operand === null,
  $nin: () => false,
  $not: () => false,
};

const isServed = (condition: unknown): boolean =>
  hasOperator(condition)
    ? Object.entries(condition).some(([name, operand]) => HELD[name]?.(operand) ?? true)
    : isHeld(condition);

/** Whether a wildcard index could be used for a filter: it contains everything that some condition may match. */
export function wildcardServes(index: CompiledIndex, filter: Document): boolean {
  return Object.entries(filter).some(([key, condition]) => {
    const clauses: readonly Document[] = Array.isArray(condition) ? condition : [];
    if (key === '$and') return clauses.some((clause) => wildcardServes(index, clause));
    if (key === '$or') return clauses.every((clause) => wildcardServes(index, clause));
    return !key.startsWith('$') && includes(index, key) && isServed(condition);
  });
}
