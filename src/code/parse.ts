import { readFile } from 'node:fs/promises';
import { type AnyNode, type Expression, type Program, parse } from 'acorn';

/** A file's code as a tree, with what its top level names and what it exports by default. */
export interface ParsedFile {
  readonly program: Program;
  /** Initial values of the constants of the top level, by name. */
  readonly constants: ReadonlyMap<string, Expression>;
  /** Null: the file exports nothing that is written in it. */
  readonly exported: Expression | null;
}

/**
 * Reads JavaScript or TypeScript, of either module kind, without running it.
 * @throws the parser's error
 */
export async function parseFile(file: string): Promise<ParsedFile> {
  const source = await readFile(file, 'utf8');
  const { createJiti } = await import('jiti');
  const jiti = createJiti(file, { fsCache: false });
  const code = jiti.transform({ source, filename: file, ts: /\.[cm]?ts$/.test(file), async: true });
  if (code.includes('__JITI_ERROR__')) throw new Error('it does not parse');
  const program = parse(code, {
    ecmaVersion: 'latest',
    sourceType: 'script',
    allowAwaitOutsideFunction: true,
    allowReturnOutsideFunction: true,
  });
  const constants = new Map<string, Expression>();
  let exported: Expression | null = null;
  for (const statement of program.body) {
    if (statement.type === 'VariableDeclaration')
      for (const { id, init } of statement.declarations) {
        if (id.type === 'Identifier' && init && statement.kind !== 'let') constants.set(id.name, init);
        exported = (init && defaultExport(init)) ?? exported;
      }
    if (statement.type === 'ExpressionStatement') exported = defaultExport(statement.expression) ?? exported;
  }
  return { program, constants, exported };
}

/** The value of `module.exports = …` or `exports.default = …`, also within another assignment. */
function defaultExport(expression: Expression): Expression | null {
  if (expression.type !== 'AssignmentExpression') return null;
  const place = pathOf(expression.left)?.join('.');
  if (place === 'module.exports' || place === 'exports.default' || place === 'module.exports.default')
    return expression.right.type === 'UnaryExpression' ? null : lastOf(expression.right);
  return defaultExport(expression.right);
}

const lastOf = (expression: Expression): Expression =>
  expression.type === 'AssignmentExpression' ? lastOf(expression.right) : expression;

/** `['a', 'b', 'c']` of `a.b['c']` and of `(0, a.b).c`; null for anything else. */
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

/** The node and all below it. */
export function* nodesIn(node: AnyNode): Generator<AnyNode> {
  yield node;
  for (const value of Object.values(node))
    for (const inner of [value].flat()) if (isNode(inner)) yield* nodesIn(inner);
}
