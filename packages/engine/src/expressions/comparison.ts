import { fail } from '../errors.js';
import { tick } from '../values/work.js';
import { compileArguments, foldConstant, type Operator, type Operators } from './operator.js';
import type { Evaluate, Scope } from './scope.js';

/** A comparison, with a fast path for strings and plain numbers. */
function comparison(holds: (order: number) => unknown): Operator {
  return (operand, scope, name) => {
    const [left, right] = compileArguments(name, operand, scope, 2);
    const { compare } = scope;
    return foldConstant((root) => holds(compare(left(root), right(root))), left, right);
  };
}

function equality(wanted: boolean): Operator {
  return (operand, scope, name) => {
    const [left, right] = compileArguments(name, operand, scope, 2);
    const { equal } = scope;
    return foldConstant((root) => equal(left(root), right(root)) === wanted, left, right);
  };
}

/** `$in` over a constant list: a set that is created once. */
function inConstant(item: Evaluate, list: readonly unknown[], scope: Scope): Evaluate {
  const { hash } = scope;
  const known = new Set(list.map(hash));
  return foldConstant((root) => known.has(hash(item(root))), item);
}

const includes: Operator = (operand, scope, name) => {
  const [item, list] = compileArguments(name, operand, scope, 2);
  const known = list.constant;
  if (known !== undefined && Array.isArray(known.value)) return inConstant(item, known.value, scope);
  const { equal } = scope;
  return (root) => {
    const values = list(root);
    if (!Array.isArray(values)) fail(40081, '$in requires an array as a second argument');
    const wanted = item(root);
    for (const value of values) {
      tick();
      if (equal(value, wanted)) return true;
    }
    return false;
  };
};

/** Comparison operators: MongoDB's complete order across types, with missing below null. */
export const COMPARISON: Operators = {
  $eq: equality(true),
  $ne: equality(false),
  $gt: comparison((order) => order > 0),
  $gte: comparison((order) => order >= 0),
  $lt: comparison((order) => order < 0),
  $lte: comparison((order) => order <= 0),
  $cmp: comparison((order) => Math.sign(order)),
  $in: includes,
};
