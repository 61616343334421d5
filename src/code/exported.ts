import type { AnyNode, CallExpression, Expression, ObjectExpression } from 'acorn';
import { nodesIn, type ParsedFile, pathOf } from './parse.js';
import { keyOf } from './static-value.js';

const MOST_STEPS = 20;

/** The expression that a chain of constants of the file ends in. */
export function resolveName(node: AnyNode | null | undefined, file: ParsedFile, steps = 0): AnyNode | null {
  if (!node || steps > MOST_STEPS) return null;
  if (node.type === 'ParenthesizedExpression') return resolveName(node.expression, file, steps + 1);
  if (node.type === 'AssignmentExpression') return resolveName(node.right, file, steps + 1);
  if (node.type !== 'Identifier') return node;
  const constant = file.constants.get(node.name);
  return constant ? resolveName(constant, file, steps + 1) : node;
}

/** The call of a factory, `createCoreRouter(uid, options)`, that the file exports; null for anything else. */
export function factoryCall(file: ParsedFile, name: string): CallExpression | null {
  const exported = resolveName(file.exported, file);
  return exported?.type === 'CallExpression' && pathOf(exported.callee)?.at(-1) === name ? exported : null;
}

export type Members = ReadonlyMap<string, Expression | AnyNode>;

/**
 * The members of an object, or of the object that a function answers with; null where they are not written out.
 * @example `({ strapi }) => ({ async find(ctx) {} })` has one, `find`
 */
export function membersOf(node: AnyNode | null | undefined, file: ParsedFile): Members | null {
  const value = resolveName(node, file);
  if (!value) return null;
  if (value.type === 'ObjectExpression') return objectMembers(value);
  if (value.type === 'ArrowFunctionExpression' && value.expression) return membersOf(value.body, file);
  if (
    value.type === 'ArrowFunctionExpression' ||
    value.type === 'FunctionExpression' ||
    value.type === 'FunctionDeclaration'
  ) {
    if (value.body.type !== 'BlockStatement') return null;
    const answers = value.body.body.filter((statement) => statement.type === 'ReturnStatement');
    return answers.length === 1 ? membersOf(answers[0]?.argument, file) : null;
  }
  return null;
}

function objectMembers(node: ObjectExpression): Members | null {
  const members = new Map<string, AnyNode>();
  for (const property of node.properties) {
    const name = property.type === 'Property' ? keyOf(property) : null;
    if (property.type !== 'Property' || name === null) return null;
    members.set(name, property.value);
  }
  return members;
}

/** Whether a function does something: its body is not empty. */
export const doesSomething = (node: AnyNode | undefined): boolean => {
  if (!node) return false;
  const isFunction = node.type === 'ArrowFunctionExpression' || node.type === 'FunctionExpression';
  return !(isFunction && node.body.type === 'BlockStatement' && node.body.body.length === 0);
};

export const throws = (node: AnyNode): boolean => {
  for (const { type } of nodesIn(node)) if (type === 'ThrowStatement') return true;
  return false;
};
