import type { Document } from 'bson';
import { fail } from '../../errors.js';
import { compileExpression } from '../../expressions/compile-expression.js';
import type { Scope } from '../../expressions/scope.js';
import { compileFilter } from '../../matching/compile-filter.js';
import type { TestDocument } from '../../matching/match-path.js';
import { isDocument } from '../../values/types.js';
import { type CompileStage, expandStage } from '../stage.js';

const NONE: readonly Document[] = [];

/** Compiles a filter whose `$expr` sees a pipeline's variables. */
export function compileMatch(filter: Document, scope: Scope): TestDocument {
  return compileFilter(filter, {
    collation: scope.collation,
    expression: (operand) => compileExpression(operand, scope),
  });
}

/** `$match`. */
export const match: CompileStage = (operand, { scope }) => {
  if (!isDocument(operand)) return fail(15959, 'the match filter must be an expression in an object');
  const test = compileMatch(operand, scope);
  return expandStage((document) => (test(document) ? [document] : NONE));
};
