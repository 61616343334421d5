import type { Identity } from '../../access/index.js';
import { errors, isNotUnique } from '../../errors.js';
import { newDryRun } from '../../mcp/dry-run.js';
import type { ServiceOf } from '../../mcp/types.js';
import { PARAMS } from '../../query/params.js';
import { paramsQuery } from '../../query/query.js';
import type { WrittenOutcome } from '../../store/entries/idempotency-keys.js';
import { oncePer } from '../../values/once-per.js';
import { objectAt, objectsIn } from '../../values/plain-object.js';
import { type RouteCaller, routeCaller } from '../call-routes.js';
import type { RequestContext, Route } from '../context.js';
import type { AppDeps } from '../deps.js';
import { hasKey, onceIn } from '../idempotency/answer-once.js';
import { routeOfAction } from '../routes-of-actions.js';
import { type Batch, type BatchOperation, readBatch } from './read-batch.js';
import { failed, type Outcome, type Performing, perform } from './run-batch.js';

/** An operation of an atomic batch has failed, so nothing is stored. */
class Refused extends Error {
  constructor(
    readonly operation: number,
    readonly outcome: Outcome,
  ) {
    super('an operation was refused');
  }
}

/** Attempts of an upsert that creates what another request has just created. */
const MAX_ATTEMPTS = 3;

/** `POST /batch`: several writes, each with the permissions, policies and hooks that it would have alone. */
export const batchRoute = (routes: () => readonly Route[]): Route => {
  const callerOf = oncePer((deps: AppDeps): RouteCaller => routeCaller(deps, routes()));
  return {
    method: 'post',
    path: '/batch',
    action: null,
    controller: async (ctx, _, deps) => {
      const { access, config, schema } = deps;
      const identity = await access.identify(ctx.get('authorization'));
      ctx.exchange.identity = identity;
      const param = PARAMS.find((name) => Object.hasOwn(ctx.exchange.query.params, name));
      if (param !== undefined) throw errors.invalidKey({ key: param, path: null, source: 'query', param });
      const batch = readBatch(ctx.request.body, schema, config.rest.maxBatch);
      if (hasKey(ctx) && !batch.atomic)
        throw errors.validation('idempotency-key-unsupported', 'Idempotency-Key needs an atomic batch');
      const run = new Run({ ctx, identity, deps, routes: routes() }, callerOf(deps));
      await onceIn(() => answer(ctx, batch, run))(ctx, identity, deps);
    },
  };
};

async function answer(ctx: RequestContext, batch: Batch, run: Run): Promise<void> {
  try {
    ctx.body = await (batch.dryRun ? run.dry(batch) : batch.atomic ? run.together(batch) : run.each(batch));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { operation, outcome } = error;
    const { details, ...about } = outcome.error ?? {};
    ctx.status = outcome.status;
    ctx.body = { data: null, error: { ...about, details: { ...Object(details), operation } } };
    if (outcome.code !== null) ctx.set('X-Error-Code', outcome.code);
  }
}

type Shown = Pick<Outcome, 'status' | 'data' | 'error'> & { readonly code?: string };

interface Asking {
  readonly ctx: RequestContext;
  readonly identity: Identity;
  readonly deps: AppDeps;
  readonly routes: readonly Route[];
}

/** The operations of one request. */
class Run {
  private readonly ctx: RequestContext;
  private readonly identity: Identity;
  private readonly deps: AppDeps;
  private readonly routes: readonly Route[];
  private readonly calls: ReturnType<RouteCaller>;

  constructor({ ctx, identity, deps, routes }: Asking, callRoutes: RouteCaller) {
    this.ctx = ctx;
    this.identity = identity;
    this.deps = deps;
    this.routes = routes;
    const { budget, requestId, session } = ctx.exchange;
    this.calls = callRoutes({ headers: ctx.headers, socket: ctx.req.socket, requestId, budget, session });
  }

  /** Each by itself. */
  async each({ operations }: Batch): Promise<object> {
    const { documents } = this.deps;
    const outcomes: Outcome[] = [];
    for (const operation of operations) {
      this.ctx.exchange.budget.signal.throwIfAborted();
      const find = this.finding(serviceOf(documents));
      let outcome = await this.outcome(operation, outcomes, { find });
      for (let attempts = 1; attempts < MAX_ATTEMPTS && isLate(operation, outcome); attempts++)
        outcome = await this.outcome(operation, outcomes, { find });
      outcomes.push(outcome);
    }
    return { data: this.shown(outcomes), meta: {} };
  }

  /** All of them or none. */
  async together({ operations }: Batch): Promise<object> {
    const { documents } = this.deps;
    const { budget, writeKey } = this.ctx.exchange;
    const before = writeKey?.written;
    if (before && 'outcomes' in before) return { data: before.outcomes.map(named), meta: {} };
    const outcomes = await documents.transaction((inside) => this.all(operations, serviceOf(inside)), {
      budget,
      writeKey,
      written: (outcomes) => ({ outcomes: outcomes.map(writtenOf) }),
    });
    return { data: this.shown(outcomes), meta: {} };
  }

  /** What would be stored. */
  async dry({ operations }: Batch): Promise<object> {
    const dry = newDryRun(this.deps, { caller: this.identity });
    const outcomes = await dry.together((service) => this.all(operations, service));
    return { data: outcomes.map(({ status }) => ({ status, data: null })), meta: await dry.report() };
  }

  private async all(operations: readonly BatchOperation[], service: ServiceOf): Promise<readonly Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const operation of operations) {
      const outcome = await this.outcome(operation, outcomes, { service, find: this.finding(service) });
      if (outcome.error) throw new Refused(outcomes.length, outcome);
      outcomes.push(outcome);
    }
    return outcomes;
  }

  private async outcome(
    operation: BatchOperation,
    earlier: readonly Outcome[],
    how: Pick<Performing, 'service' | 'find'>,
  ): Promise<Outcome> {
    const { call, refused } = this.calls;
    try {
      return await perform(operation, earlier, { call, ...how });
    } catch (error) {
      return failed(await refused(error));
    }
  }

  /** Finds the document of an upsert, for callers who may do either. */
  private finding(service: ServiceOf): Performing['find'] {
    return async ({ type, data, query, by }) => {
      for (const action of ['create', 'update'] as const) {
        const needed = routeOfAction(this.routes, type, action)?.action ?? null;
        if (needed !== null && !this.identity.grants.allows(needed)) throw errors.forbidden();
      }
      const { budget } = this.ctx.exchange;
      const asked = { query: paramsQuery(query, 'rest'), data, caller: this.identity, budget };
      return (await service(type, asked)).documentWith(by?.name ?? '');
    };
  }

  /** The outcomes as they are sent; beyond the size of an answer, entries are only named. */
  private shown(outcomes: readonly Outcome[]): readonly Shown[] {
    let bytes = 0;
    return outcomes.map(({ status, data, error, code, documentId, size }) => {
      bytes += size;
      if (error) return { status, data, error, ...(code !== null && { code }) };
      const isTooLarge = bytes > this.deps.config.query.maxBytes && data !== null;
      return { status, data: isTooLarge ? { documentId } : data };
    });
  }
}

/** What a key keeps of an outcome. */
const writtenOf = ({ status, data, documentId }: Outcome): WrittenOutcome => ({
  status,
  documentId: data === null ? null : documentId,
});

/** An outcome of which only that is known. */
const named = ({ status, documentId }: WrittenOutcome): Shown => ({
  status,
  data: documentId === null ? null : { documentId },
});

const serviceOf =
  (documents: (uid: string) => { forRequest: ReturnType<AppDeps['documents']>['forRequest'] }): ServiceOf =>
  async ({ uid }, request) =>
    documents(uid).forRequest(request);

/** Whether something with the value of an upsert was created meanwhile, which it then finds. */
function isLate({ action }: BatchOperation, { error }: Outcome): boolean {
  const faults = objectsIn(objectAt(error, 'details')['errors']);
  return action === 'upsert' && faults.length > 0 && faults.every(({ message }) => isNotUnique({ message }));
}
