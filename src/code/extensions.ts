import type { AnyNode } from 'acorn';
import { resolveName } from './exported.js';
import { nodesIn, type ParsedFile, pathOf } from './parse.js';
import { staticValue } from './static-value.js';
import type { Closed, Closing } from './types.js';

interface Extension {
  readonly does: string;
  readonly closings: readonly Closing[];
}

/** What `strapi-server` does to its plugin, by the assignments and calls on `plugin.controllers`, `.routes` and so on. */
export function readExtension(parsed: ParsedFile, plugin: string, file: string): Extension | null {
  const exported = resolveName(parsed.exported, parsed);
  if (exported === null) return null;
  const touched = [...touchedBy(exported, parsed)];
  if (touched.length === 0) return null;
  const closings = touched.flatMap(({ path, added }) =>
    closedBy(plugin, path, added).map((at) => ({
      at,
      names: [file],
      because: `${file} changes plugin.${path.join('.')}`,
    })),
  );
  return { does: `changes ${[...new Set(touched.map(({ path }) => path.join('.')))].join(', ')}`, closings };
}

interface Touched {
  /** `['controllers', 'user', 'me']`. */
  readonly path: readonly string[];
  /** Routes that are pushed, where they are written out. */
  readonly added: readonly unknown[] | null;
}

const GROUPS = new Set([
  'controllers',
  'routes',
  'services',
  'policies',
  'middlewares',
  'contentTypes',
  'bootstrap',
  'register',
]);
const ADDING = new Set(['push', 'unshift']);

function* touchedBy(node: AnyNode, file: ParsedFile): Generator<Touched> {
  for (const inner of nodesIn(node)) {
    if (inner.type === 'AssignmentExpression') {
      const path = pathIn(inner.left);
      if (path) yield { path, added: null };
    }
    if (inner.type === 'CallExpression') {
      const path = pathIn(inner.callee);
      const method = path?.at(-1);
      if (!path || method === undefined || (path[0] !== 'routes' && path.length < 2)) continue;
      yield {
        path: path.slice(0, -1),
        added: ADDING.has(method) ? inner.arguments.map((one) => staticValue(one, file)) : null,
      };
    }
  }
}

/** The path below the plugin; a computed step ends it. */
function pathIn(node: AnyNode): readonly string[] | null {
  const whole = pathOf(node) ?? (node.type === 'MemberExpression' ? pathOf(node.object) : null);
  const path = whole?.slice(1);
  return path && GROUPS.has(path[0] ?? '') ? path : null;
}

function closedBy(
  plugin: string,
  [group, ...rest]: readonly string[],
  added: readonly unknown[] | null,
): readonly Closed[] {
  const uid = `plugin::${plugin}`;
  if (group === 'controllers') {
    const [controller, action] = rest;
    if (controller === undefined) return [{ prefix: `${uid}.` }];
    return [
      action === undefined
        ? { prefix: `${uid}.${controller}.` }
        : { action: `${uid}.${controller}.${action}` },
    ];
  }
  if (group === 'policies' || group === 'middlewares') return [{ prefix: `${uid}.` }];
  if (group !== 'routes') return [];
  if (added === null) return [{ prefix: `${uid}.` }];
  return added.map((route) => {
    const { method, path, config } = Object(route);
    const prefix =
      typeof config?.prefix === 'string' ? config.prefix : plugin === 'users-permissions' ? '' : `/${plugin}`;
    return typeof method === 'string' && typeof path === 'string'
      ? { method: method.toLowerCase(), path: `${prefix}${path}` }
      : { prefix: `${uid}.` };
  });
}
