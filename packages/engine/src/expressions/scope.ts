import type { Document } from 'bson';
import { fail } from '../errors.js';
import type { Collation } from '../values/collation.js';
import { type Compare, equalValues, valueComparer } from '../values/compare.js';
import { type HashKey, hasher } from '../values/hash-key.js';
import { tick } from '../values/work.js';

/** A compiled expression: its value for the current document; `undefined` is MongoDB's missing. */
export interface Evaluate {
  (root: Document): unknown;
  /** Its value if that is the same for every document. */
  readonly constant?: { readonly value: unknown };
}

/** The storage of a variable's current value. Expressions run one at a time, so one per binding is enough. */
export interface Cell {
  value: unknown;
}

/** The context in which an expression is compiled: its variables and how values compare. */
export interface Scope {
  readonly collation: Collation | undefined;
  /** Like `hash`, one step of the operation (see `tick`): whatever sorts or compares many values calls it regularly. */
  readonly compare: Compare;
  readonly equal: (a: unknown, b: unknown) => boolean;
  readonly hash: (value: unknown) => HashKey;
  readonly variables: ReadonlyMap<string, Cell>;
  /** The time of the command, `$$NOW`. */
  readonly now: Date;
  /** Compiles an expression within this scope. */
  readonly compile: (expression: unknown) => Evaluate;
  /** The compiler itself, which operators access through their scope. */
  readonly compiler: (expression: unknown, scope: Scope) => Evaluate;
}

/** The parts of a scope. */
interface ScopeOptions {
  readonly collation?: Collation | undefined;
  readonly variables?: ReadonlyMap<string, Cell>;
  readonly now?: Date | undefined;
}

/** A scope; the compiler passes itself, so that operators need not import it. */
export function makeScope(
  options: ScopeOptions,
  compiler: (expression: unknown, scope: Scope) => Evaluate,
): Scope {
  const order = valueComparer(options.collation);
  const hash = hasher(options.collation);
  const compare: Compare = (a, b) => {
    tick();
    return order(a, b);
  };
  const scope: Scope = {
    collation: options.collation,
    compare,
    equal: order === valueComparer() ? equalValues : (a, b) => a === b || compare(a, b) === 0,
    hash: (value) => {
      tick();
      return hash(value);
    },
    variables: options.variables ?? new Map(),
    now: options.now ?? new Date(),
    compile: (expression) => compiler(expression, scope),
    compiler,
  };
  return scope;
}

const VARIABLE = /^[a-z\u0080-\uffff][\w\u0080-\uffff]*$/;

/** Throws FailedToParse unless the name is allowed for a user's variable. */
export function checkVariable(name: string): void {
  if (VARIABLE.test(name) || name === 'CURRENT') return;
  fail('FailedToParse', `'${name}' starts with an invalid character for a user variable name`);
}

/** A scope with further variables, each with new storage. */
export function extendScope(scope: Scope, names: readonly string[]): { scope: Scope; cells: Cell[] } {
  const variables = new Map(scope.variables);
  const cells = names.map((name) => {
    checkVariable(name);
    const cell: Cell = { value: undefined };
    variables.set(name, cell);
    return cell;
  });
  const inner: Scope = { ...scope, variables, compile: (expression) => scope.compiler(expression, inner) };
  return { scope: inner, cells };
}
