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

/** The parameters allowed in strict mode. */
const knownKeys: Readonly<Record<QueryMode, ReadonlySet<string>>> = {
  rest: new Set(shared),
  service: new Set([...shared, 'documentId', 'data', 'lookup']),
};

/** In strict mode, throws for an unknown root parameter. */
export function checkRoot(node: QueryNode, settings: QuerySettings): void {
  if (!settings.strictParams) return;
  const key = node.keys.find((name) => !knownKeys[settings.mode].has(name));
  if (key !== undefined) throw invalidKey({ settings, param: key }, key, null);
}
