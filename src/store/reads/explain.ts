import type { Document } from 'mongodb';
import { fillSlots } from '../../pipeline/slots.js';
import type { CompiledRead } from '../../pipeline/types.js';
import { reasonOf } from '../../values/reason-of.js';
import { collectionOf } from '../connection/collections.js';
import type { Store } from '../connection/store.js';
import type { SlotValues } from './resolve-joins.js';

/** What a server says of how it runs a read. */
export interface ServerPlan {
  /** Names of the indexes that the read used, its lookups too, as far as the server tells them. */
  readonly indexes: readonly string[];
  /** Its own answer, whose form differs from server to server; or why it gave none. */
  readonly detail: unknown;
}

type Verbosity = 'executionStats' | 'queryPlanner';

/** Asks the server for its plan of a read's main aggregation. Never throws: a server may not explain. */
export async function explainRead(
  store: Store,
  read: CompiledRead,
  valueFor: SlotValues,
): Promise<ServerPlan> {
  const stages = [...fillSlots(read.stages, valueFor)];
  const explain = (verbosity: Verbosity): Promise<Document> =>
    collectionOf(store, read.source).aggregate(stages, { allowDiskUse: true }).explain(verbosity);
  try {
    // Only a plan that ran tells the indexes of its lookups.
    const detail = await explain('executionStats').catch(() => explain('queryPlanner'));
    return { indexes: [...new Set(indexNames(detail))], detail };
  } catch (error) {
    return { indexes: [], detail: reasonOf(error) };
  }
}

/** What was considered, and how a trial of it went, is not how the read runs. */
const NOT_RUN: ReadonlySet<string> = new Set(['rejectedPlans', 'allPlansExecution']);

/** MongoDB names an index `indexName`, a server over PostgreSQL `Index Name`; `indexesUsed` stands beside a `$lookup`. */
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
