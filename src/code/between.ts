import type { AnyNode, CallExpression, Program } from 'acorn';
import { decidedBy } from './api-files.js';
import { membersOf } from './exported.js';
import { nodesIn } from './nodes.js';
import type { ParsedFile } from './parse.js';
import { staticValue } from './static-value.js';
import type { Closed, Closing } from './types.js';

/**
 * What a file's names refer to: `const { documents } = strapi` makes `documents` refer to `strapi.documents`.
 */
type Names = ReadonlyMap<string, readonly string[]>;

const MAX_STEPS = 10;

/**
 * The steps of an expression, ignoring calls: `strapi`, `get`, `add` for `strapi.get('x').add`; null for
 * other expressions.
 */
function chainOf(node: AnyNode, names: Names, steps = 0): readonly string[] | null {
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
      // A computed step may be any.
      return [...before, property.type === 'Literal' ? String(property.value) : '*'];
    }
    default:
      return null;
  }
}

/** The names in a file that refer to parts of `strapi`, in order of declaration. */
function namesFor(program: Program): Names {
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

/** Calls that insert code between callers and content, wherever the project makes them. */
const BETWEEN =
  /(?:^|\.)(documents\.use|server\.use|server\.router\.use|server\.app\.use|lifecycles\.subscribe|entityService\.decorate)$/;

/** The parts of Strapi that answer requests or affect the answers. */
const PARTS = new Set(
  [
    ['admin', 'api', 'apis', 'auth', 'components', 'config', 'container', 'contentAPI', 'contentType'],
    ['contentTypes', 'controller', 'controllers', 'db', 'documents', 'entityService', 'get', 'getModel'],
    ['middleware', 'middlewares', 'models', 'plugin', 'plugins', 'policies', 'policy', 'sanitizers'],
    ['server', 'service', 'services', 'validators'],
  ].flat(),
);

/** Methods that replace or extend such a part. */
const REPLACING = new Set(['use', 'extend', 'decorate']);
const REGISTRIES = new Set(['get', 'sanitizers', 'validators', 'config', 'container']);
const ADDING = new Set(['add', 'set', 'push', 'unshift', 'splice']);

/** Functions that change their first argument: `Object.assign`, lodash's `set`. */
const CHANGING = new Set([
  'assign',
  'defaults',
  'defaultsDeep',
  'defineProperties',
  'defineProperty',
  'extend',
  'merge',
  'set',
  'unset',
  'wrap',
]);

const EVERY_ROUTE: readonly Closed[] = [{ everything: true }];

/** What such code in a file closes: every route, unless its effect is written out. */
export function closedBetween(parsed: ParsedFile, file: string): readonly Closing[] {
  const closings = new Map<string, Closing>();
  const names = namesFor(parsed.program);
  for (const node of nodesIn(parsed.program)) {
    const found = betweenBy(node, names, parsed);
    for (const at of found?.closed ?? [])
      closings.set(JSON.stringify(at), { at, names: [file], because: `${file} ${found?.does}` });
  }
  return [...closings.values()];
}

interface Found {
  readonly closed: readonly Closed[];
  /** Such as `calls strapi.documents.use`. */
  readonly does: string;
}

function betweenBy(node: AnyNode, names: Names, parsed: ParsedFile): Found | null {
  if (node.type === 'CallExpression') return byCall(node, names, parsed);
  const [changed, verb] =
    node.type === 'AssignmentExpression'
      ? [node.left, 'sets']
      : node.type === 'UnaryExpression' && node.operator === 'delete'
        ? [node.argument, 'deletes']
        : [null, ''];
  const chain = changed?.type === 'MemberExpression' ? chainOf(changed, names) : null;
  return chain && isPart(chain) ? { closed: EVERY_ROUTE, does: `${verb} ${chain.join('.')}` } : null;
}

const isPart = ([root, part]: readonly string[]): boolean => root === 'strapi' && PARTS.has(part ?? '');

function byCall(node: CallExpression, names: Names, parsed: ParsedFile): Found | null {
  const chain = chainOf(node.callee, names);
  const [first] = node.arguments;
  if (chain) {
    const call = chain.join('.');
    const does = `calls ${call}`;
    const [, name] = BETWEEN.exec(call) ?? [];
    if (name === 'lifecycles.subscribe') return { closed: closedBySubscriber(first, parsed), does };
    if (name !== undefined) return { closed: EVERY_ROUTE, does };
    const method = chain.at(-1) ?? '';
    if (isPart(chain) && chain.length > 2) {
      const adds = ADDING.has(method) && REGISTRIES.has(chain[1] ?? '');
      if (REPLACING.has(method) || adds) return { closed: EVERY_ROUTE, does };
    }
    if (!CHANGING.has(method)) return null;
  }
  const given = first && chainOf(first, names);
  if (!chain || !given || !isPart(given)) return null;
  return { closed: EVERY_ROUTE, does: `changes ${given.join('.')}` };
}

/**
 * `{ models, beforeCreate, … }`: what these hooks affect in these models; a function, or no models, may
 * affect all.
 */
function closedBySubscriber(argument: AnyNode | undefined, parsed: ParsedFile): readonly Closed[] {
  const members = argument?.type === 'SpreadElement' ? null : membersOf(argument, parsed);
  if (!members) return EVERY_ROUTE;
  const hooks = new Map([...members].filter(([name]) => name !== 'models'));
  const decided = decidedBy(hooks, parsed, true);
  if (decided.length === 0) return [];
  const models = members.get('models');
  const uids = models ? staticValue(models, parsed) : null;
  if (!Array.isArray(uids) || !uids.every((uid) => typeof uid === 'string')) return EVERY_ROUTE;
  return uids.flatMap((uid: string): readonly Closed[] => {
    if (uid.startsWith('api::')) return decided.map(({ action }) => ({ action: `${uid}.${action}` }));
    const [plugin] = uid.split('.');
    return plugin?.startsWith('plugin::') ? [{ prefix: `${plugin}.` }] : [];
  });
}
