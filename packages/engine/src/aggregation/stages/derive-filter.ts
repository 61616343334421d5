import type { Document } from 'bson';
import type { Scope } from '../../expressions/scope.js';
import { isRegex } from '../../values/regex.js';
import { isDocument, UNDEFINED } from '../../values/types.js';

/** The part of a sub-pipeline's leading `$match` that can be used to query the collection, as far as an index may serve it. */
export interface DerivedFilter {
  /** Conditions that use no variables. */
  readonly constant: readonly Document[];
  /** Conditions from `$expr` that compare a field with variables, using the variables' current values. */
  readonly derive: readonly (() => Document | undefined)[];
  /** Whether some condition is neither, so that documents must be tested again. */
  readonly residual: boolean;
}

const usesVariables = (value: unknown): boolean => {
  if (typeof value === 'string') return value.startsWith('$$');
  if (Array.isArray(value)) return value.some(usesVariables);
  return isDocument(value) && Object.values(value).some(usesVariables);
};

/** Whether a filter reads a variable, which only `$expr` can. */
export function filterUsesVariables(filter: Document): boolean {
  return Object.entries(filter).some(([name, condition]) => {
    if (name === '$expr') return usesVariables(condition);
    return (
      name.startsWith('$') &&
      Array.isArray(condition) &&
      condition.some((clause) => isDocument(clause) && filterUsesVariables(clause))
    );
  });
}

const fieldOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.startsWith('$') && !value.startsWith('$$') ? value.slice(1) : undefined;

/** Operators whose operand is not an expression. */
const CONSTANT = new Set(['$literal', '$const']);

/** Whether an expression reads the document, rather than only variables and constants. */
export function readsFields(value: unknown): boolean {
  if (typeof value === 'string')
    return fieldOf(value) !== undefined || value.startsWith('$$ROOT') || value.startsWith('$$CURRENT');
  if (Array.isArray(value)) return value.some(readsFields);
  return (
    isDocument(value) &&
    Object.entries(value).some(
      ([name, item]) =>
        (name === '$getField' && !(isDocument(item) && 'input' in item)) ||
        (!CONSTANT.has(name) && readsFields(item)),
    )
  );
}

/** A value with which an equality in a filter matches at least what `$eq` between expressions matches. */
const isPlain = (value: unknown): boolean => !Array.isArray(value) && !isRegex(value) && value !== UNDEFINED;

function deriveEqual(operands: unknown, scope: Scope): (() => Document | undefined) | undefined {
  if (!Array.isArray(operands) || operands.length !== 2) return undefined;
  const [a, b] = operands;
  const path = fieldOf(a) ?? fieldOf(b);
  const other = fieldOf(a) === undefined ? a : b;
  if (path === undefined || readsFields(other)) return undefined;
  const evaluate = scope.compile(other);
  return () => {
    const value = evaluate({});
    return isPlain(value) ? { [path]: { $eq: value ?? null } } : undefined;
  };
}

function deriveIn(operands: unknown, scope: Scope): (() => Document | undefined) | undefined {
  if (!Array.isArray(operands) || operands.length !== 2) return undefined;
  const [item, list] = operands;
  const path = fieldOf(item);
  if (path !== undefined && !readsFields(list)) {
    const evaluate = scope.compile(list);
    return () => {
      const values = evaluate({});
      return Array.isArray(values) && values.every(isPlain) ? { [path]: { $in: values } } : undefined;
    };
  }
  // A variable in a field's array.
  return fieldOf(list) === undefined ? undefined : deriveEqual([list, item], scope);
}

function deriveExpression(expression: unknown, scope: Scope, out: (() => Document | undefined)[]): void {
  if (!isDocument(expression)) return;
  const [name, operands] = Object.entries(expression)[0] ?? [];
  if (name === '$and' && Array.isArray(operands))
    for (const part of operands) deriveExpression(part, scope, out);
  const derived =
    name === '$eq' ? deriveEqual(operands, scope) : name === '$in' ? deriveIn(operands, scope) : undefined;
  if (derived !== undefined) out.push(derived);
}

/**
 * Splits the conditions of a filter into those that an index may serve before variables have values and those it may serve
 * afterwards.
 */
export function deriveFilter(filter: Document, scope: Scope): DerivedFilter {
  const constant: Document[] = [];
  const derive: (() => Document | undefined)[] = [];
  let residual = false;
  for (const [name, condition] of Object.entries(filter)) {
    if (!filterUsesVariables({ [name]: condition })) constant.push({ [name]: condition });
    else {
      residual = true;
      if (name === '$expr') deriveExpression(condition, scope, derive);
      if (name === '$and') {
        for (const clause of condition as Document[]) {
          const inner = deriveFilter(clause, scope);
          constant.push(...inner.constant);
          derive.push(...inner.derive);
        }
      }
    }
  }
  return { constant, derive, residual };
}
