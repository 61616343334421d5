import type { Document } from 'mongodb';
import { fillSlots } from '../../pipeline/slots.js';
import type { CompiledRead } from '../../pipeline/types.js';
import { reasonOf } from '../../values/reason-of.js';
import { collectionOf } from '../connection/collections.js';
import type { Store } from '../connection/store.js';
import type { SlotValues } from './resolve-joins.js';

/** The server's explanation of a read. */
export interface ServerPlan {
  /** Names of the indexes used, including those of lookups if the server reports them. */
  readonly indexes: readonly string[];
  /** The server's response, whose form depends on the server, or the reason why there is none. */
  readonly detail: unknown;
}

type Verbosity = 'executionStats' | 'queryPlanner';

/** Requests the plan of a read's main aggregation. Never throws, since some servers cannot explain. */
export async function explainRead(
  store: Store,
  read: CompiledRead,
  valueFor: SlotValues,
): Promise<ServerPlan> {
  const stages = [...fillSlots(read.stages, valueFor)];
  const explain = (verbosity: Verbosity): Promise<Document> =>
    collectionOf(store, read.source).aggregate(stages, { allowDiskUse: true }).explain(verbosity);
  try {
    // The indexes of lookups are reported only for a plan that has run.
    const detail = await explain('executionStats').catch(() => explain('queryPlanner'));
    return { indexes: [...new Set(indexNames(detail))], detail };
  } catch (error) {
    return { indexes: [], detail: reasonOf(error) };
  }
}

/** Members about plans that were considered or tried, but are not how the read runs. */
const NOT_RUN: ReadonlySet<string> = new Set(['rejectedPlans', 'allPlansExecution']);

/**
 * MongoDB names an index in `indexName`, servers on PostgreSQL in `Index Name`; `indexesUsed` belongs to a
 * `$lookup`.
 */
function indexNames(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(indexNames);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    if (NOT_RUN.has(key)) return [];
    if ((key === 'indexName' || key === 'Index Name') && typeof item === 'string') return [item];
    if (key === 'indexesUsed' && Array.isArray(item)) return item.map(String);
    return indexNames(item);
  });
}
