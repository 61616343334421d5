import type { Document } from 'bson';
import { type ErrorName, fail } from '../errors.js';
import { isDocument, isNullish } from '../values/types.js';
import { currentWork } from '../values/work.js';
import { type Argument, checkArgument, givesNull } from './argument.js';
import type { Evaluate, Scope } from './scope.js';

/** Compiles one operator's operand. */
export type Operator = (operand: unknown, scope: Scope, name: string) => Evaluate;

/** A family of operators by name. */
export type Operators = Readonly<Record<string, Operator>>;

/** An operator that MongoDB has since a version; older ones do not know it. */
export const since =
  (version: number, operator: Operator): Operator =>
  (operand, scope, name) => {
    if (currentWork().version < version) fail('InvalidPipelineOperator', `Unrecognized expression '${name}'`);
    return operator(operand, scope, name);
  };

const constants = new WeakMap<Evaluate, { readonly value: unknown }>();

/** An expression that always has one value. */
export function constant(value: unknown): Evaluate {
  const evaluate: Evaluate = () => value;
  constants.set(evaluate, { value });
  return evaluate;
}

/** The value of an expression that is the same for every document; undefined where it depends on one. */
export const constantOf = (evaluate: Evaluate): { readonly value: unknown } | undefined =>
  constants.get(evaluate);

/** The constant of an expression if all of its arguments are, so that it is worked out once. */
export function fold(evaluate: Evaluate, ...inputs: readonly Evaluate[]): Evaluate {
  if (!inputs.every((input) => constants.has(input))) return evaluate;
  try {
    return constant(evaluate({}));
  } catch {
    // An error belongs to the branch that runs into it.
    return evaluate;
  }
}

/** The arguments of an operator: an array of them, or the only one. */
export const listOf = (operand: unknown): readonly unknown[] =>
  Array.isArray(operand) ? operand : [operand];

/** Compiles an operator's arguments. Throws 16020 or 28667 for a wrong number of them. */
export function compileArguments(
  name: string,
  operand: unknown,
  scope: Scope,
  count: number | readonly [least: number, most: number],
): Evaluate[] {
  const [least, most] = typeof count === 'number' ? [count, count] : count;
  const list = listOf(operand);
  if (list.length < least || list.length > most) {
    if (least === most)
      fail(16020, `Expression ${name} takes exactly ${least} arguments. ${list.length} were passed in.`);
    fail(
      28667,
      `Expression ${name} takes at least ${least} arguments, and at most ${most}, but ${list.length} were passed in.`,
    );
  }
  return list.map((item) => scope.compile(item));
}

/** An operator of one argument; what it must be is checked, and null stands for null, where that is declared. */
export function unary<T = unknown>(
  compute: (value: T, name: string, scope: Scope) => unknown,
  declared?: Argument<T>,
): Operator {
  return (operand, scope, name) => {
    const [input] = compileArguments(name, operand, scope, 1) as [Evaluate];
    if (declared === undefined) return fold((root) => compute(input(root) as T, name, scope), input);
    const evaluate: Evaluate = (root) => {
      const value = input(root);
      if (givesNull(declared, value)) return null;
      checkArgument(declared, value, name);
      return compute(value, name, scope);
    };
    return fold(evaluate, input);
  };
}

/** The same of two arguments. */
export function binary<A = unknown, B = unknown>(
  compute: (a: A, b: B, name: string, scope: Scope) => unknown,
  declared?: readonly [Argument<A>, Argument<B>],
): Operator {
  return (operand, scope, name) => {
    const [left, right] = compileArguments(name, operand, scope, 2) as [Evaluate, Evaluate];
    const evaluate: Evaluate = (root) => {
      const a = left(root);
      const b = right(root);
      if (declared !== undefined) {
        if (givesNull(declared[0], a) || givesNull(declared[1], b)) return null;
        checkArgument(declared[0], a, name);
        checkArgument(declared[1], b, name);
      }
      return compute(a as A, b as B, name, scope);
    };
    return fold(evaluate, left, right);
  };
}

/** An operator of so many arguments, at least and at most. */
export function several(
  count: readonly [least: number, most: number],
  compute: (values: readonly unknown[], name: string, scope: Scope) => unknown,
): Operator {
  return (operand, scope, name) => {
    const inputs = compileArguments(name, operand, scope, count);
    return fold(
      (root) =>
        compute(
          inputs.map((input) => input(root)),
          name,
          scope,
        ),
      ...inputs,
    );
  };
}

/**
 * An operator of any number of arguments, worked out one after the other as it asks for them. Where it is declared what each
 * must be, a null among them stands for null.
 */
export function variadic<T = unknown>(
  compute: (values: Iterable<T>, name: string, scope: Scope) => unknown,
  declared?: Argument<T>,
): Operator {
  return (operand, scope, name) => {
    const inputs = listOf(operand).map((item) => scope.compile(item));
    // Made once: a generator of each evaluation's own costs more than what it yields.
    function* valuesOf(root: Document, met: { isNull: boolean }): Generator<T> {
      for (const input of inputs) {
        const value = input(root);
        if (declared !== undefined) {
          met.isNull = givesNull(declared, value);
          if (met.isNull) return;
          checkArgument(declared, value, name);
        }
        yield value as T;
      }
    }
    const evaluate: Evaluate = (root) => {
      const met = { isNull: false };
      const result = compute(valuesOf(root, met), name, scope);
      return met.isNull ? null : result;
    };
    return fold(evaluate, ...inputs);
  };
}

type Code = number | ErrorName;

/** The named arguments of an operator, and MongoDB's codes for where they are not right; FailedToParse if absent. */
export interface Named {
  readonly required: readonly string[];
  readonly optional?: readonly string[];
  /** The operand is not an object. */
  readonly object?: Code;
  /** What is said then, in place of "its argument". */
  readonly objectText?: string;
  /** An argument is unknown. */
  readonly unknown?: Code;
  /** A required argument is absent: one code for all, or one for each. */
  readonly missing?: Code | readonly Code[];
  /** What arguments must be where they are not null, in the order in which they are checked. */
  readonly types?: Readonly<Record<string, Argument<unknown>>>;
}

/** Checks the names of an operator's arguments. Throws the codes of the declaration. */
export function namedOperand(name: string, operand: unknown, declared: Named): Document {
  const { required, optional = [], object = 'FailedToParse', unknown = 'FailedToParse' } = declared;
  const { missing = 'FailedToParse' } = declared;
  if (!isDocument(operand))
    return fail(object, `${name} only supports an object as ${declared.objectText ?? 'its argument'}`);
  for (const key of Object.keys(operand)) {
    if (!required.includes(key) && !optional.includes(key))
      fail(unknown, `Unrecognized argument to ${name}: ${key}`);
  }
  required.forEach((key, i) => {
    if (!(key in operand))
      fail(
        typeof missing === 'object' ? (missing[i] as Code) : missing,
        `Missing '${key}' parameter to ${name}`,
      );
  });
  return operand;
}

/** An operator of named arguments, each an expression. */
export function named(
  spec: Named,
  compute: (values: Document, name: string, scope: Scope) => unknown,
): Operator {
  return (operand, scope, name) => {
    const checked = namedOperand(name, operand, spec);
    const types = Object.entries(spec.types ?? {});
    const inputs = Object.entries(checked).map(([key, value]): [string, Evaluate] => [
      key,
      scope.compile(value),
    ]);
    const evaluate: Evaluate = (root) => {
      const values: Document = {};
      for (const [key, input] of inputs) values[key] = input(root);
      for (const [key, type] of types) if (!isNullish(values[key])) checkArgument(type, values[key], name);
      return compute(values, name, scope);
    };
    return fold(evaluate, ...inputs.map(([, input]) => input));
  };
}
