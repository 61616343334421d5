import { fail } from '../errors.js';
import { toDouble } from '../values/numbers.js';
import { isTruthy } from '../values/type-names.js';
import { bsonTypeOf, isDocument, isNullish } from '../values/types.js';
import { currentWork, tick } from '../values/work.js';
import { concatArrays } from './array-makers.js';
import { namedOperand, type Operator, type Operators } from './operator.js';
import { type Cell, extendScope, type Scope } from './scope.js';

const nameOf = (value: unknown): string => (typeof value === 'string' ? value : 'this');

/** A scope in which one more variable stands for the current element. */
function elementScope(scope: Scope, as: unknown): { scope: Scope; cell: Cell } {
  const { scope: inner, cells } = extendScope(scope, [nameOf(as)]);
  return { scope: inner, cell: cells[0] as Cell };
}

const map: Operator = (operand, scope) => {
  const {
    input,
    as,
    in: body,
  } = namedOperand('$map', operand, {
    required: ['input', 'in'],
    optional: ['as'],
    object: 16878,
    unknown: 16879,
    missing: [16880, 16882],
  });
  const source = scope.compile(input);
  const { scope: inner, cell } = elementScope(scope, as);
  const each = inner.compile(body);
  return (root) => {
    const items = source(root);
    if (isNullish(items)) return null;
    if (!Array.isArray(items)) return fail(16883, `input to $map must be an array not ${bsonTypeOf(items)}`);
    const out: unknown[] = new Array(items.length);
    for (let i = 0; i < items.length; i++) {
      tick();
      cell.value = items[i];
      const value = each(root);
      out[i] = value === undefined ? null : value;
    }
    return out;
  };
};

const filter: Operator = (operand, scope) => {
  const { input, as, cond, limit } = namedOperand('$filter', operand, {
    required: ['input', 'cond'],
    optional: ['as', 'limit'],
    object: 28646,
    unknown: 28647,
    missing: [28648, 28650],
  });
  if (limit !== undefined && currentWork().version < 5.2)
    fail(28647, 'Unrecognized parameter to $filter: limit');
  const source = scope.compile(input);
  const most = limit === undefined ? undefined : scope.compile(limit);
  const { scope: inner, cell } = elementScope(scope, as);
  const keep = inner.compile(cond);
  return (root) => {
    const items = source(root);
    if (isNullish(items)) return null;
    if (!Array.isArray(items))
      return fail(28651, `input to $filter must be an array not ${bsonTypeOf(items)}`);
    const count = limitOf(most?.(root));
    const out: unknown[] = [];
    for (const item of items) {
      if (out.length >= count) break;
      tick();
      cell.value = item;
      if (isTruthy(keep(root))) out.push(item);
    }
    return out;
  };
};

function limitOf(value: unknown): number {
  if (isNullish(value)) return Number.POSITIVE_INFINITY;
  const count = toDouble(value);
  if (!Number.isInteger(count)) fail(327391, '$filter: limit must be represented as a 32-bit integral value');
  if (count <= 0) fail(327392, '$filter: limit must be greater than 0');
  return count;
}

/** The usual way to flatten a list of lists. Step by step, each would copy all that came before it. */
const isFlattening = (body: unknown): boolean => {
  if (!isDocument(body) || Object.keys(body).length !== 1) return false;
  const lists = body['$concatArrays'];
  return Array.isArray(lists) && lists.length === 2 && lists[0] === '$$value' && lists[1] === '$$this';
};

const reduce: Operator = (operand, scope) => {
  const {
    input,
    initialValue,
    in: body,
  } = namedOperand('$reduce', operand, {
    required: ['input', 'initialValue', 'in'],
    object: 40075,
    unknown: 40076,
    missing: [40077, 40078, 40079],
  });
  const source = scope.compile(input);
  const first = scope.compile(initialValue);
  const { scope: inner, cells } = extendScope(scope, ['this', 'value']);
  const [element, accumulated] = cells as [Cell, Cell];
  const each = inner.compile(body);
  const flattens = isFlattening(body);
  return (root) => {
    const items = source(root);
    if (isNullish(items)) return null;
    if (!Array.isArray(items)) {
      return fail(40080, `$reduce requires that 'input' be an array, found: ${bsonTypeOf(items)}`);
    }
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
};

const bind: Operator = (operand, scope) => {
  const { vars, in: body } = namedOperand('$let', operand, {
    required: ['vars', 'in'],
    object: 16874,
    unknown: 16875,
    missing: [16876, 16877],
  });
  if (!isDocument(vars)) return fail(10065, 'invalid parameter: expected an object (vars)');
  const values = Object.values(vars).map((value) => scope.compile(value));
  const { scope: inner, cells } = extendScope(scope, Object.keys(vars));
  const evaluate = inner.compile(body);
  return (root) => {
    const now = values.map((value) => value(root));
    for (let i = 0; i < cells.length; i++) (cells[i] as Cell).value = now[i];
    return evaluate(root);
  };
};

/** Operators that bind variables. */
export const ITERATION: Operators = { $map: map, $filter: filter, $reduce: reduce, $let: bind };
