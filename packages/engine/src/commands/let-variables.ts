import type { Document } from 'bson';
import { readsFields } from '../aggregation/index.js';
import { fail } from '../errors.js';
import { compileExpression, expressionScope } from '../expressions/compile-expression.js';
import { checkVariable } from '../expressions/scope.js';

/** Variables whose values the server provides. */
const BUILT_IN = new Set(['NOW', 'CLUSTER_TIME', 'JS_SCOPE', 'IS_MR', 'USER_ROLES']);

/**
 * The values of a command's `let`: expressions without a document. Throws FailedToParse or 4738901 for an invalid variable name,
 * 4890500 for an expression that reads a field.
 */
export function letValues(given: Document): Document {
  const scope = expressionScope({});
  const values = Object.entries(given).map(([name, expression]) => {
    if (BUILT_IN.has(name)) fail(4738901, `Attempt to set internal constant: ${name}`);
    checkVariable(name);
    if (readsFields(expression))
      fail(4890500, 'Command let Expression tried to access a field, but this is not allowed');
    return [name, compileExpression(expression, scope)({})];
  });
  return Object.fromEntries(values);
}
