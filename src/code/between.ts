import type { AnyNode } from 'acorn';
import { decidedBy } from './api-files.js';
import { membersOf } from './exported.js';
import { nodesIn, type ParsedFile, pathOf } from './parse.js';
import { staticValue } from './static-value.js';
import type { Closed, Closing } from './types.js';

/** Calls that put code between a caller and the content, wherever the project makes them. */
export const BETWEEN = /(?:^|\.)(documents\.use|server\.use|server\.router\.use|lifecycles\.subscribe)$/;

/** What stays closed because of such calls in a file: every route, unless what they do is written out. */
export function closedBetween(parsed: ParsedFile, file: string): readonly Closing[] {
  const closings = new Map<string, Closing>();
  for (const node of nodesIn(parsed.program)) {
    if (node.type !== 'CallExpression') continue;
    const call = pathOf(node.callee)?.join('.') ?? '';
    const [, name] = BETWEEN.exec(call) ?? [];
    if (name === undefined) continue;
    const [argument] = node.arguments;
    const closed = name === 'lifecycles.subscribe' ? closedBySubscriber(argument, parsed) : EVERY_ROUTE;
    for (const at of closed)
      closings.set(JSON.stringify(at), { at, names: [file], because: `${file} calls ${call}` });
  }
  return [...closings.values()];
}

const EVERY_ROUTE: readonly Closed[] = [{ everything: true }];

/** `{ models, beforeCreate, … }`: what those hooks decide of those models; a function, or no models, may mean all of them. */
function closedBySubscriber(argument: AnyNode | undefined, parsed: ParsedFile): readonly Closed[] {
  const members = argument?.type === 'SpreadElement' ? null : membersOf(argument, parsed);
  if (!members) return EVERY_ROUTE;
  const hooks = new Map([...members].filter(([name]) => name !== 'models'));
  const decided = decidedBy(hooks);
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
