import type { AnyNode } from 'acorn';

/** `['a', 'b', 'c']` for `a.b['c']` and `(0, a.b).c`; null for anything else. */
export function pathOf(node: AnyNode): readonly string[] | null {
  if (node.type === 'Identifier') return [node.name];
  if (node.type === 'ParenthesizedExpression') return pathOf(node.expression);
  if (node.type === 'ChainExpression') return pathOf(node.expression);
  if (node.type === 'SequenceExpression') {
    const last = node.expressions.at(-1);
    return last ? pathOf(last) : null;
  }
  if (node.type === 'CallExpression') {
    const [argument] = node.arguments;
    const required = pathOf(node.callee)?.join('.') === 'require' && argument?.type === 'Literal';
    return required ? [`require(${String(argument.value)})`] : null;
  }
  if (node.type !== 'MemberExpression') return null;
  const before = pathOf(node.object);
  const { property } = node;
  if (before === null) return null;
  if (!node.computed && property.type === 'Identifier') return [...before, property.name];
  return property.type === 'Literal' ? [...before, String(property.value)] : null;
}

const isNode = (value: unknown): value is AnyNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

/** The direct children of a node. */
const nodesBelow = (node: AnyNode): readonly AnyNode[] =>
  Object.values(node).flatMap((value: unknown) => [value].flat().filter(isNode));

/** The node and all its descendants. */
export function* nodesIn(node: AnyNode): Generator<AnyNode> {
  yield node;
  for (const inner of nodesBelow(node)) yield* nodesIn(inner);
}
