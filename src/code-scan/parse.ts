import { readFile } from 'node:fs/promises';
import type * as Acorn from 'acorn';
import type { AnyNode, Expression, FunctionDeclaration, Program } from 'acorn';
import { packageOnUse } from '../values/on-use.js';
import { nodesIn, pathOf } from './nodes.js';

const acornPackage = packageOnUse<typeof Acorn>('acorn');

type ParsedValue = Expression | FunctionDeclaration;

/** The syntax tree of a file, with its top-level constants and its default export. */
export interface ParsedFile {
  /** Initial values of top-level constants and functions, by name. */
  readonly constants: ReadonlyMap<string, ParsedValue>;
  /** Null: the file exports nothing. A name that is not a constant: the export is unknown. */
  readonly exported: ParsedValue | null;
}

/**
 * Parses JavaScript or TypeScript, as ES or CommonJS module, without running it.
 * @throws SyntaxError if the parser refuses it
 */
export async function parseFile(file: string): Promise<ParsedFile> {
  const source = await readFile(file, 'utf8');
  const { createJiti } = await import('jiti');
  const jiti = createJiti(file, { fsCache: false });
  const code = jiti.transform({ source, filename: file, ts: /\.[cm]?ts$/.test(file), async: true });
  if (code.includes('__JITI_ERROR__')) throw new Error('it cannot be parsed');
  const program = acornPackage().parse(code, {
    ecmaVersion: 'latest',
    sourceType: 'script',
    allowAwaitOutsideFunction: true,
    allowReturnOutsideFunction: true,
  });
  const constants = new Map<string, ParsedValue>();
  const exports = new Exports();
  for (const statement of program.body) {
    if (statement.type === 'FunctionDeclaration' && statement.id) constants.set(statement.id.name, statement);
    if (statement.type === 'VariableDeclaration')
      for (const { id, init } of statement.declarations) {
        if (id.type === 'Identifier' && init && statement.kind !== 'let') constants.set(id.name, init);
        if (init) exports.take(init);
      }
    if (statement.type === 'ExpressionStatement') exports.take(statement.expression);
  }
  const exported = exports.value(program);
  return { constants, exported };
}

const NOWHERE = { start: 0, end: 0 };

/** An export that is only known by running the file. */
const UNTOLD: Expression = { type: 'Identifier', name: 'exports', ...NOWHERE };

/** The exports of a file, from its statements in order. */
class Exports {
  #default: Expression | null = null;
  /** Set by `exports.find = …`; in CommonJS these are the module itself. */
  readonly #members = new Map<string, Expression>();
  readonly #taken = new Set<AnyNode>();
  #isModule = false;

  take(expression: Expression): void {
    if (expression.type === 'CallExpression') {
      const [, name] = expression.arguments;
      if (name?.type !== 'Literal') return;
      if (name.value === '__esModule') this.#isModule = true;
      // export { default } from './other'
      if (name.value === 'default') this.#default = UNTOLD;
      return;
    }
    if (expression.type !== 'AssignmentExpression') return;
    const path = exportedBy(expression.left);
    if (path) {
      this.#taken.add(expression);
      const value = lastOf(expression.right);
      const isDefault = path.length === 0 || path.join('.') === 'default';
      // Transpiled modules announce an export with `exports.x = void 0`.
      if (isDefault && value.type !== 'UnaryExpression') this.#default = value;
      else if (!isDefault) this.#members.set(path.join('.'), value);
    }
    this.take(expression.right);
  }

  value(program: Program): Expression | null {
    for (const node of nodesIn(program))
      if (node.type === 'AssignmentExpression' && exportedBy(node.left) && !this.#taken.has(node))
        return UNTOLD;
    if (this.#isModule || this.#members.size === 0) return this.#default;
    // Members are added to the exported value.
    if (this.#default) return UNTOLD;
    return {
      type: 'ObjectExpression',
      properties: [...this.#members].map(([name, value]) => ({
        type: 'Property',
        key: { type: 'Identifier', name, ...NOWHERE },
        value,
        kind: 'init',
        method: false,
        shorthand: false,
        computed: false,
        ...NOWHERE,
      })),
      ...NOWHERE,
    };
  }
}

/** `[]` for `module.exports`, `['find']` for `exports.find`; null for anything else. */
const exportedBy = (node: AnyNode): readonly string[] | null => {
  const [first, second, ...rest] = pathOf(node) ?? [];
  if (first === 'module' && second === 'exports') return rest;
  return first === 'exports' && second !== undefined ? [second, ...rest] : null;
};

const lastOf = (expression: Expression): Expression =>
  expression.type === 'AssignmentExpression' ? lastOf(expression.right) : expression;
