import type { Document } from 'bson';
import { EngineError, fail } from '../../errors.js';
import { REDACT } from '../../expressions/compile-expression.js';
import { type Members, saying } from '../../expressions/operator.js';
import type { Scope } from '../../expressions/scope.js';
import { parseProjection } from '../../projection/parse-projection.js';
import {
  compileAdditions,
  compileTree,
  makeNode,
  type Node,
  setAction,
} from '../../projection/projection-tree.js';
import { checkPath } from '../../values/paths.js';
import { shellText } from '../../values/shell-text.js';
import { bsonTypeOf, hasOperator, isDocument } from '../../values/types.js';
import { type CompileStage, expandStage, mapStage, ofMembers } from '../stage.js';

const project: CompileStage = (operand, { scope }) => {
  if (!isDocument(operand)) return fail(15969, '$project specification must be an object');
  if (Object.keys(operand).length === 0) fail(51272, 'projection specification must have at least one field');
  const { node, mode } = parseProjection(operand, scope);
  return mapStage(compileTree(node, mode));
};

/** Nested documents are nested fields; anything else is an expression. */
function addFields(node: Node, path: string, value: unknown, scope: Scope): void {
  if (isDocument(value) && Object.keys(value).length > 0 && !hasOperator(value)) {
    for (const name of Object.keys(value)) addFields(node, `${path}.${name}`, value[name], scope);
    return;
  }
  setAction(node, path, { kind: 'compute', evaluate: scope.compile(value) });
}

const set: CompileStage = (operand, { scope }, name) => {
  if (!isDocument(operand))
    return fail(40272, `${name} specification stage must be an object, got ${bsonTypeOf(operand)}`);
  const node = makeNode();
  for (const [path, value] of Object.entries(operand)) {
    checkPath(path);
    addFields(node, path, value, scope);
  }
  return mapStage(compileAdditions(node));
};

const unset: CompileStage = (operand, { scope }) => {
  if (typeof operand !== 'string' && !Array.isArray(operand))
    return fail(31002, '$unset specification must be a string or an array');
  const paths = [operand].flat();
  if (paths.length === 0)
    fail(31119, '$unset specification must be a string or an array with at least one field');
  for (const path of paths) {
    if (typeof path !== 'string')
      fail(31120, '$unset specification must be a string or an array containing only string values');
    checkPath(path);
  }
  const { node, mode } = parseProjection(Object.fromEntries(paths.map((path) => [path, 0])), scope);
  return mapStage(compileTree(node, mode));
};

function replaceBy(expression: unknown, scope: Scope, what: string) {
  const evaluate = scope.compile(expression);
  return mapStage((document) => {
    const root = evaluate(document);
    if (isDocument(root)) return root;
    const text = root === undefined ? 'MISSING' : shellText(root);
    const met = `resulting value was: ${text}. Type of resulting value: '${bsonTypeOf(root)}'`;
    return fail(40228, `'${what}' expression must evaluate to an object, but ${met}`);
  });
}

const REPLACE_ROOT: Members = {
  object: saying(40229, 'expected an object as specification for $op stage, got $type'),
  unknown: saying(40415, "BSON field '$op.$key' is an unknown field."),
  required: ['newRoot'],
  missing: saying(40231, 'no newRoot specified for the $op stage'),
};

const replaceWith: CompileStage = (operand, { scope }) => replaceBy(operand, scope, 'replacement document');

const redact: CompileStage = (operand, { scope }) => {
  const evaluate = scope.compile(operand);
  const redactValue = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(redactValue).filter((item) => item !== undefined);
    return isDocument(value) ? redactDocument(value) : value;
  };
  const redactDocument = (document: Document): Document | undefined => {
    const decision = evaluate(document);
    if (decision === REDACT.$$PRUNE) return undefined;
    if (decision === REDACT.$$KEEP) return document;
    if (decision !== REDACT.$$DESCEND)
      fail(17053, '$redact expression should have resolved to one of $$KEEP, $$PRUNE, or $$DESCEND');
    const out: Document = {};
    for (const [name, value] of Object.entries(document)) {
      const kept = redactValue(value);
      if (kept !== undefined) out[name] = kept;
    }
    return out;
  };
  return expandStage((document) => {
    const kept = redactDocument(document);
    return kept === undefined ? [] : [kept];
  });
};

/** A stage whose errors include its name, as MongoDB's do. */
const telling =
  (compile: CompileStage): CompileStage =>
  (operand, within, name) => {
    try {
      return compile(operand, within, name);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      throw new EngineError(error.code, `Invalid ${name} :: caused by :: ${error.message}`, error.details);
    }
  };

/** Stages that change the shape of each document. */
export const SHAPE: Readonly<Record<string, CompileStage>> = {
  $project: telling(project),
  $set: telling(set),
  $addFields: telling(set),
  $unset: telling(unset),
  $replaceRoot: ofMembers(REPLACE_ROOT, ({ newRoot }, { scope }) => replaceBy(newRoot, scope, 'newRoot')),
  $replaceWith: replaceWith,
  $redact: redact,
};
