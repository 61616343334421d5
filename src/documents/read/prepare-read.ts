/**
 * Prepares a query to be run (parse, check, plan, compile), with the time of each step, and caches the
 * result.
 */

import { createHash } from 'node:crypto';
import { isOn } from '../../limits/mechanisms.js';
import { boundTo, isShared } from '../../pipeline/bound-read.js';
import { compileRead } from '../../pipeline/compile.js';
import { populateFieldsOf } from '../../pipeline/populate/populate-fields.js';
import type { CompiledRead, ReadForm } from '../../pipeline/types.js';
import type { QueryNode } from '../../query/ast.js';
import { checkQuery } from '../../query/check.js';
import type { CheckedQuery } from '../../query/checked.js';
import { parseQuery } from '../../query/parse.js';
import { HEAVY, weightOf } from '../../query/plan/weight.js';
import { planRead, type ReadTarget, type SelectionOf } from '../../query/plan.js';
import type { Query } from '../../query/query.js';
import type { Caller, ReadPlan, SelectedFields, ToCome, VersionChoice } from '../../query/read-plan.js';
import type { QueryMode, QuerySettings } from '../../query/settings.js';
import { compileRender, type Render } from '../../render/bytes/compile.js';
import type { ContentType, Schema } from '../../schema/types.js';
import { once } from '../../values/once-per.js';
import { packageVersion } from '../../values/package-version.js';
import { newCache } from './plan-cache.js';
import { planBytes, selectionBytes } from './plan-size.js';

/** A step's name and its milliseconds, for `Server-Timing` and `explain`. */
export type Timing = readonly [name: string, ms: number];

export interface QueryRequest {
  readonly type: ContentType;
  readonly query: Query;
  readonly caller: Caller;
  /** The v4 response format. */
  readonly v4?: boolean;
  /**
   * Like `GET /users` and `/upload/files`: `start` and `limit` at the root of the query, no default page
   * size, no envelope, unknown keys ignored.
   */
  readonly unpaginated?: boolean;
  /** Reads versions instead of what is stored now. */
  readonly versions?: VersionChoice;
  /** Reads entries as they will be. */
  readonly toCome?: ToCome;
  readonly target: ReadTarget;
}

interface PreparedRead {
  readonly node: CheckedQuery;
  readonly plan: ReadPlan;
  readonly compiled: CompiledRead;
  /** Compiled when it is first needed. */
  readonly render: () => Render;
  /** Size of the largest answer so far, in bytes. */
  readonly answered: { bytes: number };
  /** It populates, so entries may be shown several times. */
  readonly populates: boolean;
  /**
   * Of everything that decides how an entry is shown, besides the entry: the same revision with the same digest is the
   * same answer. Null if it also shows other entries, or the query cannot be expressed as text.
   */
  readonly digest: string | null;
  /** Shares a gate with other heavy reads (see `weightOf`). */
  readonly heavy: boolean;
  /** `compiled` has slots for values of the caller. */
  readonly shared: boolean;
}

export interface Prepared {
  readonly read: PreparedRead;
  readonly timings: readonly Timing[];
}

interface PrepareOptions {
  readonly schema: Schema;
  readonly settings: Readonly<Record<QueryMode, QuerySettings>>;
  readonly componentIds: boolean;
  /** Reads of single entries include their revisions. */
  readonly revisions: boolean;
  readonly form: ReadForm;
  /** Maximum bytes of cached plans. */
  readonly maxPlanBytes: number;
}

/** How that memory is divided. */
const SHARES = { selections: 0.2, plans: 0.8 };

/**
 * Plans are cached by the text of a query. Plans that differ only in their values share a selection, and with it a
 * renderer.
 */
export function newPreparer(options: PrepareOptions): (request: QueryRequest) => Prepared {
  const { schema, settings, form, maxPlanBytes, revisions } = options;
  const rendering = JSON.stringify([packageVersion(), schema.version, options.componentIds]);
  const plans = newCache(SHARES.plans * maxPlanBytes, readBytes);
  const selections = newCache<SelectedFields>(SHARES.selections * maxPlanBytes, selectionBytes);
  const renders = new WeakMap<SelectedFields, () => Render>();

  /** @param place null: neither the plan nor its selection is cached */
  const make = (request: QueryRequest, node: QueryNode, place: string | null, timer: Timer): PreparedRead => {
    const { type, caller, target, unpaginated = false, versions, toCome } = request;
    const scope = { schema, caller, settings: settingsOf(request, settings) };
    const checked = checkQuery(node, type, scope);
    timer.mark('check');
    const selectionOf: SelectionOf = (dependsOn, makeSelection) => {
      if (place === null) return makeSelection();
      const name = `${place}\n${JSON.stringify([dependsOn, node.fields, node.populate])}`;
      const known = selections.get(name);
      const selection = known ?? makeSelection();
      if (!known) selections.set(name, selection);
      return selection;
    };
    const kind = {
      target,
      unpaginated,
      revision: revisions,
      selectionOf,
      ...(toCome && { toCome }),
      ...(versions && { versions }),
    };
    const plan = planRead(checked, type, scope, kind);
    timer.mark('plan');
    const compiled = compileRead(plan, form);
    const render = renders.get(plan.selection) ?? renderOf(plan, request, options);
    renders.set(plan.selection, render);
    const populates = populateFieldsOf(plan.selection).size > 0;
    timer.mark('compile');
    return {
      node: checked,
      plan,
      compiled,
      render,
      answered: { bytes: 0 },
      populates,
      digest:
        plan.revision && place !== null && !populates ? digestOf(rendering, place, request.query.key) : null,
      heavy: weightOf(plan) > HEAVY,
      shared: isShared(compiled),
    };
  };

  return (request) => {
    const { query, versions, toCome } = request;
    const place = query.key === null || versions || toCome ? null : placeOf(request);
    const key = `${place}\n${query.key}`;
    const known = place === null || !isOn('plan cache') ? undefined : plans.get(key);
    if (known) return { read: forCaller(known, request.caller), timings: [] };
    const timer = newTimer();
    const node = parseQuery(query.params, query.mode, settingsOf(request, settings).limits);
    timer.mark('parse');
    const read = make(request, node, place, timer);
    if (place !== null && request.caller.grants?.values?.revealed !== true) plans.set(key, read);
    return { read: forCaller(read, request.caller), timings: timer.timings };
  };
}

/** A plan that callers share, with the values of one of them. */
function forCaller(read: PreparedRead, { grants }: Caller): PreparedRead {
  if (!read.shared) return read;
  if (!grants?.values) throw new TypeError('a rule names values of a caller who has none');
  return { ...read, compiled: boundTo(read.compiled, grants.values) };
}

const digestOf = (...parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 20);

const readBytes = ({ plan, compiled }: PreparedRead): number => planBytes(plan.selection, compiled);

/** How a selection is rendered. */
const renderOf = (
  { type, selection }: ReadPlan,
  { query, v4 = false }: QueryRequest,
  { componentIds }: PrepareOptions,
): (() => Render) =>
  once(() =>
    compileRender({ type, selection }, { componentIds: componentIds || query.mode === 'service', v4 }),
  );

const settingsOf = (
  { query: { mode }, unpaginated = false }: QueryRequest,
  settings: PrepareOptions['settings'],
): QuerySettings => (unpaginated ? lenient(settings[mode]) : settings[mode]);

/** Ignores unknown parameters and accepts lenient values. */
const lenient = (settings: QuerySettings): QuerySettings => ({
  ...settings,
  strictParams: false,
  strictValues: false,
});

/**
 * What determines an answer besides its query: type, caller and response format. Of two callers with the same
 * grants, only the one with a credential may read drafts.
 */
function placeOf({ type, query, caller, target, v4, unpaginated }: QueryRequest): string {
  const grants = caller.grants === null ? '' : caller.grants.version;
  const sees = `${caller.anonymous ? 'anonymous' : ''} ${caller.seesAll ? 'all' : ''}`;
  const form = `${sees} ${v4 ? 'v4' : ''} ${unpaginated ? 'unpaginated' : ''}`;
  return [type.uid, query.mode, target, form, grants].join('\n');
}

interface Timer {
  readonly timings: readonly Timing[];
  /** Records the time since the last mark. */
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
