/** `mangrove explain`: executes a request step by step, as the server would. */
import type { Timing } from '../documents/read/prepare-read.js';
import type { Reader } from '../documents/read/reader.js';
import { textQuery } from '../query/query.js';
import type { Caller } from '../query/read-plan.js';
import type { Schema } from '../schema/types.js';
import type { Store } from '../store/client.js';
import { explainRead, type ServerPlan } from '../store/reads/explain.js';
import { type CountedBy, countedBy, runRead, slotsOfPage, withJoins } from '../store/reads/read.js';
import { adviseIndexes } from './index-advice.js';
import { plainPlan } from './plain-plan.js';
import { readCommands } from './read-commands.js';
import { requestedBy } from './requested.js';

export interface Explanation {
  /** The parsed query, before any schema is involved. */
  readonly query: unknown;
  /** The plan with its cast values; models and attributes by name. */
  readonly plan: unknown;
  /**
   * Commands for mongosh: the semi-joins first (with the ids that they return now), then the read, then the
   * count.
   */
  readonly commands: readonly string[];
  /** How the server executes the read. */
  readonly server: ServerPlan;
  /** Commands that create missing indexes for the read in adopted collections. */
  readonly advice: readonly string[];
  readonly rows: number;
  readonly total: number | null;
  /**
   * Where the total comes from: the sort, the last page, the server's metadata, or a count; null: not
   * requested.
   */
  readonly countedBy: CountedBy | null;
  /** False if counting took longer than `database.totals.maxTimeMS`. */
  readonly exact: boolean;
  readonly timings: readonly Timing[];
}

interface ExplainOptions {
  readonly schema: Schema;
  readonly store: Store;
  readonly reader: Reader;
  readonly prefix: string;
  readonly caller: Caller;
}

/**
 * Explains a read. `url` is a path on the server, such as `/api/articles?…`, or a full URL. Throws the same
 * 400 as the server.
 */
export async function explainUrl(url: string, options: ExplainOptions): Promise<Explanation> {
  const { schema, store, reader, prefix, caller } = options;
  const { type, documentId, query } = requestedBy(url, schema, prefix);
  const target = type.kind === 'singleType' ? 'single' : documentId === null ? 'list' : 'one';
  const { read, timings } = reader.prepare({ type, query: textQuery(query), caller, target });
  const render = read.render();
  const run = { documentId, reader: render };
  const started = performance.now();
  const { rows, total, inexact = false } = await runRead({ store }, read.compiled, run);
  const afterRead = performance.now();
  const { write } = render.open(null, { bytes: 0 });
  for (const row of rows) write(row);
  const done = performance.now();
  const inDatabase = await withJoins({ store }, read.compiled, run, async (final, joined) => {
    const valueFor = await slotsOfPage({ store }, final, joined);
    const counted = countedBy(store, final, rows);
    return {
      countedBy: counted,
      commands: readCommands(store, final, valueFor, counted),
      server: await explainRead(store, final, valueFor),
    };
  });
  return {
    query: plainPlan(read.node),
    plan: plainPlan(read.plan),
    ...inDatabase,
    advice: await adviseIndexes(store, read.plan),
    rows: rows.length,
    total,
    exact: !inexact,
    timings: [...timings, ['read', afterRead - started], ['render', done - afterRead]],
  };
}
