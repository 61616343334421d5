/** A query as something that can be run: parse, check, plan, compile, each step timed, and kept for the next time. */

import { type AnyValue, forAnyValue } from '../../pipeline/any-value.js';
import { compileRead } from '../../pipeline/compile.js';
import { populateFieldsOf } from '../../pipeline/populate/populate-fields.js';
import type { CompiledRead, ReadForm } from '../../pipeline/types.js';
import type { CheckedQuery, QueryNode } from '../../query/ast.js';
import { checkQuery } from '../../query/check.js';
import { oneValueOf } from '../../query/one-value.js';
import { parseQuery } from '../../query/parse.js';
import { HEAVY, weightOf } from '../../query/plan/weight.js';
import { planRead, type ReadTarget, type SelectionOf } from '../../query/plan.js';
import { contentOf, type Query } from '../../query/query.js';
import type { Caller, ReadPlan, Selection } from '../../query/read-plan.js';
import type { QueryMode, QuerySettings } from '../../query/settings.js';
import { type BytesRender, compileBytes, isWritten } from '../../render/bytes/compile.js';
import { compileRender, type Render } from '../../render/compile.js';
import type { ContentType, Schema } from '../../schema/types.js';
import { once } from '../../values/once-per.js';
import { newCache } from './plan-cache.js';
import { planBytes, selectionBytes } from './plan-size.js';

/** A step's name and its milliseconds, for `Server-Timing` and `explain`. */
export type Timing = readonly [name: string, ms: number];

export interface ReadRequest {
  readonly type: ContentType;
  readonly query: Query;
  readonly caller: Caller;
  /** The v4 response format (rules A.4). */
  readonly v4?: boolean;
  /** As `GET /users` and `/upload/files` are read: `start` and `limit` beside `filters`, no default page or envelope, unknown keys ignored. */
  readonly unpaginated?: boolean;
  readonly target: ReadTarget;
}

interface PreparedRead {
  readonly node: CheckedQuery;
  readonly plan: ReadPlan;
  readonly compiled: CompiledRead;
  readonly render: Render;
  /** The same without objects, for answers as JSON; null where there is no such way. */
  readonly bytes: () => BytesRender | null;
  /** Bytes of the largest answer so far. */
  readonly answered: { bytes: number };
  /** It populates: entries may be shown several times over. */
  readonly populates: boolean;
  /** Wants a turn of its own (see `weightOf`). */
  readonly heavy: boolean;
}

export interface Prepared {
  readonly read: PreparedRead;
  /** What fills the slot of a plan for any value; null: the plan has its values. */
  readonly value: string | null;
  readonly timings: readonly Timing[];
}

interface PrepareOptions {
  readonly schema: Schema;
  readonly settings: Readonly<Record<QueryMode, QuerySettings>>;
  readonly componentIds: boolean;
  readonly form: ReadForm;
  /** Bytes of plans that are kept. */
  readonly maxPlanBytes: number;
}

/** How much of the memory each has: texts of queries, what is shown, plans for any value, and plans. */
const SHARES = { texts: 0.1, selections: 0.2, anyValues: 0.1, plans: 0.6 };

interface Preparer {
  /** By the plan for any value, where there is one. */
  prepare(request: ReadRequest): Prepared;
  /** By a plan that says all that the query says. */
  prepareWhole(request: ReadRequest): Prepared;
}

/** A plan for any value, and which values those are. */
interface AnyRead extends Pick<AnyValue, 'takes'> {
  readonly read: PreparedRead;
}

/**
 * Plans are kept by what a query asks, and found by its text, of which several may ask the same. Those that differ in their values share
 * what they show, and lists that differ in one value alone, as in the slug that is looked for, are one plan.
 */
export function newPreparer(options: PrepareOptions): Preparer {
  const { schema, settings, form, maxPlanBytes } = options;
  const texts = newCache<{ readonly content: string }>(
    SHARES.texts * maxPlanBytes,
    ({ content }) => 2 * content.length,
  );
  const plans = newCache(SHARES.plans * maxPlanBytes, readBytes);
  const selections = newCache<Selection>(SHARES.selections * maxPlanBytes, selectionBytes);
  const anyValues = newCache<AnyRead>(SHARES.anyValues * maxPlanBytes, ({ read }) => readBytes(read));
  const shows = new WeakMap<Selection, Shows>();

  /** @param place null: the plan is not kept, nor is what it shows */
  const make = (request: ReadRequest, node: QueryNode, place: string | null, timer: Timer): PreparedRead => {
    const { type, query, caller, target, unpaginated = false } = request;
    const scope = { schema, caller, settings: settingsOf(request, settings) };
    const checked = checkQuery(node, type, scope);
    timer.mark('check');
    const selectionOf: SelectionOf = (beside, makeSelection) => {
      if (place === null) return makeSelection();
      const name = `${place}\n${JSON.stringify([beside, node.fields, node.populate])}`;
      const known = selections.get(name);
      const selection = known ?? makeSelection();
      if (!known) selections.set(name, selection);
      return selection;
    };
    const plan = planRead(checked, type, scope, { target, unpaginated, selectionOf });
    timer.mark('plan');
    const compiled = compileRead(plan, form);
    const shown = shows.get(plan.selection) ?? showsOf(plan, request, options);
    shows.set(plan.selection, shown);
    timer.mark('compile');
    return {
      node: checked,
      plan,
      compiled,
      render: shown.render,
      bytes: () => (isWritten(query.mode) ? shown.bytes() : null),
      answered: { bytes: 0 },
      populates: populateFieldsOf(plan.selection).size > 0,
      heavy: weightOf(plan) > HEAVY,
    };
  };

  const prepareWhole = (request: ReadRequest): Prepared => {
    const { query } = request;
    const place = query.key === null ? null : placeOf(request);
    const key = `${place}\n${query.key}`;
    const said = place === null ? undefined : texts.get(key);
    const known = said && plans.get(said.content);
    if (known) return { read: known, value: null, timings: [] };
    const timer = newTimer();
    const set = settingsOf(request, settings);
    const { params } = query;
    const node = parseQuery(params, query.mode, set.limits);
    timer.mark('parse');
    const { timings } = timer;
    if (place === null) return { read: make(request, node, place, timer), value: null, timings };
    const content = `${place}\n${contentOf(params, set)}`;
    const same = plans.get(content);
    const read = same ?? make(request, node, place, timer);
    if (!same) plans.set(content, read);
    texts.set(key, { content });
    return { read, value: null, timings };
  };

  const prepare = (request: ReadRequest): Prepared => {
    const { query, target } = request;
    const one =
      target === 'list' && query.text !== undefined
        ? oneValueOf(query.text, settingsOf(request, settings))
        : null;
    if (!one) return prepareWhole(request);
    const key = `${placeOf(request)}\n${one.rest}`;
    const known = anyValues.get(key);
    if (known?.takes(one.value)) return { read: known.read, value: one.value, timings: [] };
    const prepared = prepareWhole(request);
    const any = known ? null : forAnyValue(prepared.read.plan, one.value);
    if (any) {
      const read = { ...prepared.read, plan: any.plan, compiled: compileRead(any.plan, form) };
      anyValues.set(key, { read, takes: any.takes });
    }
    return prepared;
  };
  return { prepare, prepareWhole };
}

const readBytes = ({ plan, compiled }: PreparedRead): number => planBytes(plan.selection, compiled);

/** How a selection is shown. */
interface Shows {
  readonly render: Render;
  readonly bytes: () => BytesRender;
}

function showsOf(plan: ReadPlan, { query, v4 = false }: ReadRequest, options: PrepareOptions): Shows {
  const service = query.mode === 'service';
  const how = {
    componentIds: options.componentIds || service,
    v4,
    textDates: service,
    once: !service,
  };
  const { type, selection } = plan;
  return { render: compileRender(plan, how), bytes: once(() => compileBytes({ type, selection }, how)) };
}

const settingsOf = (
  { query: { mode }, unpaginated = false }: ReadRequest,
  settings: PrepareOptions['settings'],
): QuerySettings => (unpaginated ? lenient(settings[mode]) : settings[mode]);

/** Unknown parameters are ignored, and values read as they come. */
const lenient = (settings: QuerySettings): QuerySettings => ({
  ...settings,
  strictParams: false,
  strictValues: false,
});

/** What decides about an answer besides what its query asks: who asks whom, and in which form. */
function placeOf({ type, query, caller, target, v4, unpaginated }: ReadRequest): string {
  const grants = caller.grants === null ? '' : caller.grants.version;
  const form = `${v4 ? 'v4' : ''} ${unpaginated ? 'unpaginated' : ''}`;
  return [type.uid, query.mode, target, form, grants].join('\n');
}

interface Timer {
  readonly timings: readonly Timing[];
  /** Notes the time since the mark before. */
  mark(name: string): void;
}

export function newTimer(): Timer {
  const timings: Timing[] = [];
  let last = performance.now();
  return {
    timings,
    mark(name) {
      const now = performance.now();
      timings.push([name, now - last]);
      last = now;
    },
  };
}
