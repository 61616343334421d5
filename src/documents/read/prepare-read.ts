/** A query as something that can be run: parse, check, plan, compile, each step timed, and kept for the next time. */

import { compileRead } from '../../pipeline/compile.js';
import { populateFieldsOf } from '../../pipeline/populate/populate-fields.js';
import type { CompiledRead, ReadForm } from '../../pipeline/types.js';
import type { CheckedQuery } from '../../query/ast.js';
import { checkQuery } from '../../query/check.js';
import { parseQuery } from '../../query/parse.js';
import { HEAVY, weightOf } from '../../query/plan/weight.js';
import { planRead, type ReadTarget } from '../../query/plan.js';
import type { Query } from '../../query/query.js';
import type { Caller, ReadPlan } from '../../query/read-plan.js';
import type { QueryMode, QuerySettings } from '../../query/settings.js';
import { type BytesRender, compileBytes, isWritten } from '../../render/bytes/compile.js';
import { compileRender, type Render } from '../../render/compile.js';
import type { ContentType, Schema } from '../../schema/types.js';
import { newCache } from './plan-cache.js';
import { planBytes } from './plan-size.js';

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

export interface PreparedRead {
  readonly node: CheckedQuery;
  readonly plan: ReadPlan;
  readonly compiled: CompiledRead;
  readonly render: Render;
  /** The same without objects, for answers as JSON; null where there is no such way. */
  readonly bytes: () => BytesRender | null;
  /** It populates: entries may be shown several times over. */
  readonly populates: boolean;
  /** Wants a turn of its own (see `weightOf`). */
  readonly heavy: boolean;
}

export interface Prepared {
  readonly read: PreparedRead;
  readonly timings: readonly Timing[];
}

export interface PrepareOptions {
  readonly schema: Schema;
  readonly settings: Readonly<Record<QueryMode, QuerySettings>>;
  readonly componentIds: boolean;
  readonly form: ReadForm;
  /** Bytes of plans that are kept. */
  readonly maxPlanBytes: number;
}

export function newPreparer({
  schema,
  settings,
  componentIds,
  form,
  maxPlanBytes,
}: PrepareOptions): (request: ReadRequest) => Prepared {
  const cache = newCache<PreparedRead>(maxPlanBytes, ({ plan, compiled }) =>
    planBytes(plan.selection, compiled),
  );
  return (request) => {
    const key = keyOf(request);
    const known = key === null ? undefined : cache.get(key);
    if (known) return { read: known, timings: [] };
    const timer = newTimer();
    const { type, query, caller, target, v4 = false, unpaginated = false } = request;
    const { mode } = query;
    const set = unpaginated ? lenient(settings[mode]) : settings[mode];
    const parsed = parseQuery(query.params, mode, set.limits);
    timer.mark('parse');
    const node = checkQuery(parsed, type, { schema, caller, settings: set });
    timer.mark('check');
    const plan = planRead(node, type, { schema, caller, settings: set }, { target, unpaginated });
    timer.mark('plan');
    const compiled = compileRead(plan, form);
    const options = {
      componentIds: componentIds || mode === 'service',
      v4,
      textDates: mode === 'service',
      once: mode === 'rest',
    };
    const render = compileRender(plan, options);
    timer.mark('compile');
    const prepared = {
      node,
      plan,
      compiled,
      render,
      bytes: once(() => (isWritten(mode, compiled) ? compileBytes(plan, options) : null)),
      populates: populateFieldsOf(plan.selection).size > 0,
      heavy: weightOf(plan) > HEAVY,
    };
    if (key !== null) cache.set(key, prepared);
    return { read: prepared, timings: timer.timings };
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Unknown parameters are ignored, and values read as they come. */
const lenient = (settings: QuerySettings): QuerySettings => ({
  ...settings,
  strictParams: false,
  strictValues: false,
});

function keyOf({ type, query, caller, target, v4, unpaginated }: ReadRequest): string | null {
  if (query.key === null) return null;
  const grants = caller.grants === null ? '' : caller.grants.version;
  const form = `${v4 ? 'v4' : ''} ${unpaginated ? 'unpaginated' : ''}`;
  return [type.uid, query.mode, target, form, grants, query.key].join('\n');
}

export interface Timer {
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
