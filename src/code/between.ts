import type { AnyNode, CallExpression } from 'acorn';
import { decidedBy } from './api-files.js';
import { chainOf, type Names, namesFor } from './chains.js';
import { membersOf } from './exported.js';
import { nodesIn } from './nodes.js';
import type { ParsedFile } from './parse.js';
import { staticValue } from './static-value.js';
import type { Closed, Closing } from './types.js';

/** Calls that put code between a caller and the content, wherever the project makes them. */
const BETWEEN =
  /(?:^|\.)(documents\.use|server\.use|server\.router\.use|server\.app\.use|lifecycles\.subscribe|entityService\.decorate)$/;

/** The parts of Strapi that answer requests, or that decide on the answers. */
const PARTS = new Set(
  [
    ['admin', 'api', 'apis', 'auth', 'components', 'config', 'container', 'contentAPI', 'contentType'],
    ['contentTypes', 'controller', 'controllers', 'db', 'documents', 'entityService', 'get', 'getModel'],
    ['middleware', 'middlewares', 'models', 'plugin', 'plugins', 'policies', 'policy', 'sanitizers'],
    ['server', 'service', 'services', 'validators'],
  ].flat(),
);

/** Methods by which such a part is replaced or added to. */
const REPLACING = new Set(['use', 'extend', 'decorate']);
const REGISTRIES = new Set(['get', 'sanitizers', 'validators', 'config', 'container']);
const ADDING = new Set(['add', 'set', 'push', 'unshift', 'splice']);

/** Functions that change what they are given first: `Object.assign`, lodash's `set`. */
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

/** What stays closed because of such code in a file: every route, unless what it does is written out. */
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
  /** `calls strapi.documents.use` */
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

/** `{ models, beforeCreate, … }`: what those hooks decide of those models; a function, or no models, may mean all of them. */
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
