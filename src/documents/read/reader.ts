/** The one read path: REST and the Document Service both ask here (docs/architecture.md, "The life of a request"). */

import type { Config } from '../../config/types.js';
import { type Budget, LARGE } from '../../limits/budget.js';
import { newAnswerCheck } from '../../limits/measure.js';
import { mapInTurns } from '../../limits/turns.js';
import type { Doc } from '../../pipeline/types.js';
import type { CheckedQuery } from '../../query/ast.js';
import type { ReadTarget } from '../../query/plan.js';
import type { ReadPlan } from '../../query/read-plan.js';
import { querySettings } from '../../query/settings.js';
import { Output } from '../../render/bytes/output.js';
import type { Schema } from '../../schema/types.js';
import { ambiguous } from '../../store/adopted/keys.js';
import type { Store } from '../../store/client.js';
import { type ReadResult, type RowReader, runCount, runRead } from '../../store/reads/read.js';
import { type Gate, NO_GATE } from '../../store/transfer/gate.js';
import { newCountStrategies } from './count-strategy.js';
import { isLarge, newLargeReads } from './large-reads.js';
import { withoutListed } from './listed-locales.js';
import { paginationOf } from './pagination.js';
import { newPreparer, newTimer, type Prepared, type ReadRequest, type Timing } from './prepare-read.js';

/** Bytes of plans that one reader keeps. */
const MAX_PLAN_BYTES = 48_000_000;
/** Shapes of filters, and of what is populated, that it learns of. */
const MAX_SHAPES = 1000;

/** What is asked of a content type, by whom. */
export interface Asked extends Omit<ReadRequest, 'target'> {
  /** What the request may cost; scripts have none. */
  readonly budget?: Budget;
  /** The read may be older than the last write, if the address of the database prefers servers that lag behind. */
  readonly mayLag?: boolean;
  /** What the read must not be older than. */
  readonly session?: ReadSession;
}

/** Of the store, for the reads of one request. */
export type ReadSession = NonNullable<Store['session']>;

export interface ListAnswer {
  readonly data: readonly Doc[];
  /** `meta.pagination`; null where the query has none. */
  readonly pagination: Doc | null;
  /** Steps and their milliseconds: parse, check, plan, compile (not on a plan that is kept), read, render. */
  readonly timings: readonly Timing[];
}

/** An answer as the text that is sent. */
export interface JsonAnswer {
  /** JSON of the entry, or of the list of them; null: there is no such entry. */
  readonly json: Output | null;
  readonly pagination: Doc | null;
  readonly timings: readonly Timing[];
}

export interface OneAnswer {
  readonly data: Doc | null;
  readonly timings: readonly Timing[];
}

/** How the answer of a write shows an entry: its query, prepared once, before anything is written. */
export interface View {
  readonly query: CheckedQuery;
  readonly plan: ReadPlan;
  readonly populates: boolean;
  /** Steps of the preparation, as in other answers. */
  readonly timings: readonly Timing[];
  /** A document as it is stored by now. */
  read(documentId: string): Promise<Doc | null>;
  /** An entry as it is stored once the write is done; it is read again only to populate. */
  show(documentId: string, entry: Doc): Promise<Doc | null>;
}

export interface Reader {
  list(asked: Asked): Promise<ListAnswer>;
  one(asked: Asked, documentId: string): Promise<OneAnswer>;
  /** The entry of a single type, or the first of a list. */
  single(asked: Asked): Promise<OneAnswer>;
  /** The same as JSON, which most reads make without objects. */
  json(asked: Asked, of: JsonOf): Promise<JsonAnswer>;
  /** How many entries match, whatever the page. */
  count(asked: Asked): Promise<number>;
  view(asked: Asked): View;
  /** All steps before the read itself, by a plan that says all that the query says. */
  prepare(request: ReadRequest): Prepared;
}

/** Of which entries an answer is. */
export type JsonOf = { readonly target: 'list' | 'single' } | { readonly documentId: string };

interface ReaderOptions {
  readonly schema: Schema;
  readonly store: Store;
  readonly config: Pick<Config, 'rest' | 'documents' | 'query' | 'plugins'>;
  /** What every read passes; absent where nothing switches collections. */
  readonly gate?: Gate;
}

/** What one run reads, and into what. */
interface RunAs {
  readonly asked: Asked;
  readonly documentId: string | null;
  readonly reader?: RowReader;
}

const requestOf = (
  { type, query, caller, v4 = false, unpaginated = false }: Asked,
  target: ReadTarget,
): ReadRequest => ({ type, query, caller, v4, unpaginated, target });

/** Every method throws an `ApiError` for what the caller asked wrongly. */
export function createReader({ schema, store, config, gate = NO_GATE }: ReaderOptions): Reader {
  const { prepare, prepareWhole } = newPreparer({
    schema,
    settings: { rest: querySettings(config, 'rest'), service: querySettings(config, 'service') },
    componentIds: config.rest.componentIds,
    form: store.form,
    maxPlanBytes: MAX_PLAN_BYTES,
  });

  const countStrategyOf = newCountStrategies(MAX_SHAPES);
  const largeReads = newLargeReads(MAX_SHAPES);

  /** With all members of those that requests have: V8 is slow to add to a copy what it has not, and each request makes one. */
  const whole: Store = { ...store, session: undefined, budget: undefined };
  const from = ({ mayLag = false, session, budget }: Asked): Store =>
    mayLag || session || budget ? { ...whole, db: mayLag ? store.lists : store.db, session, budget } : store;

  /** Runs a read, and remembers for others of its kind how large it was. */
  const learning = async (
    { budget }: Asked,
    plan: ReadPlan,
    run: () => Promise<ReadResult>,
  ): Promise<ReadResult> => {
    if (!budget) return run();
    const before = budget.spent.bytes;
    try {
      const result = await run();
      largeReads.learn(plan, { bytes: budget.spent.bytes - before, rows: result.rows.length });
      return result;
    } catch (error) {
      largeReads.learn(plan, null);
      throw error;
    }
  };

  /** `show` makes an answer of the rows. */
  const runAs = async <T>(
    { read, value, timings }: Prepared,
    { asked, documentId, reader }: RunAs,
    show: (rows: readonly Doc[]) => T | Promise<T>,
  ) => {
    const timer = newTimer();
    const counting = countStrategyOf(read.plan);
    const { budget } = asked;
    const heavy = read.heavy || largeReads.expects(read.plan);
    let leave = budget && heavy ? await budget.heavy.enter(budget) : undefined;
    const before = budget?.spent.bytes ?? 0;
    try {
      const options = { documentId, value, counting, ...(reader && { reader }) };
      const result: ReadResult = await learning(asked, read.plan, () =>
        gate.pass(() => runRead(from(asked), read.compiled, options)),
      );
      timer.mark('read');
      // It brought more than its like before: the answers of several such are not made beside each other.
      if (budget && isLarge(budget.spent.bytes - before)) leave ??= await budget.heavy.enter(budget);
      const data = await show(withoutListed(result.rows, read.plan));
      timer.mark('render');
      return { plan: read.plan, data, result, timings: [...timings, ...timer.timings] };
    } finally {
      leave?.();
    }
  };

  /** In turns with other requests, where there is much of it. */
  const each = <T>(rows: readonly Doc[], { budget }: Asked, show: (row: Doc) => T): T[] | Promise<T[]> =>
    budget && budget.spent.bytes > LARGE ? mapInTurns(rows, show) : rows.map(show);

  const run = (prepared: Prepared, asked: Asked, documentId: string | null) => {
    const { render, populates } = prepared.read;
    const { budget } = asked;
    const check = budget && populates ? newAnswerCheck(budget.limits) : undefined;
    return runAs(prepared, { asked, documentId }, (rows) =>
      each(rows, asked, (row) => {
        const shown = render(row);
        check?.(shown);
        return shown;
      }),
    );
  };

  /** By objects where there is no other way. */
  const runJson = async (prepared: Prepared, asked: Asked, documentId: string | null) => {
    const reader = prepared.read.bytes();
    if (!reader) {
      const answered = await run(prepared, asked, documentId);
      const out = new Output();
      await each(answered.data, asked, (shown) => out.item(JSON.stringify(shown)));
      return { ...answered, data: { json: out, rows: answered.data.length } };
    }
    const { budget } = asked;
    const limits = budget && prepared.read.populates ? budget.limits : null;
    const writer = reader.open(limits, prepared.read.answered);
    const answered = await runAs(prepared, { asked, documentId, reader }, (rows) =>
      each(rows, asked, writer.write),
    );
    return { ...answered, data: { json: writer.out, rows: answered.data.length } };
  };

  const answer = (target: ReadTarget, asked: Asked, documentId: string | null = null) =>
    run(prepare(requestOf(asked, target)), asked, documentId);

  return {
    prepare: prepareWhole,
    async list(asked) {
      const { plan, data, result, timings } = await answer('list', asked);
      return { data, pagination: paginationOf(plan.page, result), timings };
    },
    async one(asked, documentId) {
      const { data, timings } = await answer('one', asked, documentId);
      if (data.length > 1) throw ambiguous(asked.type, documentId);
      return { data: data[0] ?? null, timings };
    },
    async single(asked) {
      const { data, timings } = await answer('single', asked);
      return { data: data[0] ?? null, timings };
    },
    async json(asked, of) {
      const documentId = 'documentId' in of ? of.documentId : null;
      const target = 'documentId' in of ? 'one' : of.target;
      const prepared = prepare(requestOf(asked, target));
      const { plan, data, result, timings } = await runJson(prepared, asked, documentId);
      const { json, rows } = data;
      if (target === 'list') {
        json.before('[');
        json.ascii(']');
        return { json, pagination: paginationOf(plan.page, result), timings };
      }
      if (rows > 1 && documentId !== null) throw ambiguous(asked.type, documentId);
      return { json: rows === 0 ? null : json, pagination: null, timings };
    },
    async count(asked) {
      const { read, value } = prepare(requestOf(asked, 'list'));
      return gate.pass(() => runCount(from(asked), read.compiled, { value }));
    },
    view(asked) {
      const prepared = prepare(requestOf(asked, 'written'));
      const { node, plan, render, populates } = prepared.read;
      const read = async (documentId: string) => (await run(prepared, asked, documentId)).data[0] ?? null;
      return {
        query: node,
        plan,
        populates,
        timings: prepared.timings,
        read,
        show: async (documentId, entry) => (populates ? read(documentId) : render(entry)),
      };
    },
  };
}
