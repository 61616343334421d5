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
  /** Whether some collection is read as a whole, since no index serves the read. */
  readonly scans: boolean;
  /** Documents that were read for the entries themselves; null if the server does not say. */
  readonly examined: number | null;
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
    return {
      indexes: [...new Set(indexNames(detail))],
      scans: scansIn(detail),
      examined: examinedIn(detail),
      detail,
    };
  } catch (error) {
    return { indexes: [], scans: false, examined: null, detail: reasonOf(error) };
  }
}

/** Members about plans that were considered or tried, but are not how the read runs. */
const NOT_RUN: ReadonlySet<string> = new Set(['rejectedPlans', 'allPlansExecution']);

/** The members of a plan that describe how the read runs, at any depth. */
function* membersOf(value: unknown): Generator<readonly [string, unknown]> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    if (NOT_RUN.has(key)) continue;
    yield [key, item];
    yield* membersOf(item);
  }
}

/** What servers call a scan of a whole collection: MongoDB, and servers on PostgreSQL. */
const SCANS: ReadonlySet<unknown> = new Set(['COLLSCAN', 'Seq Scan']);

/** `collectionScans` belongs to a `$lookup`. */
const scansIn = (detail: Document): boolean =>
  [...membersOf(detail)].some(
    ([key, item]) =>
      ((key === 'stage' || key === 'Node Type') && SCANS.has(item)) ||
      (key === 'collectionScans' && Number(item) > 0),
  );

function examinedIn(detail: Document): number | null {
  const found = [...membersOf(detail)].find(([key]) => key === 'totalDocsExamined');
  return found ? Number(found[1]) : null;
}

/**
 * MongoDB names an index in `indexName`, servers on PostgreSQL in `Index Name`; `indexesUsed` belongs to a
 * `$lookup`.
 */
const indexNames = (detail: Document): readonly string[] =>
  [...membersOf(detail)].flatMap(([key, item]) => {
    if ((key === 'indexName' || key === 'Index Name') && typeof item === 'string') return [item];
    return key === 'indexesUsed' && Array.isArray(item) ? item.map(String) : [];
  });
