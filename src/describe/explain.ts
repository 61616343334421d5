/** `mangrove explain`: a request, step by step, as the server would serve it. */
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
  /** What the text says, before any schema. */
  readonly query: unknown;
  /** Checked and cast, models and attributes by name. */
  readonly plan: unknown;
  /** Commands for mongosh: the semi-joins first, with the ids that they found now, then the read, then the count. */
  readonly commands: readonly string[];
  /** What the server does with the read. */
  readonly server: ServerPlan;
  /** Commands that make indexes in adopted collections, where none serves the read. */
  readonly advice: readonly string[];
  readonly rows: number;
  readonly total: number | null;
  /** What told the total: the sort, the page by ending there, the server's metadata, or a count; null: none was asked for. */
  readonly countedBy: CountedBy | null;
  /** False where counting took longer than `database.totals.maxTimeMS`. */
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

/** `url` is a path below the server, `/api/articles?…`, or a whole address. Throws the 400 that the server would answer with. */
export async function explainUrl(url: string, options: ExplainOptions): Promise<Explanation> {
  const { schema, store, reader, prefix, caller } = options;
  const { type, documentId, query } = requestedBy(url, schema, prefix);
  const target = type.kind === 'singleType' ? 'single' : documentId === null ? 'list' : 'one';
  const { read, timings } = reader.prepare({ type, query: textQuery(query), caller, target });
  const run = { documentId };
  const started = performance.now();
  const { rows, total, inexact = false } = await runRead(store, read.compiled, run);
  const afterRead = performance.now();
  rows.map(read.render);
  const done = performance.now();
  const inDatabase = await withJoins(store, read.compiled, run, async (final, joined) => {
    const valueFor = await slotsOfPage(store, final, joined);
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
