import { fillSlots } from '../pipeline/slots.js';
import type { CompiledRead } from '../pipeline/types.js';
import type { Store } from './client.js';
import { collectionOf } from './collections.js';
import type { SlotValues } from './resolve-joins.js';

/** What a server says of how it runs a read. */
export interface ServerPlan {
  /** Names of the indexes in its plan, as far as it tells them. */
  readonly indexes: readonly string[];
  /** Its own answer, whose form differs from server to server; or why it gave none. */
  readonly detail: unknown;
}

/** Asks the server for its plan of a read's main aggregation. Never throws: a server may not explain. */
export async function explainRead(
  store: Store,
  read: CompiledRead,
  valueFor: SlotValues,
): Promise<ServerPlan> {
  try {
    const stages = [...fillSlots(read.stages, valueFor)];
    const detail = await collectionOf(store, read.source).aggregate(stages).explain('queryPlanner');
    return { indexes: [...new Set(indexNames(detail))], detail };
  } catch (error) {
    return { indexes: [], detail: error instanceof Error ? error.message : String(error) };
  }
}

/** MongoDB names an index `indexName`, a server over PostgreSQL `Index Name`; `indexesUsed` stands beside a `$lookup`. */
function indexNames(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(indexNames);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    if ((key === 'indexName' || key === 'Index Name') && typeof item === 'string') return [item];
    if (key === 'indexesUsed' && Array.isArray(item)) return item.map(String);
    return indexNames(item);
  });
}
