import { AsyncLocalStorage } from 'node:async_hooks';
import { errors } from '../errors.js';
import { querySettings } from '../query/settings.js';
import { timeToCome } from '../query/time-to-come.js';
import { existingType } from '../schema/find.js';
import type { ContentType } from '../schema/types.js';
import type { ScheduledAction } from '../store/entries/schedules.js';
import type { Origin } from '../store/outbox/outbox.js';
import { type Call, callOf, ofDocument, paramsOf } from './call.js';
import type { BuildContext, DocumentsContext } from './context.js';
import {
  type Action,
  createMiddlewares,
  type InnerContext,
  type Middlewares,
  type Through,
} from './middleware.js';
import { type ContextParts, openContext, openDryContext } from './open-context.js';
import { operationsOf } from './operations/of-type.js';
import { restoring } from './operations/restore.js';
import { createWrites } from './operations/run-writes.js';
import { checkSchedulable, scheduling, TIME_OF } from './operations/schedule.js';
import type { CreateParams, DocumentParams, UpdateParams, VersionParams } from './params.js';
import { findVersion, keptVersion } from './read/kept-version.js';
import { matchesFilters } from './read/matches.js';
import type { Reader } from './read/reader.js';
import { FULL_ACCESS, scriptRequest } from './read/script-request.js';
import { versionId, versionsRequest } from './read/version-requests.js';
import { readerWithin, ruleReader } from './reader-within.js';
import { ContentRequestService } from './request-service.js';
import { scheduledIn, shownSchedule } from './scheduled.js';
import type { WriteTrace } from './trace.js';
import { inTransaction } from './transaction.js';
import type { Answers, Copies, DocumentService, Documents, RenderedEntry, ServiceByUid } from './types.js';
import { undoable } from './undo.js';
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

interface Parts {
  readonly stored: Reader;
  readonly middlewares: Middlewares;
  /** The context of the transaction whose middlewares run. */
  readonly calling: AsyncLocalStorage<DocumentsContext>;
}

function documentsOver(context: DocumentsContext, parts: Parts): Documents {
  const { schema } = context;
  const { stored, middlewares, calling } = parts;
  const settings = querySettings(context.config, 'service');

  const serviceOf = (type: ContentType, context: DocumentsContext): DocumentService => {
    const reader = readerWithin(context, stored);
    const testing = {
      reader: ruleReader(context, stored),
      pending: context.transaction?.pending,
    };
    const writes = createWrites(context, reader, type);
    const operations = operationsOf(type);
    const isWrapped = (action: Action): boolean => middlewares.wraps(action, type.uid);
    const through: Through = async (action, call, run) => {
      if (!isWrapped(action)) return run(call);
      const { transaction } = context;
      const { mode } = call.query;
      const seen = {
        uid: type.uid,
        contentType: type,
        action,
        params: paramsOf(call),
        isRequest: mode === 'rest',
        reader,
        afterCommit: transaction?.afterCommit ?? whenKept,
        undoable: transaction ? runAlone : undoableIn(context),
      };
      const inside = async (changed: object) => run(callOf(changed, mode));
      const wrapped = () => middlewares.run(seen, inside) as ReturnType<typeof run>;
      return transaction ? calling.run(context, wrapped) : wrapped();
    };
    const { showing } = middlewares;
    const ofType = { type, context, reader, testing, writes, through, isWrapped, showing };
    const request = ({ query }: Call) => scriptRequest(type, query);
    /** A method of the service; scripts may omit the parameters. */
    const method =
      <P extends object, T>(action: Action, run: (call: Call) => Promise<T>) =>
      (params?: P): Promise<T> =>
        through(action, callOf(params ?? {}), run);
    const { one, many, removed, plain } = writes;
    /** Removes versions of a document if it is what the filters mean. */
    const removedIf = async (call: Call, operation: typeof operations.remove): Promise<Answers> => {
      const document = ofDocument(call);
      const { documentId, query } = document;
      const isMeant = await matchesFilters(documentId, { reader, type, caller: FULL_ACCESS, query });
      return isMeant ? removed(document, operation) : { documentId, entries: [] };
    };
    const schedule = (action: ScheduledAction, params: object, at: Date | null) => {
      checkSchedulable(type);
      return plain(ofDocument(callOf(params)), scheduling({ action, at }));
    };
    /** An action that is scheduled, inside no middlewares, if a time is given: these run when it is carried out. */
    const orLater =
      (action: ScheduledAction, now: (params?: DocumentParams) => Promise<Answers>) =>
      async (params: DocumentParams): Promise<Answers> => {
        const time = params?.[TIME_OF[action]];
        if (time === undefined || time === null) return now(params);
        const scheduled = await schedule(action, params, timeToCome(TIME_OF[action], time));
        return { documentId: params.documentId, entries: [], scheduled: scheduled.map(shownSchedule) };
      };
    return {
      findMany: method('findMany', async (call) => [...(await reader.list(request(call))).data]),
      findFirst: method('findFirst', async (call) => (await reader.single(request(call))).data),
      findOne: method('findOne', async (call) => {
        const { documentId } = ofDocument(call);
        return (await reader.one(request(call), documentId)).data;
      }),
      count: method('count', (call) => reader.count(request(call))),
      create: method('create', async (call) => (await one(call, operations.create)) as RenderedEntry),
      update: method('update', (call) => one(ofDocument(call), operations.update)),
      delete: method('delete', (call) => removedIf(call, operations.remove)),
      clone: method('clone', async (call): Promise<Copies> => {
        const copies = await many(ofDocument(call), operations.clone);
        return copies.entries.length === 0 ? { entries: [] } : copies;
      }),
      ...(type.draftAndPublish && {
        publish: orLater(
          'publish',
          method('publish', (call) => many(ofDocument(call), operations.publish)),
        ),
        unpublish: orLater(
          'unpublish',
          method('unpublish', (call) => removedIf(call, operations.unpublish)),
        ),
        discardDraft: method('discardDraft', (call) => many(ofDocument(call), operations.discardDraft)),
        findScheduled: async ({ documentId } = {}) =>
          scheduledIn(context, type, documentId === undefined ? {} : { documentId: String(documentId) }),
        cancelScheduled: async ({ action, ...params }) =>
          (await schedule(action, params, null)).map(shownSchedule),
      }),
      ...(type.history && {
        findVersions: async (params) => {
          const call = ofDocument(callOf(params));
          const { data } = await reader.versions(versionsRequest(request(call), settings, call.documentId));
          return data.map(keptVersion);
        },
        findVersion: async (params) => {
          const call = ofDocument(callOf(params));
          const versions = { read: context.read, reader, settings };
          const found = await findVersion(versions, request(call), call.documentId, params.version);
          return found && keptVersion(found);
        },
        restore: method<VersionParams, Answers>('restore', async (call) => {
          const document = ofDocument(call);
          const id = versionId(call.query.params['version']);
          return id ? many(document, restoring(id)) : { documentId: document.documentId, entries: [] };
        }),
      }),
      forRequest: (request) => new ContentRequestService(ofType, request),
    };
  };

  const servicesIn = (context: DocumentsContext): ServiceByUid => {
    const services = new Map<string, DocumentService>();
    return (uid) => {
      const known = services.get(uid);
      if (known) return known;
      const type = schema.contentTypes.get(uid);
      if (!type) throw errors.validation('content-type-unknown', `Content type ${uid} does not exist`);
      const service = serviceOf(type, context);
      services.set(uid, service);
      return service;
    };
  };
  const alone = servicesIn(context);
  /** The context of the transaction that a call belongs to, which a middleware may outlive; null: of none. */
  const outerContext = () => {
    const outer = calling.getStore();
    return outer?.transaction?.isOver === false ? { ...outer, transaction: outer.transaction } : null;
  };
  const documents: ServiceByUid = (uid) => {
    const outer = outerContext();
    return (outer ? servicesIn(outer) : alone)(uid);
  };
  const isWrapped: Documents['isWrapped'] = (uid, actions = ['create', 'update']) =>
    actions.some((action) => middlewares.wraps(action, uid));
  const together: Documents['together'] = async (uid, calls) => {
    const service = documents(uid);
    const type = schema.contentTypes.get(uid);
    if (!type || isWrapped(uid) || outerContext()) {
      const ids: string[] = [];
      for (const params of calls) {
        const answer = await (isUpdate(params) ? service.update(params) : service.create(params));
        ids.push(String(answer?.['documentId']));
      }
      return ids;
    }
    const { create, update } = operationsOf(type);
    const results = await createWrites(context, stored, type).together(
      calls.map((params) => ({
        call: callOf(params),
        operation: (write: BuildContext, call: Call) =>
          isUpdate(params) ? update(write, ofDocument(call)) : create(write, call),
      })),
    );
    return results.map((version) => version?.documentId ?? '');
  };
  const transaction: Documents['transaction'] = (work, options) => {
    const outer = outerContext();
    return outer
      ? outer.transaction.nested(() => work(servicesIn(outer)))
      : inTransaction(context, (inside) => work(servicesIn(inside)), options);
  };
  const afterCommit: Documents['afterCommit'] = async (work) => {
    const outer = outerContext();
    await (outer ? outer.transaction.afterCommit(work) : whenKept(work));
  };
  const { use, useAround, useInside, showThrough } = middlewares;
  const attributedTo = (origin: Origin) => documentsOver({ ...context, origin }, parts);
  const isAround: Documents['isAround'] = (uid, action) => middlewares.isAround(action, uid);
  const around: Documents['around'] = (uid, action, params, { run, undo }) => {
    const contentType = existingType(schema, uid);
    const unwrapped = documentsOver(context, { ...parts, middlewares: createMiddlewares() });
    const seen = {
      uid,
      contentType,
      action,
      params,
      isRequest: false,
      reader: stored,
      afterCommit: whenKept,
      undoable: undo ? undoableWith(context, undo) : runAlone,
    };
    return middlewares.runAround(seen, (changed) => apart(() => run(changed, unwrapped)));
  };
  const carryingOut: Documents['carryingOut'] = (due, origin) => servicesIn({ ...context, origin, due });
  const { showing } = middlewares;
  const wrapping = { use, useAround, useInside, showThrough, showing, isWrapped, isAround, around };
  return Object.assign(documents, {
    ...wrapping,
    together,
    transaction,
    afterCommit,
    attributedTo,
    carryingOut,
  });
}

const undoableIn =
  (context: DocumentsContext): InnerContext['undoable'] =>
  (work, notUndone) =>
    undoable(context, work, notUndone);

/** The same for work that includes a write of another module, which `undo` takes back. */
const undoableWith =
  (context: DocumentsContext, undo: () => Promise<void>): InnerContext['undoable'] =>
  async (work, notUndone) => {
    try {
      return await undoable(context, work, notUndone);
    } catch (error) {
      await undo().catch(notUndone);
      throw error;
    }
  };

const runAlone: InnerContext['undoable'] = (work) => work();

/** Whether parameters are those of an update. */
export const isUpdate = (params: CreateParams | UpdateParams): params is UpdateParams =>
  params['documentId'] !== undefined;
