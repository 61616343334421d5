import type { AnyNode, ObjectExpression } from 'acorn';

/** A value that is only known by running the code. */
const UNKNOWN: unique symbol = Symbol('unknown');

const MAX_STEPS = 50;

/**
 * The value of an expression as far as it is known without running anything: literals, objects, lists,
 * templates, and the given constants, made of these. Other parts are UNKNOWN; an object or list that spreads
 * such a part is UNKNOWN as a whole.
 */
export function staticValue(node: AnyNode, constants: ReadonlyMap<string, AnyNode>, steps = 0): unknown {
  if (steps > MAX_STEPS) return UNKNOWN;
  const inner = (part: AnyNode): unknown => staticValue(part, constants, steps + 1);
  switch (node.type) {
    case 'Literal':
      return 'regex' in node || 'bigint' in node ? UNKNOWN : node.value;
    case 'TemplateLiteral':
      return node.expressions.length === 0 ? (node.quasis[0]?.value.cooked ?? UNKNOWN) : UNKNOWN;
    case 'Identifier': {
      if (node.name === 'undefined') return undefined;
      const constant = constants.get(node.name);
      return constant ? inner(constant) : UNKNOWN;
    }
    case 'UnaryExpression':
      return node.operator === '!'
        ? not(inner(node.argument))
        : node.operator === 'void'
          ? undefined
          : UNKNOWN;
    case 'ParenthesizedExpression':
      return inner(node.expression);
    case 'AssignmentExpression':
      return inner(node.right);
    case 'ArrayExpression': {
      const items: unknown[] = [];
      for (const item of node.elements) {
        if (item === null) items.push(undefined);
        else if (item.type !== 'SpreadElement') items.push(inner(item));
        else {
          const spread = inner(item.argument);
          if (!Array.isArray(spread)) return UNKNOWN;
          items.push(...spread);
        }
      }
      return items;
    }
    case 'ObjectExpression':
      return objectValue(node, inner);
    default:
      return UNKNOWN;
  }
}

const not = (value: unknown): unknown => (value === UNKNOWN ? UNKNOWN : !value);

function objectValue(node: ObjectExpression, inner: (part: AnyNode) => unknown): unknown {
  const members: [string, unknown][] = [];
  for (const property of node.properties) {
    if (property.type === 'SpreadElement') {
      const spread = inner(property.argument);
      if (spread === UNKNOWN || typeof spread !== 'object' || spread === null) return UNKNOWN;
      members.push(...Object.entries(spread));
      continue;
    }
    const name = keyOf(property);
    if (name === null) return UNKNOWN;
    members.push([name, property.kind === 'init' ? inner(property.value) : UNKNOWN]);
  }
  return Object.fromEntries(members);
}

/** The name of a member; null if it is computed. */
function keyOf(
  property: Extract<ObjectExpression['properties'][number], { type: 'Property' }>,
): string | null {
  if (property.computed) return property.key.type === 'Literal' ? String(property.key.value) : null;
  return property.key.type === 'Identifier'
    ? property.key.name
    : property.key.type === 'Literal'
      ? String(property.key.value)
      : null;
}
