import type { AnyNode, CallExpression, Expression } from 'acorn';
import { factoryCall, isFunction, resolveName } from './exported.js';
import { pathOf } from './nodes.js';
import type { ParsedFile } from './parse.js';
import { keyOf } from './static-value.js';

/** The core router of a type, joined with routes that are written out. */
export interface JoinedRouter {
  /** `createCoreRouter(uid, options)` */
  readonly core: CallExpression;
  /** Lists of routes. */
  readonly lists: readonly AnyNode[];
  /** The prefix of the core router applies to all of them; otherwise there is none. */
  readonly keepsPrefix: boolean;
}

/**
 * A file that exports `customRouter(defaultRouter, extraRoutes)`, or an object whose `routes` are
 * `[...defaultRouter.routes, ...extraRoutes]`: the ways to add routes in Strapi's documentation. Null for
 * code that does or might do anything else.
 */
export function joinedRouter(file: ParsedFile): JoinedRouter | null {
  const exported = resolveName(file.exported, file);
  if (exported?.type === 'ObjectExpression') return new Walk(file, new Map()).router(exported);
  if (exported?.type !== 'CallExpression') return null;
  const made = functionOf(exported.callee, file);
  if (!made) return null;
  const given = new Map<string, AnyNode>();
  for (const [at, parameter] of made.params.entries()) {
    const [name, otherwise] =
      parameter.type === 'AssignmentPattern' ? [parameter.left, parameter.right] : [parameter, null];
    const argument = exported.arguments[at] ?? otherwise;
    if (name.type !== 'Identifier' || !argument) return null;
    given.set(name.name, argument);
  }
  return new Walk(file, given).router(made.body);
}

function functionOf(callee: AnyNode, file: ParsedFile) {
  const value = resolveName(callee, file);
  return value && isFunction(value) ? value : null;
}

/** Follows the code of a router, as long as it only joins lists. */
class Walk {
  readonly #file: ParsedFile;
  readonly #given: ReadonlyMap<string, AnyNode>;
  readonly #locals = new Set<string>();
  readonly #lists: AnyNode[] = [];
  #core: CallExpression | null = null;
  #routes = false;
  #prefix = false;

  constructor(file: ParsedFile, given: ReadonlyMap<string, AnyNode>) {
    this.#file = file;
    this.#given = given;
  }

  router(body: AnyNode): JoinedRouter | null {
    if (!this.#joins(body) || !this.#core || !this.#routes) return null;
    return { core: this.#core, lists: this.#lists, keepsPrefix: this.#prefix };
  }

  #joins(node: AnyNode | null | undefined): boolean {
    switch (node?.type) {
      case 'BlockStatement':
        return node.body.every((statement) => this.#joins(statement));
      case 'VariableDeclaration':
        return node.declarations.every(({ id, init }) => {
          if (id.type !== 'Identifier') return false;
          this.#locals.add(id.name);
          return !init || this.#joins(init);
        });
      case 'ExpressionStatement':
      case 'ParenthesizedExpression':
        return this.#joins(node.expression);
      case 'ReturnStatement':
        return this.#joins(node.argument);
      case 'IfStatement':
        return this.#joins(node.test) && this.#joins(node.consequent) && !node.alternate;
      case 'UnaryExpression':
        return node.operator === '!' && this.#joins(node.argument);
      case 'AssignmentExpression':
        return node.left.type === 'Identifier' && this.#locals.has(node.left.name) && this.#joins(node.right);
      case 'ArrayExpression':
        return node.elements.every((item) => item?.type === 'SpreadElement' && this.#joins(item.argument));
      case 'CallExpression':
        return this.#joinsCall(node);
      case 'MemberExpression':
        return this.#takesFromCore(node.object, pathOf(node)?.at(-1));
      case 'Identifier':
        return this.#locals.has(node.name) || this.#takesList(node);
      case 'FunctionExpression':
        return this.#joins(node.body);
      case 'ObjectExpression':
        return node.properties.every((property) => {
          if (property.type !== 'Property') return false;
          const name = keyOf(property);
          const fits = name === 'routes' || name === 'prefix';
          return fits && property.kind !== 'set' && !property.method && this.#joins(property.value);
        });
      default:
        return false;
    }
  }

  /** `a.concat(b)` */
  #joinsCall({ callee, arguments: lists }: CallExpression): boolean {
    if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return false;
    if (callee.computed || callee.property.name !== 'concat') return false;
    return this.#joins(callee.object) && lists.every((list) => this.#joins(list));
  }

  #resolved(node: AnyNode): AnyNode | null {
    const value = node.type === 'Identifier' ? (this.#given.get(node.name) ?? node) : node;
    return resolveName(value as Expression, this.#file);
  }

  /** `defaultRouter.routes`, `defaultRouter.prefix` */
  #takesFromCore(object: AnyNode, member: string | undefined): boolean {
    const core = this.#resolved(object);
    if (core?.type !== 'CallExpression' || !factoryCall(core, this.#file, 'createCoreRouter')) return false;
    if (this.#core !== null && this.#core !== core) return false;
    this.#core = core;
    if (member === 'routes') this.#routes = true;
    else if (member === 'prefix') this.#prefix = true;
    else return false;
    return true;
  }

  #takesList(node: AnyNode): boolean {
    const list = this.#resolved(node);
    if (list?.type !== 'ArrayExpression') return false;
    this.#lists.push(list);
    return true;
  }
}
