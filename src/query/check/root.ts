import type { ContentType } from '../../schema/types.js';
import type { QueryNode } from '../ast.js';
import { PARAMS } from '../params.js';
import type { QueryMode, QuerySettings } from '../settings.js';
import { invalidKey } from './check-context.js';

/** The `status` that reads entries as they will be. */
export const TO_COME = 'scheduled';

/** The parameters allowed in strict mode. */
const knownKeys: Readonly<Record<QueryMode, ReadonlySet<string>>> = {
  rest: new Set(PARAMS),
  service: new Set([...PARAMS, 'documentId', 'data', 'lookup']),
};

/** In strict mode, throws for an unknown root parameter. Only types that keep versions have `at`, and reads of what is scheduled. */
export function checkRoot(node: QueryNode, { history }: ContentType, settings: QuerySettings): void {
  if (!settings.strictParams) return;
  const isKnown = (name: string): boolean =>
    knownKeys[settings.mode].has(name) || (name === 'at' && (history !== null || node.status === TO_COME));
  const key = node.keys.find((name) => !isKnown(name));
  if (key !== undefined) throw invalidKey({ settings, param: key }, key, null);
}
