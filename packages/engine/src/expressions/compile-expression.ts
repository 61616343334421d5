import { type Document, Timestamp } from 'bson';
import { fail } from '../errors.js';
import type { Collation } from '../values/collation.js';
import { setMember } from '../values/paths.js';
import { isDocument } from '../values/types.js';
import { ACCUMULATED } from './accumulated.js';
import { ARITHMETIC } from './arithmetic.js';
import { ARRAYS } from './arrays.js';
import { BOOLEAN_OPERATORS } from './boolean.js';
import { COMPARISON } from './comparison.js';
import { CONVERSION } from './conversion.js';
import { DATES } from './dates.js';
import { compilePath, compileRootPath } from './field-path.js';
import { ITERATION } from './iteration.js';
import { MISCELLANY } from './miscellany.js';
import { OBJECTS } from './objects.js';
import { constant, type Operators } from './operator.js';
import { REGEX_OPERATORS } from './regex-operators.js';
import { ROUNDING } from './rounding.js';
import { type Cell, checkVariable, type Evaluate, makeScope, type Scope } from './scope.js';
import { SETS } from './sets.js';
import { STRINGS } from './strings.js';
import { TRIGONOMETRY } from './trigonometry.js';

const OPERATORS: Operators = {
  ...ACCUMULATED,
  ...ARITHMETIC,
  ...ARRAYS,
  ...BOOLEAN_OPERATORS,
  ...COMPARISON,
  ...CONVERSION,
  ...DATES,
  ...ITERATION,
  ...MISCELLANY,
  ...OBJECTS,
  ...REGEX_OPERATORS,
  ...ROUNDING,
  ...SETS,
  ...STRINGS,
  ...TRIGONOMETRY,
};

/** Whether there is an operator of that name. */
export const isExpression = (name: string): boolean => Object.hasOwn(OPERATORS, name);

/** What `$redact` compares its expression's value with. */
export const REDACT = { $$DESCEND: 'descend', $$PRUNE: 'prune', $$KEEP: 'keep' } as const;

function systemVariable(name: string, scope: Scope): Evaluate | undefined {
  switch (name) {
    case 'ROOT':
    case 'CURRENT':
      return (root) => root;
    case 'REMOVE':
      return constant(undefined);
    case 'NOW':
      return constant(scope.now);
    case 'CLUSTER_TIME':
      return constant(new Timestamp({ t: Math.floor(+scope.now / 1000), i: (+scope.now % 1000) + 1 }));
    case 'JS_SCOPE':
    case 'IS_MR':
      return () => fail(51144, `Builtin variable '$$${name}' is not available`);
    case 'DESCEND':
    case 'PRUNE':
    case 'KEEP':
      return constant(REDACT[`$$${name}`]);
    default:
      return undefined;
  }
}

function compileVariable(reference: string, scope: Scope): Evaluate {
  const dot = reference.indexOf('.');
  const name = dot < 0 ? reference : reference.slice(0, dot);
  const path = dot < 0 ? undefined : reference.slice(dot + 1);
  if ((name === 'ROOT' || name === 'CURRENT') && path !== undefined && !scope.variables.has(name)) {
    return compileRootPath(path);
  }
  if (!/^[A-Z][\w\u0080-\uffff]*$/.test(name)) checkVariable(name);
  const cell = scope.variables.get(name);
  const base = cell === undefined ? systemVariable(name, scope) : readCell(cell);
  if (base === undefined) return fail(17276, `Use of undefined variable: ${name}`);
  if (path === undefined) return base;
  const read = compilePath(path);
  return (root) => read(base(root));
}

const readCell =
  (cell: Cell): Evaluate =>
  () =>
    cell.value;

function compileObject(expression: Document, scope: Scope): Evaluate {
  const members = Object.entries(expression).map(([name, value]) => {
    if (name.startsWith('$'))
      fail(16410, `FieldPath field names may not start with '$'. Consider using $getField or $setField.`);
    if (name.includes('.'))
      fail(16412, `FieldPath field names may not contain '.'. Consider using $getField or $setField.`);
    return { name, evaluate: scope.compile(value) };
  });
  const evaluateAll: Evaluate = (root) => {
    const out: Document = {};
    for (const { name, evaluate } of members) {
      const value = evaluate(root);
      if (value !== undefined) setMember(out, name, value);
    }
    return out;
  };
  return members.every(({ evaluate }) => evaluate.constant) ? constant(evaluateAll({})) : evaluateAll;
}

function compileArray(expression: readonly unknown[], scope: Scope): Evaluate {
  const items = expression.map((item) => scope.compile(item));
  const evaluateAll: Evaluate = (root) =>
    items.map((item) => {
      const value = item(root);
      return value === undefined ? null : value;
    });
  return items.every((item) => item.constant) ? constant(evaluateAll({})) : evaluateAll;
}

/** Compiles an aggregation expression within a scope. Throws InvalidPipelineOperator for an unknown operator. */
export function compileExpression(expression: unknown, scope: Scope): Evaluate {
  if (typeof expression === 'string') {
    if (expression.startsWith('$$')) return compileVariable(expression.slice(2), scope);
    // A variable of that name replaces the document.
    if (expression.startsWith('$') && scope.variables.has('CURRENT'))
      return compileVariable(`CURRENT.${expression.slice(1)}`, scope);
    if (expression.startsWith('$')) return compileRootPath(expression.slice(1));
    return constant(expression);
  }
  if (Array.isArray(expression)) return compileArray(expression, scope);
  if (!isDocument(expression)) return constant(expression);
  const names = Object.keys(expression);
  const [name] = names;
  if (name === undefined || !name.startsWith('$')) return compileObject(expression, scope);
  if (names.length > 1) {
    fail(15983, `An object representing an expression must have exactly one field: ${JSON.stringify(names)}`);
  }
  const operator = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
  if (operator === undefined) return fail('InvalidPipelineOperator', `Unrecognized expression '${name}'`);
  return operator(expression[name], scope, name);
}

/** How callers outside a pipeline can create a scope. */
export interface ExpressionOptions {
  readonly collation?: Collation | undefined;
  /** The values of `let`. */
  readonly variables?: Document | undefined;
  readonly now?: Date | undefined;
}

/** The scope of a standalone expression, such as `$expr`'s or an update's. */
export function expressionScope({ collation, variables = {}, now }: ExpressionOptions): Scope {
  const cells = new Map(Object.entries(variables).map(([name, value]): [string, Cell] => [name, { value }]));
  return makeScope({ collation, variables: cells, now }, compileExpression);
}
