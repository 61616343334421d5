import { fail } from '../errors.js';
import { isTruthy } from '../values/type-names.js';
import { isDocument, isNullish } from '../values/types.js';
import { constantOf, listOf, namedOperand, type Operator, type Operators, unary } from './operator.js';
import type { Evaluate, Scope } from './scope.js';

const compileAll = (operand: unknown, scope: Scope): Evaluate[] =>
  listOf(operand).map((item) => scope.compile(item));

const and: Operator = (operand, scope) => {
  const inputs = compileAll(operand, scope);
  return (root) => {
    for (const input of inputs) if (!isTruthy(input(root))) return false;
    return true;
  };
};

const or: Operator = (operand, scope) => {
  const inputs = compileAll(operand, scope);
  return (root) => {
    for (const input of inputs) if (isTruthy(input(root))) return true;
    return false;
  };
};

function condParts(operand: unknown): readonly unknown[] {
  if (Array.isArray(operand)) {
    if (operand.length !== 3) {
      fail(16020, `Expression $cond takes exactly 3 arguments. ${operand.length} were passed in.`);
    }
    return operand;
  }
  if (!isDocument(operand))
    return fail(16020, 'Expression $cond takes exactly 3 arguments. 1 were passed in.');
  const {
    if: test,
    then: yes,
    else: no,
  } = namedOperand('$cond', operand, {
    required: ['if', 'then', 'else'],
    unknown: 17083,
    missing: [17080, 17081, 17082],
  });
  return [test, yes, no];
}

const cond: Operator = (operand, scope) => {
  const [test, yes, no] = condParts(operand).map((item) => scope.compile(item)) as [
    Evaluate,
    Evaluate,
    Evaluate,
  ];
  const known = constantOf(test);
  if (known !== undefined) return isTruthy(known.value) ? yes : no;
  return (root) => (isTruthy(test(root)) ? yes(root) : no(root));
};

const ifNull: Operator = (operand, scope) => {
  const inputs = compileAll(operand, scope);
  if (inputs.length < 2) fail(1257300, `$ifNull needs at least two arguments, had: ${inputs.length}`);
  const last = inputs.pop() as Evaluate;
  return (root) => {
    for (const input of inputs) {
      const value = input(root);
      if (!isNullish(value)) return value;
    }
    return last(root);
  };
};

const switchOn: Operator = (operand, scope) => {
  const { branches, default: otherwise } = namedOperand('$switch', operand, {
    required: [],
    optional: ['branches', 'default'],
    object: 40060,
    unknown: 40067,
  });
  if (branches === undefined) fail(40068, '$switch requires at least one branch.');
  if (!Array.isArray(branches)) return fail(40061, "$switch expected an array for 'branches'");
  if (branches.length === 0) fail(40068, '$switch requires at least one branch.');
  const cases = branches.map((branch) => {
    if (!isDocument(branch)) return fail(40062, '$switch expected each branch to be an object');
    const odd = Object.keys(branch).find((key) => key !== 'case' && key !== 'then');
    if (odd !== undefined) fail(40063, `$switch found an unknown argument to a branch: ${odd}`);
    if (!('case' in branch)) fail(40064, "$switch requires each branch have a 'case' expression");
    if (!('then' in branch)) fail(40065, "$switch requires each branch have a 'then' expression.");
    return { test: scope.compile(branch['case']), result: scope.compile(branch['then']) };
  });
  const fallback = otherwise === undefined ? undefined : scope.compile(otherwise);
  return (root) => {
    for (const { test, result } of cases) if (isTruthy(test(root))) return result(root);
    if (fallback !== undefined) return fallback(root);
    return fail(
      40066,
      '$switch could not find a matching branch for an input, and no default was specified.',
    );
  };
};

/** Boolean and conditional operators. */
export const BOOLEAN: Operators = {
  $and: and,
  $or: or,
  $not: unary((value) => !isTruthy(value)),
  $cond: cond,
  $ifNull: ifNull,
  $switch: switchOn,
};
