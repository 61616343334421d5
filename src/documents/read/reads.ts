import type { Config } from '../../config/types.js';
import { type Budget, LARGE } from '../../limits/budget.js';
import { isOn } from '../../limits/mechanisms.js';
import { mapInSlices } from '../../limits/yield.js';
import { asIf } from '../../pipeline/as-if.js';
import type { Doc } from '../../pipeline/types.js';
import type { ReadTarget } from '../../query/plan.js';
import { querySettings } from '../../query/settings.js';
import type { Schema } from '../../schema/types.js';
import type { Store } from '../../store/client.js';
import { type ReadResult, type RowReader, runCount, runRead } from '../../store/reads/read.js';
import type { ReadScope } from '../../store/reads/read-scope.js';
import { NO_GATE, type ReadGate } from '../../store/transfer/gate.js';
import { newCountStrategies } from './count-strategy.js';
import { isLarge, newLargeReads } from './large-reads.js';
import { withoutListed } from './listed-locales.js';
import { newPreparer, newTimer, type Prepared, type QueryRequest } from './prepare-read.js';
import type { CacheValidator, ReadRequest } from './reader.js';
import { asksForToCome, notToCome, toComeFor } from './to-come.js';

/** Maximum bytes of plans that a reader caches. */
const MAX_PLAN_BYTES = 48_000_000;
/** Maximum bytes of the shapes of filters that are remembered, and of those of populate. */
const MAX_SHAPE_BYTES = 1_000_000;

export interface ReaderOptions {
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

/** Renders rows, in turns with other requests if there are many. */
export const each = <T>(
  rows: readonly Doc[],
  { budget }: ReadRequest,
  show: (row: Doc) => T,
): T[] | Promise<T[]> => (budget && budget.spent.bytes > LARGE ? mapInSlices(rows, show) : rows.map(show));

/** Prepares reads and runs them, with what earlier ones have shown about their cost. */
export class Reads {
  private readonly store: Store;
  private readonly gate: ReadGate;
  private readonly settings: Readonly<Record<'rest' | 'service', ReturnType<typeof querySettings>>>;
  private readonly prepareRead: ReturnType<typeof newPreparer>;
  private readonly countStrategyOf = newCountStrategies(MAX_SHAPE_BYTES);
  private readonly largeReads = newLargeReads(MAX_SHAPE_BYTES);
  /** Reads with the read preference of the URI. */
  private readonly lagging: Store;

  constructor({ schema, store, config, gate = NO_GATE }: ReaderOptions) {
    this.store = store;
    this.gate = gate;
    this.lagging = { ...store, db: store.lists };
    this.settings = { rest: querySettings(config, 'rest'), service: querySettings(config, 'service') };
    this.prepareRead = newPreparer({
      schema,
      settings: this.settings,
      componentIds: config.rest.componentIds,
      revisions: config.rest.etags,
      form: store.form,
      maxPlanBytes: MAX_PLAN_BYTES,
    });
  }

  /** Throws for a read of what is to come, whose schedules have to be read first. */
  prepare(request: QueryRequest): Prepared {
    if (asksForToCome(request)) throw notToCome();
    return this.prepareRead(request);
  }

  prepareFor(request: ReadRequest, target: ReadTarget): Prepared {
    return this.prepare(requestOf(request, target));
  }

  /** Prepares and runs a read, and renders what it finds. */
  async answer(target: ReadTarget, request: ReadRequest, documentId: string | null = null) {
    return this.run(await this.prepareWithToCome(request, target), request, documentId);
  }

  async run(prepared: Prepared, request: ReadRequest, documentId: string | null) {
    const { render, populates, answered, plan, digest } = prepared.read;
    const { budget, hasAlready } = request;
    let validator: CacheValidator | null = null;
    let unchanged = false;
    const reader = render();
    const writer = reader.open(budget && populates ? budget.limits : null, answered);
    const result = await this.runAs(prepared, { request, documentId, reader }, (rows) => {
      const [row] = rows;
      const revision = plan.revision && row ? reader.revision(row) : null;
      if (revision !== null) validator = { revision, digest };
      unchanged = validator !== null && hasAlready?.(validator) === true;
      return each(unchanged ? [] : rows, request, writer.write);
    });
    return { ...result, json: writer.out, rows: result.data.length, validator, unchanged };
  }

  /** `show` turns the rows into an answer. */
  async runAs<T>(
    { read, timings }: Prepared,
    { request, documentId, reader }: RunAs,
    show: (rows: readonly Doc[]) => T | Promise<T>,
  ) {
    const timer = newTimer();
    const counting = this.countStrategyOf(read.plan);
    const { budget } = request;
    const isHeavy = ({ client }: Budget): boolean =>
      read.heavy || (isOn('large reads') && this.largeReads.expects(read.plan, client));
    let leave = budget && isHeavy(budget) ? await budget.heavy.enter(budget) : undefined;
    const before = budget?.spent.bytes ?? 0;
    try {
      const options = { documentId, counting, reader };
      const result: ReadResult = await this.learning(request, read, () =>
        this.gate.pass(() => runRead(this.scopeOf(request), read.compiled, options)),
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
  }

  async count(request: ReadRequest): Promise<number> {
    const { read } = await this.prepareWithToCome(request, 'list');
    return this.gate.pass(() => runCount(this.scopeOf(request), read.compiled));
  }

  async holds(request: ReadRequest, entry: Doc): Promise<boolean> {
    const { read } = this.prepareFor(request, 'list');
    const { rows } = await this.gate.pass(() => runRead(this.scopeOf(request), asIf(read.compiled, entry)));
    return rows.length > 0;
  }

  /** The same as `prepare` with what is scheduled, for reads of entries as they will be. */
  private async prepareWithToCome(asked: ReadRequest, target: ReadTarget): Promise<Prepared> {
    const request = requestOf(asked, target);
    const toCome = asksForToCome(request)
      ? await toComeFor(this.store, request, this.settings[request.query.mode])
      : null;
    return this.prepareRead(toCome ? { ...request, toCome } : request);
  }

  private scopeOf({ mayLag = false, session, budget }: ReadRequest): ReadScope {
    return { store: mayLag ? this.lagging : this.store, session, budget };
  }

  /** Runs a read and records its size, by which later reads of the same shape are expected to be large. */
  private async learning(
    { budget }: ReadRequest,
    { plan, populates }: Prepared['read'],
    run: () => Promise<ReadResult>,
  ): Promise<ReadResult> {
    if (!budget) return run();
    const before = budget.spent.bytes;
    try {
      const result = await run();
      const brought = { bytes: budget.spent.bytes - before, rows: result.rows.length };
      this.largeReads.learn(plan, budget.client, brought);
      return result;
    } catch (error) {
      // Entries alone are as large as ever, however long their filter takes.
      if (populates) this.largeReads.fail(plan, budget.client);
      throw error;
    }
  }
}
