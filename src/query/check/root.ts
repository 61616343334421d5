import type { QueryNode } from '../ast.js';
import type { QueryMode, QuerySettings } from '../settings.js';
import { invalidKey } from './check-context.js';

const shared = [
  'filters',
  'sort',
  'fields',
  'populate',
  'status',
  'locale',
  'page',
  'pageSize',
  'start',
  'limit',
  '_q',
  'publicationFilter',
  'hasPublishedVersion',
  'count',
  'ordering',
  'pagination',
];

/** The parameters that a strict server knows (rules A.7). */
const knownKeys: Readonly<Record<QueryMode, ReadonlySet<string>>> = {
  rest: new Set(shared),
  service: new Set([...shared, 'documentId', 'data', 'lookup']),
};

/** Those that are read or refused also where the settings are not strict. */
const lookedAt: ReadonlySet<string> = new Set([...knownKeys.service, 'withCount']);

/** Whether a root parameter of this name may make a difference to a server that is not strict. */
export const isLookedAt = (name: string): boolean => lookedAt.has(name);

/** Throws for an unknown root parameter where the settings are strict. */
export function checkRoot(node: QueryNode, settings: QuerySettings): void {
  if (!settings.strictParams) return;
  const key = node.keys.find((name) => !knownKeys[settings.mode].has(name));
  if (key !== undefined) throw invalidKey({ settings, param: key }, key, null);
}
