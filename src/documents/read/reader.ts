/** The one read path: REST and the Document Service both ask here (docs/architecture.md, "The life of a request"). */

import type { Config } from '../../config/types.js';
import type { Budget } from '../../limits/budget.js';
import { checkAnswer } from '../../limits/measure.js';
import { sidesOf } from '../../pipeline/sides.js';
import type { Doc } from '../../pipeline/types.js';
import type { RawObject } from '../../query/ast.js';
import type { Caller, ReadPlan } from '../../query/read-plan.js';
import { type QueryMode, querySettings } from '../../query/settings.js';
import type { ContentType, Schema } from '../../schema/types.js';
import type { Store } from '../../store/client.js';
import { type ReadResult, runCount, runRead } from '../../store/read.js';
import { newCountStrategies } from './count-strategy.js';
import { withoutListed } from './listed-locales.js';
import { paginationOf } from './pagination.js';
import { newPreparer, newTimer, type Prepared, type ReadRequest, type Timing } from './prepare-read.js';

/** Bytes of plans that one reader keeps. */
const MAX_PLAN_BYTES = 48_000_000;
/** Shapes of filters that it learns of. */
const MAX_SHAPES = 1000;

/** A query string without `?`, as REST has it, or the parameters of a Document Service call. */
export type Query = string | RawObject;

export interface ReadOptions {
  /** The v4 response format (rules A.4). */
  readonly v4?: boolean;
  /** A list without envelope or default page (`GET /users`, `/upload/files`); parameters that nobody knows are ignored. */
  readonly unpaginated?: boolean;
  /** If absent: text is read as REST reads it, an object as the Document Service does. */
  readonly mode?: QueryMode;
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

export interface OneAnswer {
  readonly data: Doc | null;
  readonly timings: readonly Timing[];
}

export interface Reader {
  list(type: ContentType, query: Query, caller: Caller, options?: ReadOptions): Promise<ListAnswer>;
  one(
    type: ContentType,
    documentId: string,
    query: Query,
    caller: Caller,
    options?: ReadOptions,
  ): Promise<OneAnswer>;
  /** An entry at hand as `one` would answer with it; null where that takes a look at other entries, or a condition has to hold. */
  shown(type: ContentType, entry: Doc, query: Query, caller: Caller, options?: ReadOptions): Doc | null;
  /** The entry of a single type, or the first of a list. */
  single(type: ContentType, query: Query, caller: Caller, options?: ReadOptions): Promise<OneAnswer>;
  /** How many entries match, whatever the page. */
  count(type: ContentType, query: Query, caller: Caller, options?: ReadOptions): Promise<number>;
  /** All steps before the read itself, for `explain`. */
  prepare(request: ReadRequest): Prepared;
}

export interface ReaderOptions {
  readonly schema: Schema;
  readonly store: Store;
  readonly config: Pick<Config, 'rest' | 'documents' | 'query' | 'plugins'>;
}

/**
 * Every method throws an `ApiError` for what the caller asked wrongly. Text is read as a REST query, an object as parameters of
 * the Document Service.
 */
export function createReader({ schema, store, config }: ReaderOptions): Reader {
  const prepare = newPreparer({
    schema,
    settings: { rest: querySettings(config, 'rest'), service: querySettings(config, 'service') },
    componentIds: config.rest.componentIds,
    form: store.form,
    maxPlanBytes: MAX_PLAN_BYTES,
  });

  const countStrategyOf = newCountStrategies(MAX_SHAPES);

  const from = ({ mayLag = false, session, budget }: ReadOptions): Store =>
    mayLag || session || budget
      ? {
          ...store,
          ...(mayLag && { db: store.lists }),
          ...(session && { session }),
          ...(budget && { budget }),
        }
      : store;

  const run = async (request: ReadRequest, documentId: string | null, options: ReadOptions = {}) => {
    const { read, timings } = prepare(request);
    const timer = newTimer();
    const counting = countStrategyOf(read.plan);
    const { budget } = options;
    const leave = budget && read.heavy ? await budget.heavy.enter(budget.signal) : undefined;
    try {
      const result: ReadResult = await runRead(from(options), read.compiled, { documentId, counting });
      timer.mark('read');
      const data = withoutListed(result.rows, read.plan).map(read.render);
      if (budget && read.populates) checkAnswer(data, budget.limits);
      timer.mark('render');
      return { plan: read.plan, data, result, timings: [...timings, ...timer.timings] };
    } finally {
      leave?.();
    }
  };

  const request = (
    target: ReadRequest['target'],
    type: ContentType,
    query: Query,
    caller: Caller,
    {
      v4 = false,
      unpaginated = false,
      mode = typeof query === 'string' ? 'rest' : 'service',
    }: ReadOptions = {},
  ) => ({
    type,
    query,
    caller,
    mode,
    v4,
    unpaginated,
    target,
  });

  return {
    prepare,
    async list(type, query, caller, options) {
      const { plan, data, result, timings } = await run(
        request('list', type, query, caller, options),
        null,
        options,
      );
      return { data, pagination: paginationOf(plan.page, result), timings };
    },
    async one(type, documentId, query, caller, options) {
      const { data, timings } = await run(request('one', type, query, caller, options), documentId, options);
      return { data: data[0] ?? null, timings };
    },
    shown(type, entry, query, caller, options) {
      const { plan, render } = prepare(request('one', type, query, caller, options)).read;
      return isAlone(plan) ? render(entry) : null;
    },
    async single(type, query, caller, options) {
      const { data, timings } = await run(request('single', type, query, caller, options), null, options);
      return { data: data[0] ?? null, timings };
    },
    async count(type, query, caller, options) {
      const { read } = prepare(request('list', type, query, caller, options));
      return runCount(from(options ?? {}), read.compiled);
    },
  };
}

/** Nothing but the entry's own fields is asked for. */
const isAlone = ({ filter, publication, selection }: ReadPlan): boolean =>
  filter.kind === 'always' && publication === null && sidesOf(selection).size === 0;
