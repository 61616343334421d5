import type { AnyNode, Program } from 'acorn';
import { nodesIn } from './nodes.js';

/** What a file's names stand for: `const { documents } = strapi` makes `documents` one for `strapi.documents`. */
export type Names = ReadonlyMap<string, readonly string[]>;

const MAX_STEPS = 10;

/** The steps of an expression with calls passed over, `strapi.get('x').add` as `strapi`, `get`, `add`; null where it is none. */
export function chainOf(node: AnyNode, names: Names, steps = 0): readonly string[] | null {
  switch (node.type) {
    case 'Identifier': {
      const known = steps < MAX_STEPS ? names.get(node.name) : undefined;
      return known && known[0] !== node.name ? known : [node.name];
    }
    case 'ParenthesizedExpression':
    case 'ChainExpression':
      return chainOf(node.expression, names, steps);
    case 'AwaitExpression':
      return chainOf(node.argument, names, steps);
    case 'SequenceExpression': {
      const last = node.expressions.at(-1);
      return last ? chainOf(last, names, steps) : null;
    }
    case 'CallExpression':
      return chainOf(node.callee, names, steps);
    case 'MemberExpression': {
      const before = chainOf(node.object, names, steps);
      if (before === null) return null;
      const { property } = node;
      if (!node.computed && property.type === 'Identifier') return [...before, property.name];
      // A step that is computed stands for any.
      return [...before, property.type === 'Literal' ? String(property.value) : '*'];
    }
    default:
      return null;
  }
}

/** The names of a file that stand for parts of `strapi`, in the order of their declarations. */
export function namesFor(program: Program): Names {
  const names = new Map<string, readonly string[]>();
  const bind = (pattern: AnyNode, chain: readonly string[]): void => {
    if (chain[0] !== 'strapi') return;
    if (pattern.type === 'Identifier') names.set(pattern.name, chain);
    if (pattern.type === 'AssignmentPattern') bind(pattern.left, chain);
    if (pattern.type === 'ObjectPattern')
      for (const one of pattern.properties)
        if (one.type === 'Property' && one.key.type === 'Identifier')
          bind(one.value, [...chain, one.key.name]);
  };
  for (const node of nodesIn(program)) {
    if (node.type === 'VariableDeclarator' && node.init) {
      const chain = chainOf(node.init, names);
      if (chain) bind(node.id, chain);
    }
    // `({ strapi: app })`
    if (node.type === 'Property' && node.key.type === 'Identifier' && node.key.name === 'strapi')
      bind(node.value, ['strapi']);
  }
  return names;
}
