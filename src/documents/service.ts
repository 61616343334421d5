import { AsyncLocalStorage } from 'node:async_hooks';
import { errors } from '../errors.js';
import { existingType } from '../schema/find.js';
import type { Origin } from '../store/outbox/outbox.js';
import { type Call, callOf, ofDocument } from './call.js';
import type { BuildContext, DocumentsContext, DueSchedule } from './context.js';
import { type ServiceParts, serviceOf } from './document-service.js';
import { type Action, createMiddlewares } from './middleware.js';
import { type ContextParts, openContext, openDryContext } from './open-context.js';
import { operationsOf } from './operations/of-type.js';
import { Writes } from './operations/run-writes.js';
import type { CreateParams, UpdateParams } from './params.js';
import type { Reader } from './read/reader.js';
import type { WriteTrace } from './trace.js';
import { inTransaction } from './transaction.js';
import type { DocumentService, Documents, ServiceByUid, TransactionOptions } from './types.js';
import { runAlone, undoableWith } from './undo.js';
import { apart, whenKept } from './work.js';

export interface DocumentsOptions extends ContextParts {
  readonly reader: Reader;
  /** Makes writes a dry run: all their steps run and are reported here, nothing is sent. */
  readonly dryRun?: WriteTrace;
}

/**
 * The Document Service: `documents(uid)` has the methods of one content type; `documents.use` wraps the calls
 * of all. Without transactions, opening it also completes or undoes what a crash left half-written.
 */
export async function createDocuments(options: DocumentsOptions): Promise<Documents> {
  const { reader, dryRun } = options;
  const context = await (dryRun ? openDryContext(options, dryRun) : openContext(options));
  return documentsOver(context, {
    stored: reader,
    middlewares: createMiddlewares(),
    calling: new AsyncLocalStorage(),
  });
}

function documentsOver(context: DocumentsContext, parts: ServiceParts): Documents {
  const services = new Services(context, parts);
  const { use, useAround, useInside, showThrough, showing } = parts.middlewares;
  return Object.assign((uid: string) => services.of(uid), {
    use,
    useAround,
    useInside,
    showThrough,
    showing,
    isWrapped: services.isWrapped.bind(services),
    isAround: (uid: string, action: Action) => parts.middlewares.isAround(action, uid),
    around: services.around.bind(services),
    together: services.together.bind(services),
    transaction: services.transaction.bind(services),
    afterCommit: services.afterCommit.bind(services),
    attributedTo: (origin: Origin) => documentsOver({ ...context, origin }, parts),
    carryingOut: (due: DueSchedule, origin: Origin) => services.within({ ...context, origin, due }),
  });
}

/** The services of all types: what a call is part of is known when it is made. */
class Services {
  private readonly alone: ServiceByUid;

  constructor(
    private readonly context: DocumentsContext,
    private readonly parts: ServiceParts,
  ) {
    this.alone = this.within(context);
  }

  of(uid: string): DocumentService {
    const outer = this.outerContext();
    return (outer ? this.within(outer) : this.alone)(uid);
  }

  within(context: DocumentsContext): ServiceByUid {
    const services = new Map<string, DocumentService>();
    return (uid) => {
      const known = services.get(uid);
      if (known) return known;
      const type = context.schema.contentTypes.get(uid);
      if (!type) throw errors.validation('content-type-unknown', `Content type ${uid} does not exist`);
      const service = serviceOf(type, context, this.parts);
      services.set(uid, service);
      return service;
    };
  }

  isWrapped(uid: string, actions: readonly Action[] = ['create', 'update']): boolean {
    return actions.some((action) => this.parts.middlewares.wraps(action, uid));
  }

  async together(uid: string, calls: readonly (CreateParams | UpdateParams)[]): Promise<readonly string[]> {
    const service = this.of(uid);
    const type = this.context.schema.contentTypes.get(uid);
    if (!type || this.isWrapped(uid) || this.outerContext()) {
      const ids: string[] = [];
      for (const params of calls) {
        const answer = await (isUpdate(params) ? service.update(params) : service.create(params));
        ids.push(String(answer?.['documentId']));
      }
      return ids;
    }
    const { create, update } = operationsOf(type);
    const results = await new Writes(this.context, this.parts.stored, type).together(
      calls.map((params) => ({
        call: callOf(params),
        operation: (write: BuildContext, call: Call) =>
          isUpdate(params) ? update(write, ofDocument(call)) : create(write, call),
      })),
    );
    return results.map((version) => version?.documentId ?? '');
  }

  transaction<T>(work: (documents: ServiceByUid) => Promise<T>, options?: TransactionOptions<T>): Promise<T> {
    const outer = this.outerContext();
    return outer
      ? outer.transaction.nested(() => work(this.within(outer)))
      : inTransaction(this.context, (inside) => work(this.within(inside)), options);
  }

  async afterCommit(work: () => unknown): Promise<void> {
    const outer = this.outerContext();
    await (outer ? outer.transaction.afterCommit(work) : whenKept(work));
  }

  around(
    uid: string,
    action: Action,
    params: object,
    { run, undo }: Parameters<Documents['around']>[3],
  ): Promise<unknown> {
    const { context, parts } = this;
    const unwrapped = documentsOver(context, { ...parts, middlewares: createMiddlewares() });
    const seen = {
      uid,
      contentType: existingType(context.schema, uid),
      action,
      params,
      isRequest: false,
      reader: parts.stored,
      afterCommit: whenKept,
      undoable: undo ? undoableWith(context, undo) : runAlone,
    };
    return parts.middlewares.runAround(seen, (changed) => apart(() => run(changed, unwrapped)));
  }

  /** The context of the transaction that a call belongs to, which a middleware may outlive; null: of none. */
  private outerContext() {
    const outer = this.parts.calling.getStore();
    return outer?.transaction?.isOver === false ? { ...outer, transaction: outer.transaction } : null;
  }
}

/** Whether parameters are those of an update. */
export const isUpdate = (params: CreateParams | UpdateParams): params is UpdateParams =>
  params['documentId'] !== undefined;
