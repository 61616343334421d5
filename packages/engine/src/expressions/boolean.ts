import type { Document } from 'bson';
import { fail } from '../errors.js';
import { isTruthy } from '../values/type-names.js';
import { isDocument, isNullish } from '../values/types.js';
import { anArray } from './argument.js';
import {
  declared,
  listOf,
  type Members,
  type Operator,
  type Operators,
  readMembers,
  saying,
  unary,
} from './operator.js';
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

const COND: Members = { unknown: 17083, required: ['if', 'then', 'else'], missing: [17080, 17081, 17082] };

function condParts(operand: unknown, name: string): readonly unknown[] {
  if (isDocument(operand)) {
    const { if: test, then: yes, else: no } = readMembers(name, operand, COND);
    return [test, yes, no];
  }
  const parts = listOf(operand);
  if (parts.length !== 3)
    fail(16020, `Expression $cond takes exactly 3 arguments. ${parts.length} were passed in.`);
  return parts;
}

const cond: Operator = (operand, scope, name) => {
  const parts = condParts(operand, name).map((item) => scope.compile(item));
  const [test, yes, no] = parts as [Evaluate, Evaluate, Evaluate];
  const known = test.constant;
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

const NO_BRANCH = '$switch requires at least one branch.';
const SWITCH: Members = {
  object: 40060,
  unknown: 40067,
  literals: { branches: anArray(40061, "$op expected an array for 'branches'") },
  optional: ['default'],
  missing: saying(40068, NO_BRANCH),
  required: ['branches'],
};
const BRANCH: Members = {
  object: saying(40062, '$op expected each branch to be an object'),
  unknown: saying(40063, '$op found an unknown argument to a branch: $key'),
  required: ['case', 'then'],
  missing: [
    saying(40064, "$op requires each branch have a 'case' expression"),
    saying(40065, "$op requires each branch have a 'then' expression."),
  ],
};

function switchOn({ branches, default: otherwise }: Document, scope: Scope, name: string): Evaluate {
  if (branches.length === 0) fail(40068, NO_BRANCH);
  const cases = (branches as unknown[]).map((branch) => {
    const { case: test, then: result } = readMembers(name, branch, BRANCH);
    return { test: scope.compile(test), result: scope.compile(result) };
  });
  const fallback = otherwise === undefined ? undefined : scope.compile(otherwise);
  return (root) => {
    for (const { test, result } of cases) if (isTruthy(test(root))) return result(root);
    if (fallback !== undefined) return fallback(root);
    return fail(40066, NO_MATCH);
  };
}

/** The error if no branch matches and there is no default. */
export const NO_MATCH =
  '$switch could not find a matching branch for an input, and no default was specified.';

/** Boolean and conditional operators. */
export const BOOLEAN_OPERATORS: Operators = {
  $and: and,
  $or: or,
  $not: unary((value) => !isTruthy(value)),
  $cond: cond,
  $ifNull: ifNull,
  $switch: declared(SWITCH, switchOn),
};
