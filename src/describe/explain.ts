/** `mangrove explain`: a request, step by step, as the server would serve it. */
import type { Timing } from '../documents/read/prepare-read.js';
import type { Reader } from '../documents/read/reader.js';
import { errors } from '../errors.js';
import { collectionName } from '../pipeline/collection.js';
import { projectionOf } from '../pipeline/semi-join.js';
import { fillSlots } from '../pipeline/slots.js';
import type { CompiledRead } from '../pipeline/types.js';
import { textQuery } from '../query/query.js';
import type { Caller } from '../query/read-plan.js';
import { byRoute } from '../schema/find.js';
import type { Schema } from '../schema/types.js';
import type { Store } from '../store/client.js';
import { explainRead, type ServerPlan } from '../store/explain.js';
import { runRead, slotsOfPage, withJoins } from '../store/read.js';
import type { SlotValues } from '../store/resolve-joins.js';
import { plainPlan } from './plain-plan.js';
import { shellText } from './shell-text.js';

export interface Explanation {
  /** What the text says, before any schema. */
  readonly query: unknown;
  /** Checked and cast, models and attributes by name. */
  readonly plan: unknown;
  /** Commands for mongosh: the semi-joins first, with the ids that they found now, then the read, then the count. */
  readonly commands: readonly string[];
  /** What the server does with the read. */
  readonly server: ServerPlan;
  readonly rows: number;
  readonly total: number | null;
  readonly timings: readonly Timing[];
}

export interface ExplainOptions {
  readonly schema: Schema;
  readonly store: Store;
  readonly reader: Reader;
  readonly prefix: string;
  readonly caller: Caller;
}

/** `url` is a path below the server, `/api/articles?…`, or a whole address. Throws the 400 that the server would answer with. */
export async function explainUrl(url: string, options: ExplainOptions): Promise<Explanation> {
  const { schema, store, reader, prefix, caller } = options;
  const { route, documentId, query } = splitUrl(url, prefix);
  const type = byRoute(schema, route);
  if (!type) throw errors.application('not-found', `No content type is served at ${prefix}/${route}`);
  const target = type.kind === 'singleType' ? 'single' : documentId === null ? 'list' : 'one';
  const { read, timings } = reader.prepare({ type, query: textQuery(query), caller, target });
  const run = { documentId };
  const started = performance.now();
  const { rows, total } = await runRead(store, read.compiled, run);
  const afterRead = performance.now();
  rows.map(read.render);
  const done = performance.now();
  const inDatabase = await withJoins(store, read.compiled, run, async (final, joined) => {
    const valueFor = await slotsOfPage(store, final, joined);
    return {
      commands: commandsOf(store, final, valueFor),
      server: await explainRead(store, final, valueFor),
    };
  });
  return {
    query: plainPlan(read.node),
    plan: plainPlan(read.plan),
    ...inDatabase,
    rows: rows.length,
    total,
    timings: [...timings, ['read', afterRead - started], ['render', done - afterRead]],
  };
}

/** `/api/articles/abc?sort=title` → its route, document and query. */
function splitUrl(url: string, prefix: string): { route: string; documentId: string | null; query: string } {
  const [address = '', ...rest] = url.split('?');
  const path = address.replace(/^[a-z]+:\/\/[^/]+/i, '');
  const below = path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path;
  const [route = '', documentId = null] = below
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent);
  return { route: route.toLowerCase(), documentId, query: rest.join('?') };
}

function commandsOf(store: Store, read: CompiledRead, valueFor: SlotValues): readonly string[] {
  const on = ({ type, status }: CompiledRead['source']): string =>
    `db.getCollection(${JSON.stringify(collectionName(type, status))})`;
  const command = (source: CompiledRead['source'], stages: readonly unknown[]): string =>
    `${on(source)}.aggregate(${shellText(fillSlots(stages, valueFor))})`;
  const fromMetadata = read.counted.length === 0 && store.exactMetadata;
  const count = fromMetadata
    ? `${on(read.source)}.estimatedDocumentCount()`
    : command(read.source, [...read.counted, { $count: 'n' }]);
  // A sort in sets tells the total by itself.
  const counted = read.withTotal && !read.ordering ? [count] : [];
  return [
    ...read.semiJoins.map((join) => command(join.source, [...join.stages, projectionOf(join)])),
    ...(read.ordering ? [command(read.source, [...read.counted, ...read.ordering.stages])] : []),
    command(read.source, read.stages),
    ...counted,
  ];
}
