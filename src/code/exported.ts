import type {
  AnyNode,
  ArrowFunctionExpression,
  CallExpression,
  Expression,
  FunctionDeclaration,
  FunctionExpression,
  ObjectExpression,
  ReturnStatement,
} from 'acorn';
import { nodesBelow, pathOf } from './nodes.js';
import type { ParsedFile } from './parse.js';
import { keyOf } from './static-value.js';

const MAX_STEPS = 20;

/** The expression behind a name, following constants of the file. */
export function resolveName(node: AnyNode | null | undefined, file: ParsedFile, steps = 0): AnyNode | null {
  if (!node || steps > MAX_STEPS) return null;
  if (node.type === 'ParenthesizedExpression') return resolveName(node.expression, file, steps + 1);
  if (node.type === 'AssignmentExpression') return resolveName(node.right, file, steps + 1);
  if (node.type !== 'Identifier') return node;
  const constant = file.constants.get(node.name);
  return constant ? resolveName(constant, file, steps + 1) : node;
}

/** The module that a name, or a call of `require` as returned by `pathOf`, comes from. */
export const originOf = (root: string, file: ParsedFile): string | undefined =>
  /^require\((.*)\)$/.exec(root)?.[1] ?? file.origins.get(root);

/** A call of a Strapi factory such as `createCoreRouter(uid, options)`; null for anything else. */
export function factoryCall(
  node: AnyNode | null | undefined,
  file: ParsedFile,
  name: string,
): CallExpression | null {
  const made = resolveName(node, file);
  if (made?.type !== 'CallExpression') return null;
  const path = pathOf(made.callee);
  const [root = ''] = path ?? [];
  const from = originOf(root, file);
  // The project may have a function of the same name.
  const isStrapis = from === undefined ? !file.constants.has(root) : from.startsWith('@strapi/');
  return path?.at(-1) === name && isStrapis ? made : null;
}

export type Members = ReadonlyMap<string, Expression | AnyNode>;

/**
 * The members of an object, or of the object that a function returns; null if they are not written out.
 * @example `({ strapi }) => ({ async find(ctx) {} })` has one, `find`
 */
export function membersOf(node: AnyNode | null | undefined, file: ParsedFile): Members | null {
  const value = resolveName(node, file);
  if (!value) return null;
  if (value.type === 'ObjectExpression') return objectMembers(value);
  const answer = answerOf(value);
  return answer && membersOf(answer, file);
}

export const isFunction = (
  node: AnyNode,
): node is ArrowFunctionExpression | FunctionExpression | FunctionDeclaration =>
  node.type === 'ArrowFunctionExpression' ||
  node.type === 'FunctionExpression' ||
  node.type === 'FunctionDeclaration';

/** What a function returns if it has one return value; null if there may be several. */
export function answerOf(node: AnyNode): AnyNode | null {
  if (!isFunction(node)) return null;
  if (node.body.type !== 'BlockStatement') return node.body;
  const [answer, ...others] = returnsIn(node.body);
  return others.length === 0 ? (answer?.argument ?? null) : null;
}

/** Return statements of the function itself, not of nested functions. */
function* returnsIn(node: AnyNode): Generator<ReturnStatement> {
  if (node.type === 'ReturnStatement') yield node;
  for (const inner of nodesBelow(node)) if (!isFunction(inner)) yield* returnsIn(inner);
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

/** Whether a function has a non-empty body. */
export const doesSomething = (node: AnyNode | undefined): boolean =>
  node !== undefined &&
  !(isFunction(node) && node.body.type === 'BlockStatement' && node.body.body.length === 0);
