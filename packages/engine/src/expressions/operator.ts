import type { Document } from 'bson';
import { fail } from '../errors.js';
import { bsonTypeOf, isDocument, isNullish } from '../values/types.js';
import { currentWork, tickFor } from '../values/work.js';
import { type Argument, type Code, checkArgument, refused, worded } from './argument.js';
import type { Evaluate, Scope } from './scope.js';

/** Compiles one operator's operand. */
export type Operator = (operand: unknown, scope: Scope, name: string) => Evaluate;

/** A family of operators by name. */
export type Operators = Readonly<Record<string, Operator>>;

/** An operator that MongoDB introduced in a later version; older ones do not have it. */
export const since =
  (version: number, operator: Operator): Operator =>
  (operand, scope, name) => {
    if (currentWork().version < version) fail('InvalidPipelineOperator', `Unrecognized expression '${name}'`);
    return operator(operand, scope, name);
  };

/** An expression that always has one value. */
export const constant = (value: unknown): Evaluate => Object.assign(() => value, { constant: { value } });

/** A constant if all arguments of the expression are constant, so that it is evaluated once. */
export function foldConstant(evaluate: Evaluate, ...inputs: readonly Evaluate[]): Evaluate {
  if (!inputs.every((input) => input.constant !== undefined)) return evaluate;
  try {
    return constant(evaluate({}));
  } catch {
    // An error belongs to the branch in which it occurs.
    return evaluate;
  }
}

/** The arguments of an operator: an array of them, or a single one. */
export const listOf = (operand: unknown): readonly unknown[] =>
  Array.isArray(operand) ? operand : [operand];

/** The number of arguments: exact, or minimum and maximum. */
type Count = number | readonly [least: number, most: number];

/** The compiled arguments. */
type Inputs<N extends Count> = N extends 1 ? [Evaluate] : N extends 2 ? [Evaluate, Evaluate] : Evaluate[];

/** Compiles an operator's arguments. Throws 16020 or 28667 for the wrong number of arguments. */
export function compileArguments<const N extends Count>(
  name: string,
  operand: unknown,
  scope: Scope,
  count: N,
): Inputs<N> {
  const [least, most] = typeof count === 'number' ? [count, count] : count;
  const list = listOf(operand);
  const given = list.length;
  if (given < least || given > most) {
    if (least === most)
      fail(16020, `Expression ${name} takes exactly ${least} arguments. ${given} were passed in.`);
    const range = `at least ${least} arguments, and at most ${most}, but ${given} were passed in.`;
    fail(28667, `Expression ${name} takes ${range}`);
  }
  return list.map((item) => scope.compile(item)) as Inputs<N>;
}

/** An operator with one argument; if its requirements are declared, they are checked, and null gives null. */
export function unary<T = unknown>(
  compute: (value: T, name: string, scope: Scope) => unknown,
  declared?: Argument<T>,
): Operator {
  return (operand, scope, name) => {
    const [input] = compileArguments(name, operand, scope, 1);
    const evaluate: Evaluate = (root) => {
      const value = input(root);
      tickFor(value);
      return declared === undefined || declared.is(value)
        ? compute(value as T, name, scope)
        : refused([declared], [value], name);
    };
    return foldConstant(evaluate, input);
  };
}

/** The same with two arguments. */
export function binary<A = unknown, B = unknown>(
  compute: (a: A, b: B, name: string, scope: Scope) => unknown,
  declared?: readonly [Argument<A>, Argument<B>],
): Operator {
  return (operand, scope, name) => {
    const [left, right] = compileArguments(name, operand, scope, 2);
    if (declared === undefined)
      return foldConstant((root) => compute(left(root) as A, right(root) as B, name, scope), left, right);
    const [{ is: isLeft }, { is: isRight }] = declared;
    const evaluate: Evaluate = (root) => {
      const a = left(root);
      const b = right(root);
      tickFor(a);
      tickFor(b);
      if (isLeft(a) && isRight(b)) return compute(a, b, name, scope);
      return refused(declared, [a, b], name);
    };
    return foldConstant(evaluate, left, right);
  };
}

/** An operator with a fixed number of arguments. The declarations of the first ones apply to all that are given. */
export function several<T extends readonly unknown[] = readonly unknown[]>(
  count: Count,
  compute: (values: T, name: string, scope: Scope) => unknown,
  declared: readonly Argument<unknown>[] = [],
): Operator {
  return (operand, scope, name) => {
    const inputs: readonly Evaluate[] = compileArguments(name, operand, scope, count);
    const checks = declared.slice(0, inputs.length);
    const tests = checks.map(({ is }) => is);
    const evaluate: Evaluate = (root) => {
      const values: unknown[] = [];
      let areRight = true;
      for (let i = 0; i < inputs.length; i++) {
        const value = (inputs[i] as Evaluate)(root);
        tickFor(value);
        values.push(value);
        areRight &&= tests[i]?.(value) ?? true;
      }
      return areRight ? compute(values as unknown as T, name, scope) : refused(checks, values, name);
    };
    return foldConstant(evaluate, ...inputs);
  };
}

/**
 * An operator with any number of arguments, evaluated one after another on demand. If their requirements are declared, a null
 * among them gives null.
 */
export function variadic<T = unknown>(
  compute: (values: Iterable<T>, name: string, scope: Scope) => unknown,
  declared?: Argument<T>,
): Operator {
  return (operand, scope, name) => {
    const inputs = listOf(operand).map((item) => scope.compile(item));
    // Created once: a new generator for each evaluation costs more than what it yields.
    function* valuesOf(root: Document, met: { isNull: boolean }): Generator<T> {
      for (const input of inputs) {
        const value = input(root);
        tickFor(value);
        if (declared !== undefined && !declared.is(value)) {
          met.isNull = refused([declared], [value], name) === null;
          return;
        }
        yield value as T;
      }
    }
    const evaluate: Evaluate = (root) => {
      const met = { isNull: false };
      const result = compute(valuesOf(root, met), name, scope);
      return met.isNull ? null : result;
    };
    return foldConstant(evaluate, ...inputs);
  };
}

/** A code, and the message if it is not the usual one. */
type Refusal = Code | { readonly code: Code; readonly says: string };

/** An error with its own message; `$op`, `$key` and `$type` stand for the operator, the field and the operand's type. */
export const saying = (code: Code, says: string): Refusal => ({ code, says });

/** The fields of an operand, and MongoDB's codes if they are invalid (default: FailedToParse). */
export interface Members {
  /** The required fields. */
  readonly required?: readonly string[];
  readonly optional?: readonly string[];
  /** The operand is not an object. */
  readonly object?: Refusal;
  /** Unknown field. */
  readonly unknown?: Refusal;
  /** Missing required field: one code for all, or one for each. */
  readonly missing?: Refusal | readonly Refusal[];
  /** Requirements for fields that are literals, not expressions. */
  readonly literals?: Readonly<Record<string, Argument<unknown>>>;
  /** Fields for which null gives null, regardless of the others; they may depend on the values. */
  readonly nulls?: readonly string[] | ((values: Document) => readonly string[]);
  /** Requirements for the others if they are not null, in the order in which they are checked. */
  readonly types?: Readonly<Record<string, Argument<unknown>>>;
}

function refuse(refusal: Refusal, usual: string, stands: Readonly<Record<string, string>>): never {
  const { code, says } = typeof refusal === 'object' ? refusal : { code: refusal, says: usual };
  return fail(code, worded(says, stands));
}

/** Checks an operand as MongoDB does: each field in order, then missing ones. Throws the codes of the declaration. */
export function readMembers(op: string, operand: unknown, members: Members): Document {
  const { required = [], optional = [], literals = {}, missing = 'FailedToParse' } = members;
  if (!isDocument(operand)) {
    const type = bsonTypeOf(operand);
    return refuse(members.object ?? 'FailedToParse', '$op only supports an object as its argument', {
      op,
      type,
    });
  }
  for (const [key, value] of Object.entries(operand)) {
    const type = literals[key];
    if (type !== undefined) checkArgument(type, value, op);
    else if (!required.includes(key) && !optional.includes(key))
      refuse(members.unknown ?? 'FailedToParse', 'Unrecognized argument to $op: $key', { op, key });
  }
  required.forEach((key, i) => {
    if (key in operand) return;
    const refusal = Array.isArray(missing) ? missing[i] : missing;
    refuse(refusal, "Missing '$key' parameter to $op", { op, key });
  });
  return operand;
}

/** An operator whose operand has declared fields. */
export const declared =
  (members: Members, compile: (members: Document, scope: Scope, name: string) => Evaluate): Operator =>
  (operand, scope, name) =>
    compile(readMembers(name, operand, members), scope, name);

/** An operator of named arguments, each an expression. */
export function named(
  members: Members,
  compute: (values: Document, name: string, scope: Scope) => unknown,
): Operator {
  const { nulls = [], types: declaredTypes = {} } = members;
  const nullsOf = typeof nulls === 'function' ? nulls : () => nulls;
  const types = Object.entries(declaredTypes);
  return declared(members, (checked, scope, name) => {
    const inputs = Object.entries(checked).map(([key, value]): [string, Evaluate] => [
      key,
      scope.compile(value),
    ]);
    const evaluate: Evaluate = (root) => {
      const values: Document = {};
      for (const [key, input] of inputs) {
        values[key] = input(root);
        tickFor(values[key]);
      }
      for (const key of nullsOf(values)) if (key in values && isNullish(values[key])) return null;
      for (const [key, type] of types) if (!type.is(values[key])) refused([type], [values[key]], name);
      return compute(values, name, scope);
    };
    return foldConstant(evaluate, ...inputs.map(([, input]) => input));
  });
}
