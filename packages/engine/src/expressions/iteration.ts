import type { Document } from 'bson';
import { fail } from '../errors.js';
import { toDouble } from '../values/numbers.js';
import { isTruthy } from '../values/type-names.js';
import { isDocument, isNullish } from '../values/types.js';
import { currentWork, tick } from '../values/work.js';
import { anArray, anObject, aWholeNumber, checkArgument, refused } from './argument.js';
import { concatArrays } from './array-makers.js';
import { declared, type Members, type Operators } from './operator.js';
import { type Cell, type Evaluate, extendScope, type Scope } from './scope.js';

const nameOf = (value: unknown): string => (typeof value === 'string' ? value : 'this');

/** A scope in which one more variable refers to the current element. */
function elementScope(scope: Scope, as: unknown): { scope: Scope; cell: Cell } {
  const { scope: inner, cells } = extendScope(scope, [nameOf(as)]);
  return { scope: inner, cell: cells[0] as Cell };
}

const MAP: Members = {
  object: 16878,
  unknown: 16879,
  required: ['input', 'in'],
  missing: [16880, 16882],
  optional: ['as'],
};
const MAPPED = anArray(16883, 'input to $op must be an array not $type');

function map({ input, as, in: body }: Document, scope: Scope, name: string): Evaluate {
  const source = scope.compile(input);
  const { scope: inner, cell } = elementScope(scope, as);
  const each = inner.compile(body);
  return (root) => {
    const items = source(root);
    if (!Array.isArray(items)) return refused([MAPPED], [items], name);
    const out: unknown[] = new Array(items.length);
    for (let i = 0; i < items.length; i++) {
      tick();
      cell.value = items[i];
      const value = each(root);
      out[i] = value === undefined ? null : value;
    }
    return out;
  };
}

const FILTER: Members = {
  object: 28646,
  unknown: 28647,
  required: ['input', 'cond'],
  missing: [28648, 28650],
  optional: ['as', 'limit'],
};
const FILTERED = anArray(28651, 'input to $op must be an array not $type');
const LIMIT = aWholeNumber(327391, '$op: limit must be represented as a 32-bit integral value');

function filter({ input, as, cond, limit }: Document, scope: Scope, name: string): Evaluate {
  if (limit !== undefined && currentWork().version < 5.2)
    fail(28647, 'Unrecognized parameter to $filter: limit');
  const source = scope.compile(input);
  const most = limit === undefined ? undefined : scope.compile(limit);
  const { scope: inner, cell } = elementScope(scope, as);
  const keep = inner.compile(cond);
  return (root) => {
    const items = source(root);
    if (!Array.isArray(items)) return refused([FILTERED], [items], name);
    const count = limitOf(most?.(root), name);
    const out: unknown[] = [];
    for (const item of items) {
      if (out.length >= count) break;
      tick();
      cell.value = item;
      if (isTruthy(keep(root))) out.push(item);
    }
    return out;
  };
}

function limitOf(value: unknown, name: string): number {
  if (isNullish(value)) return Number.POSITIVE_INFINITY;
  checkArgument(LIMIT, value, name);
  const count = toDouble(value);
  if (count <= 0) fail(327392, '$filter: limit must be greater than 0');
  return count;
}

/** The usual way to flatten a list of lists. Done step by step, each step would copy everything before it. */
const isFlattening = (body: unknown): boolean => {
  if (!isDocument(body) || Object.keys(body).length !== 1) return false;
  const lists = body['$concatArrays'];
  return Array.isArray(lists) && lists.length === 2 && lists[0] === '$$value' && lists[1] === '$$this';
};

const REDUCE: Members = {
  object: 40075,
  unknown: 40076,
  required: ['input', 'initialValue', 'in'],
  missing: [40077, 40078, 40079],
};
const REDUCED = anArray(40080, "$op requires that 'input' be an array, found: $type");

function reduce({ input, initialValue, in: body }: Document, scope: Scope, name: string): Evaluate {
  const source = scope.compile(input);
  const first = scope.compile(initialValue);
  const { scope: inner, cells } = extendScope(scope, ['this', 'value']);
  const [element, accumulated] = cells as [Cell, Cell];
  const each = inner.compile(body);
  const flattens = isFlattening(body);
  return (root) => {
    const items = source(root);
    if (!Array.isArray(items)) return refused([REDUCED], [items], name);
    let value = first(root);
    if (flattens && items.length > 0) return concatArrays([value, ...items], '$concatArrays');
    for (const item of items) {
      tick();
      element.value = item;
      accumulated.value = value;
      value = each(root);
    }
    return value;
  };
}

const LET: Members = {
  object: 16874,
  unknown: 16875,
  required: ['vars', 'in'],
  missing: [16876, 16877],
};
const VARS = anObject(10065, 'invalid parameter: expected an object (vars)');

function bind({ vars, in: body }: Document, scope: Scope, name: string): Evaluate {
  checkArgument(VARS, vars, name);
  const values = Object.values(vars).map((value) => scope.compile(value));
  const { scope: inner, cells } = extendScope(scope, Object.keys(vars));
  const evaluate = inner.compile(body);
  return (root) => {
    const now = values.map((value) => value(root));
    for (let i = 0; i < cells.length; i++) (cells[i] as Cell).value = now[i];
    return evaluate(root);
  };
}

/** Operators that bind variables. */
export const ITERATION: Operators = {
  $map: declared(MAP, map),
  $filter: declared(FILTER, filter),
  $reduce: declared(REDUCE, reduce),
  $let: declared(LET, bind),
};
