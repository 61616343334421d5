/** The one read path, for REST and the Document Service (docs/architecture.md, "The life of a request"). */

import type { Config } from '../../config/types.js';
import { errors } from '../../errors.js';
import { type Budget, LARGE } from '../../limits/budget.js';
import { isOn } from '../../limits/mechanisms.js';
import { mapInSlices } from '../../limits/yield.js';
import { asIf } from '../../pipeline/as-if.js';
import type { Doc } from '../../pipeline/types.js';
import type { CheckedQuery } from '../../query/checked.js';
import type { ReadTarget } from '../../query/plan.js';
import type { ReadPlan } from '../../query/read-plan.js';
import { querySettings } from '../../query/settings.js';
import type { Output } from '../../render/bytes/output.js';
import type { Schema } from '../../schema/types.js';
import { ambiguous } from '../../store/adopted/keys.js';
import type { Store } from '../../store/client.js';
import type { VersionMark } from '../../store/history/versions.js';
import { type ReadResult, type RowReader, runCount, runRead } from '../../store/reads/read.js';
import type { ReadScope } from '../../store/reads/read-scope.js';
import { NO_GATE, type ReadGate } from '../../store/transfer/gate.js';
import { newCountStrategies } from './count-strategy.js';
import { isLarge, newLargeReads } from './large-reads.js';
import { withoutListed } from './listed-locales.js';
import { paginationOf } from './pagination.js';
import { newPreparer, newTimer, type Prepared, type QueryRequest, type Timing } from './prepare-read.js';
import { asksForToCome, notToCome, toComeFor } from './to-come.js';

/** Maximum bytes of plans that a reader caches. */
const MAX_PLAN_BYTES = 48_000_000;
/** Maximum bytes of the shapes of filters that are remembered, and of those of populate. */
const MAX_SHAPE_BYTES = 1_000_000;

/** The documentId of no document. */
const NO_DOCUMENT = '';

/** A read of a content type. */
export interface ReadRequest extends Omit<QueryRequest, 'target'> {
  /** The limits of the request; absent for scripts. */
  readonly budget?: Budget;
  /** The read may be older than the last write, if the database URI prefers secondaries. */
  readonly mayLag?: boolean;
  /** What the read must not be older than. */
  readonly session?: ReadSession;
  /** Whether the client has the answer with this validator, which is not rendered then. */
  readonly hasAlready?: (validator: CacheValidator) => boolean;
}

/** What tells an answer with a single entry from earlier ones. */
export interface CacheValidator {
  readonly revision: string;
  /** Of how the entry is shown; null: the revision does not tell, since other entries or code change the answer. */
  readonly digest: string | null;
}

/** A session of the store, for the reads of one request. */
export type ReadSession = NonNullable<ReadScope['session']>;

export interface ListAnswer {
  readonly data: readonly Doc[];
  /** `meta.pagination`; null where the query has none. */
  readonly pagination: Doc | null;
  /**
   * Steps and their milliseconds: parse, check, plan, compile (none of these with a cached plan), read,
   * render.
   */
  readonly timings: readonly Timing[];
}

/** An answer as JSON text. */
export interface JsonAnswer {
  /** JSON of the entry or the list; null if there is no such entry. */
  readonly json: Output | null;
  readonly pagination: Doc | null;
  readonly timings: readonly Timing[];
  /** Of a single entry, if `rest.etags` is set and the entry has a revision. */
  readonly validator?: CacheValidator | null;
  /** The client has the answer already (see `hasAlready`), so `json` is null. */
  readonly unchanged?: boolean;
}

/** A version as it is shown, and what is stored about it. */
export interface ShownVersion {
  readonly mark: VersionMark;
  readonly locale: string | null;
  readonly entry: Doc;
}

export interface VersionsAnswer extends Pick<ListAnswer, 'pagination' | 'timings'> {
  readonly data: readonly ShownVersion[];
}

export interface OneAnswer {
  readonly data: Doc | null;
  readonly timings: readonly Timing[];
  readonly validator?: CacheValidator | null;
}

/** Renders the answer of a write. Its query is prepared once, before anything is written. */
export interface View {
  readonly query: CheckedQuery;
  readonly plan: ReadPlan;
  readonly populates: boolean;
  /** The steps of preparing the query. */
  readonly timings: readonly Timing[];
  /**
   * Called before a write. Rejects with a 400 if the server would refuse to read the answer, so that nothing is
   * stored then.
   */
  checkReadable(): Promise<void>;
  /** Reads and renders a document as it is stored now. */
  read(documentId: string): Promise<Doc | null>;
  /** Renders an entry as it will be stored after the write; reads it again only to populate it. */
  show(documentId: string, entry: Doc): Promise<Doc | null>;
}

export interface Reader {
  list(request: ReadRequest): Promise<ListAnswer>;
  one(request: ReadRequest, documentId: string): Promise<OneAnswer>;
  /** The entry of a single type, or the first of a list. */
  single(request: ReadRequest): Promise<OneAnswer>;
  /** The same as JSON, without objects. */
  json(request: ReadRequest, of: JsonOf): Promise<JsonAnswer>;
  /** The number of matching entries on all pages. */
  count(request: ReadRequest): Promise<number>;
  /** Whether an entry, were it stored as it is given, would be in the list. */
  holds(request: ReadRequest, entry: Doc): Promise<boolean>;
  view(request: ReadRequest): View;
  /** A page of the versions that `request.versions` chooses, the newest first. */
  versions(request: ReadRequest): Promise<VersionsAnswer>;
  /** All steps before the read itself. */
  prepare(request: QueryRequest): Prepared;
}

/** Which entries an answer contains. */
export type JsonOf = { readonly target: 'list' | 'single' } | { readonly documentId: string };

interface ReaderOptions {
  readonly schema: Schema;
  readonly store: Store;
  readonly config: Pick<Config, 'rest' | 'documents' | 'query' | 'plugins'>;
  /** Passed by every read; absent if no collections are switched. */
  readonly gate?: ReadGate;
}

/** The parameters of one run. */
interface RunAs {
  readonly request: ReadRequest;
  readonly documentId: string | null;
  readonly reader: RowReader;
}

const requestOf = (
  { type, query, caller, v4 = false, unpaginated = false, versions }: ReadRequest,
  target: ReadTarget,
): QueryRequest => ({ type, query, caller, v4, unpaginated, target, ...(versions && { versions }) });

const docsOf = (json: Output): readonly Doc[] => json.values() as Doc[];

const severalStatuses = () =>
  errors.validation(
    'versions-not-populated',
    'Relations of versions can be populated if status is draft or published, or of a single version',
    { key: 'populate', path: null, source: 'query', param: 'populate' },
  );

/** Every method throws an `ApiError` if the query is invalid. */
export function createReader({ schema, store, config, gate = NO_GATE }: ReaderOptions): Reader {
  const settings = { rest: querySettings(config, 'rest'), service: querySettings(config, 'service') };
  const prepareRead = newPreparer({
    schema,
    settings,
    componentIds: config.rest.componentIds,
    revisions: config.rest.etags,
    form: store.form,
    maxPlanBytes: MAX_PLAN_BYTES,
  });

  const prepare = (request: QueryRequest): Prepared => {
    if (asksForToCome(request)) throw notToCome();
    return prepareRead(request);
  };
  /** The same with what is scheduled, for reads of entries as they will be. */
  const prepareWithToCome = async (request: QueryRequest): Promise<Prepared> =>
    prepareRead(
      asksForToCome(request)
        ? { ...request, toCome: await toComeFor(store, request, settings[request.query.mode]) }
        : request,
    );

  const countStrategyOf = newCountStrategies(MAX_SHAPE_BYTES);
  const largeReads = newLargeReads(MAX_SHAPE_BYTES);

  /** Reads with the read preference of the URI. */
  const lagging: Store = { ...store, db: store.lists };
  const scopeOf = ({ mayLag = false, session, budget }: ReadRequest): ReadScope => ({
    store: mayLag ? lagging : store,
    session,
    budget,
  });

  /** Runs a read and records its size, by which later reads of the same shape are expected to be large. */
  const learning = async (
    { budget }: ReadRequest,
    { plan, populates }: Prepared['read'],
    run: () => Promise<ReadResult>,
  ): Promise<ReadResult> => {
    if (!budget) return run();
    const before = budget.spent.bytes;
    try {
      const result = await run();
      const brought = { bytes: budget.spent.bytes - before, rows: result.rows.length };
      largeReads.learn(plan, budget.client, brought);
      return result;
    } catch (error) {
      // Entries alone are as large as ever, however long their filter takes.
      if (populates) largeReads.fail(plan, budget.client);
      throw error;
    }
  };

  /** `show` turns the rows into an answer. */
  const runAs = async <T>(
    { read, timings }: Prepared,
    { request, documentId, reader }: RunAs,
    show: (rows: readonly Doc[]) => T | Promise<T>,
  ) => {
    const timer = newTimer();
    const counting = countStrategyOf(read.plan);
    const { budget } = request;
    const isHeavy = ({ client }: Budget): boolean =>
      read.heavy || (isOn('large reads') && largeReads.expects(read.plan, client));
    let leave = budget && isHeavy(budget) ? await budget.heavy.enter(budget) : undefined;
    const before = budget?.spent.bytes ?? 0;
    try {
      const options = { documentId, counting, reader };
      const result: ReadResult = await learning(request, read, () =>
        gate.pass(() => runRead(scopeOf(request), read.compiled, options)),
      );
      timer.mark('read');
      // The read was larger than expected: answers of this size are not rendered concurrently.
      if (budget && isLarge(budget.spent.bytes - before)) leave ??= await budget.heavy.enter(budget);
      const data = await show(withoutListed(result.rows, read.plan));
      timer.mark('render');
      return { plan: read.plan, data, result, timings: [...timings, ...timer.timings] };
    } finally {
      leave?.();
    }
  };

  /** Renders rows, in turns with other requests if there are many. */
  const each = <T>(
    rows: readonly Doc[],
    { budget }: ReadRequest,
    show: (row: Doc) => T,
  ): T[] | Promise<T[]> => (budget && budget.spent.bytes > LARGE ? mapInSlices(rows, show) : rows.map(show));

  const run = async (prepared: Prepared, request: ReadRequest, documentId: string | null) => {
    const { render, populates, answered, plan, digest } = prepared.read;
    const { budget, hasAlready } = request;
    let validator: CacheValidator | null = null;
    let unchanged = false;
    const reader = render();
    const writer = reader.open(budget && populates ? budget.limits : null, answered);
    const result = await runAs(prepared, { request, documentId, reader }, (rows) => {
      const [row] = rows;
      const revision = plan.revision && row ? reader.revision(row) : null;
      if (revision !== null) validator = { revision, digest };
      unchanged = validator !== null && hasAlready?.(validator) === true;
      return each(unchanged ? [] : rows, request, writer.write);
    });
    return { ...result, json: writer.out, rows: result.data.length, validator, unchanged };
  };

  const answer = async (target: ReadTarget, request: ReadRequest, documentId: string | null = null) =>
    run(await prepareWithToCome(requestOf(request, target)), request, documentId);

  return {
    prepare,
    async list(request) {
      const { plan, json, result, timings } = await answer('list', request);
      return { data: docsOf(json), pagination: paginationOf(plan.page, result), timings };
    },
    async one(request, documentId) {
      const { json, rows, timings, validator } = await answer('one', request, documentId);
      if (rows > 1) throw ambiguous(request.type, documentId);
      return { data: docsOf(json)[0] ?? null, timings, validator };
    },
    async single(request) {
      const { json, timings, validator } = await answer('single', request);
      return { data: docsOf(json)[0] ?? null, timings, validator };
    },
    async json(request, of) {
      const documentId = 'documentId' in of ? of.documentId : null;
      const target = 'documentId' in of ? 'one' : of.target;
      const found = await answer(target, request, documentId);
      const { plan, json, rows, result, timings, validator, unchanged } = found;
      if (target === 'list') {
        json.before('[');
        json.ascii(']');
        return { json, pagination: paginationOf(plan.page, result), timings };
      }
      if (rows > 1 && documentId !== null) throw ambiguous(request.type, documentId);
      return { json: rows === 0 ? null : json, pagination: null, timings, validator, unchanged };
    },
    async versions(request) {
      const prepared = prepare(requestOf(request, 'list'));
      const { plan, render, populates } = prepared.read;
      if (populates && (request.versions?.statuses.length ?? 0) > 1) throw severalStatuses();
      const reader = render();
      const writer = reader.open(request.budget && populates ? request.budget.limits : null, { bytes: 0 });
      const about = await runAs(prepared, { request, documentId: null, reader }, (rows) =>
        each(rows, request, (row) => {
          writer.write(row);
          return { mark: reader.member(row, '_version'), locale: reader.member(row, 'locale') };
        }),
      );
      const entries = docsOf(writer.out);
      return {
        data: about.data.map(({ mark, locale }, at) => ({
          mark: mark as VersionMark,
          locale: typeof locale === 'string' ? locale : null,
          entry: entries[at] ?? {},
        })),
        pagination: paginationOf(plan.page, about.result),
        timings: about.timings,
      };
    },
    async count(request) {
      const { read } = await prepareWithToCome(requestOf(request, 'list'));
      return gate.pass(() => runCount(scopeOf(request), read.compiled));
    },
    async holds(request, entry) {
      const { read } = prepare(requestOf(request, 'list'));
      const { rows } = await gate.pass(() => runRead(scopeOf(request), asIf(read.compiled, entry)));
      return rows.length > 0;
    },
    view(request) {
      const prepared = prepare(requestOf(request, 'written'));
      const { node, plan, render, populates } = prepared.read;
      const read = async (documentId: string) =>
        docsOf((await run(prepared, request, documentId)).json)[0] ?? null;
      return {
        query: node,
        plan,
        populates,
        timings: prepared.timings,
        // Which collections are sharded is known to the server alone. It refuses the joins of a read before it
        // looks for the document.
        checkReadable: async () => {
          if (populates && store.refusesJoins) await read(NO_DOCUMENT);
        },
        read,
        show: async (documentId, entry) => (populates ? read(documentId) : render().entry(entry)),
      };
    },
  };
}
