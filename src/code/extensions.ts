import type { AnyNode } from 'acorn';
import { isObject } from '../values/plain-object.js';
import type { ApiFile } from './api-files.js';
import { isFunction, resolveName } from './exported.js';
import { nodesBelow, pathOf } from './nodes.js';
import type { ParsedFile } from './parse.js';
import { staticValue } from './static-value.js';
import type { Closed } from './types.js';

/** What `strapi-server` does to its plugin, from every use of the plugin it receives. */
export function readExtension(parsed: ParsedFile, plugin: string, file: string): ApiFile | null {
  const exported = resolveName(parsed.exported, parsed);
  if (exported === null) return null;
  const touched = [...touchedBy(exported, parsed)];
  if (touched.length === 0) return null;
  const closings = touched.flatMap((one) =>
    closedBy(plugin, one).map((at) => ({
      at,
      names: [file],
      because: `${file} changes ${['plugin', ...one.path].join('.')}`,
    })),
  );
  const places = [...new Set(touched.map(({ path }) => path.join('.') || 'the plugin'))];
  return { does: `changes ${places.join(', ')}`, closings };
}

interface Touched {
  /** `['controllers', 'user', 'me']`; empty for the plugin as a whole. */
  readonly path: readonly string[];
  /** Added routes, if they are written out. */
  readonly added: readonly unknown[] | null;
  /** The assigned value; UNKNOWN if it is computed. */
  readonly value?: unknown;
}

const ADDING = new Set(['push', 'unshift']);
const WHOLE: Touched = { path: [], added: null };

function* touchedBy(made: AnyNode, file: ParsedFile): Generator<Touched> {
  if (!isFunction(made)) {
    yield WHOLE;
    return;
  }
  const [given] = made.params;
  if (given?.type === 'Identifier') yield* usesOf(given.name, made.body, [], file);
  // Without a parameter it cannot change the plugin.
  else if (given) yield WHOLE;
}

/** Every use of the plugin below a node, except those that only read it. */
function* usesOf(
  name: string,
  node: AnyNode,
  above: readonly AnyNode[],
  file: ParsedFile,
): Generator<Touched> {
  if (node.type === 'Identifier') {
    if (node.name !== name) return;
    const use = useOf(above, file);
    if (use) yield use;
    return;
  }
  const within = [node, ...above];
  if (node.type === 'MemberExpression' && !node.computed) {
    yield* usesOf(name, node.object, within, file);
    return;
  }
  if (node.type === 'Property' && !node.computed) {
    yield* usesOf(name, node.value, within, file);
    return;
  }
  for (const inner of nodesBelow(node)) yield* usesOf(name, inner, within, file);
}

/** What the surrounding code does with the plugin; null if it reads a part of it or returns it. */
function useOf(above: readonly AnyNode[], file: ParsedFile): Touched | null {
  let at = 0;
  let chain: AnyNode | undefined;
  while (above[at]?.type === 'MemberExpression' || above[at]?.type === 'ChainExpression') {
    chain = above[at];
    at += 1;
  }
  const outer = above[at];
  const path = chain ? stepsOf(chain) : [];
  if (outer?.type === 'AssignmentExpression' && outer.left === chain)
    return { path, added: null, value: staticValue(outer.right, file) };
  if (outer?.type === 'CallExpression' && outer.callee === chain) {
    const method = path.at(-1) ?? '';
    if (ADDING.has(method))
      return { path: path.slice(0, -1), added: outer.arguments.map((one) => staticValue(one, file)) };
    // A factory of the plugin, called for its result.
    if (path.length < 3 && path[0] !== 'routes') return null;
    return path[0] === 'controllers' || path[0] === 'services'
      ? null
      : { path: path.slice(0, -1), added: null };
  }
  if (!chain) return outer === undefined || outer.type === 'ReturnStatement' ? null : WHOLE;
  // A method kept to be called, or members that are copied.
  const isRead = (path[0] === 'controllers' && path.length > 2) || outer?.type === 'SpreadElement';
  return isRead || READ_ALONE.has(path[0] ?? '') ? null : { path, added: null };
}

const READ_ALONE = new Set(['config', 'services']);

/** The path below the plugin, up to a computed step. */
const stepsOf = (chain: AnyNode): readonly string[] => {
  const whole = pathOf(chain);
  if (whole) return whole.slice(1);
  if (chain.type === 'ChainExpression') return stepsOf(chain.expression);
  return chain.type === 'MemberExpression' ? stepsOf(chain.object) : [];
};

/** Services that identify the caller of every request. */
const ASKED_BY_ALL = new Set(['jwt', 'user', 'permission', 'role']);

function closedBy(plugin: string, { path: [group, ...rest], added, value }: Touched): readonly Closed[] {
  const uid = `plugin::${plugin}`;
  const whole: readonly Closed[] = [{ prefix: `${uid}.` }];
  const [name, member] = rest;
  switch (group) {
    case 'controllers':
      if (name === undefined) return whole;
      return [member === undefined ? { prefix: `${uid}.${name}.` } : { action: `${uid}.${name}.${member}` }];
    case 'services':
      return plugin === 'users-permissions' && (name === undefined || ASKED_BY_ALL.has(name))
        ? [{ everything: true }]
        : whole;
    case 'contentTypes':
      if (rest.includes('lifecycles')) return whole;
      return addsAttribute(rest, value) ? [] : [{ everything: true }];
    case 'routes':
      return added === null ? whole : added.map((route) => closedRoute(plugin, route));
    case 'bootstrap':
    case 'register':
    case 'destroy':
    case 'config':
      return [];
    default:
      return whole;
  }
}

/**
 * Adding an attribute that does not exist without the code. Replacing one could make it private wherever its
 * type is populated.
 */
const addsAttribute = ([, schema, attributes, name, ...rest]: readonly string[], value: unknown): boolean =>
  schema === 'schema' &&
  attributes === 'attributes' &&
  name !== undefined &&
  rest.length === 0 &&
  isObject(value) &&
  value['private'] !== true &&
  typeof value['type'] === 'string';

function closedRoute(plugin: string, route: unknown): Closed {
  const { method, path, config } = Object(route);
  const prefix =
    plugin === 'users-permissions' || (isObject(config) && 'prefix' in config) ? '' : `/${plugin}`;
  return typeof method === 'string' && typeof path === 'string'
    ? { method: method.toLowerCase(), path: `${prefix}${path}` }
    : { prefix: `plugin::${plugin}.` };
}
