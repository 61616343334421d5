import type { AsyncLocalStorage } from 'node:async_hooks';
import { querySettings } from '../query/settings.js';
import { timeToCome } from '../query/time-to-come.js';
import type { ContentType } from '../schema/types.js';
import type { ScheduledAction } from '../store/entries/schedules.js';
import { type Call, callOf, ofDocument, paramsOf } from './call.js';
import type { DocumentsContext } from './context.js';
import type { Action, Middlewares } from './middleware.js';
import { operationsOf } from './operations/of-type.js';
import { restoring } from './operations/restore.js';
import { Writes } from './operations/run-writes.js';
import { checkSchedulable, scheduling, TIME_OF } from './operations/schedule.js';
import type { DocumentParams, VersionParams } from './params.js';
import { findVersion, keptVersion } from './read/kept-version.js';
import { matchesFilters } from './read/matches.js';
import type { Reader, ReadRequest } from './read/reader.js';
import { FULL_ACCESS, scriptRequest } from './read/script-request.js';
import { versionId, versionsRequest } from './read/version-requests.js';
import { readerWithin, ruleReader } from './reader-within.js';
import { ContentRequestService } from './request-service.js';
import { type Schedule, scheduledIn, shownSchedule } from './scheduled.js';
import type { Answers, Copies, DocumentService, RenderedEntry } from './types.js';
import { runAlone, undoableIn } from './undo.js';
import { whenKept } from './work.js';

/** What the services of all types share. */
export interface ServiceParts {
  readonly stored: Reader;
  readonly middlewares: Middlewares;
  /** The context of the transaction whose middlewares run. */
  readonly calling: AsyncLocalStorage<DocumentsContext>;
}

type Operations = ReturnType<typeof operationsOf>;

/** Calls of one content type, alone or within a transaction. */
class TypeCalls {
  readonly reader: Reader;
  readonly writes: Writes;
  readonly operations: Operations;

  constructor(
    readonly type: ContentType,
    readonly context: DocumentsContext,
    private readonly parts: ServiceParts,
  ) {
    this.reader = readerWithin(context, parts.stored);
    this.writes = new Writes(context, this.reader, type);
    this.operations = operationsOf(type);
  }

  request({ query }: Call): ReadRequest {
    return scriptRequest(this.type, query);
  }

  /** A method of the service; scripts may omit the parameters. */
  method<P extends object, T>(action: Action, run: (call: Call) => Promise<T>): (params?: P) => Promise<T> {
    return (params) => this.through(action, callOf(params ?? {}), run);
  }

  /** Runs a call inside the middlewares that wrap it. */
  async through<T>(action: Action, call: Call, run: (call: Call) => Promise<T>): Promise<T> {
    const { type, context, reader } = this;
    const { middlewares, calling } = this.parts;
    if (!this.isWrapped(action)) return run(call);
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
    const wrapped = () => middlewares.run(seen, inside) as Promise<T>;
    return transaction ? calling.run(context, wrapped) : wrapped();
  }

  /** Removes versions of a document if it is what the filters mean. */
  async removedIf(call: Call, operation: Operations['remove']): Promise<Answers> {
    const { type, reader } = this;
    const document = ofDocument(call);
    const { documentId, query } = document;
    const isMeant = await matchesFilters(documentId, { reader, type, caller: FULL_ACCESS, query });
    return isMeant ? this.writes.removed(document, operation) : { documentId, entries: [] };
  }

  /** @param at null: cancels what is scheduled */
  async schedule(action: ScheduledAction, params: object, at: Date | null): Promise<readonly Schedule[]> {
    checkSchedulable(this.type);
    const schedules = await this.writes.plain(ofDocument(callOf(params)), scheduling({ action, at }));
    return schedules.map(shownSchedule);
  }

  /** An action that is scheduled, inside no middlewares, if a time is given: these run when it is carried out. */
  orLater(action: ScheduledAction, now: (params?: DocumentParams) => Promise<Answers>) {
    return async (params: DocumentParams): Promise<Answers> => {
      const time = params?.[TIME_OF[action]];
      if (time === undefined || time === null) return now(params);
      const scheduled = await this.schedule(action, params, timeToCome(TIME_OF[action], time));
      return { documentId: params.documentId, entries: [], scheduled };
    };
  }

  /** What the service of a request needs. */
  forRequests() {
    const { type, context, reader, writes, parts } = this;
    const testing = { reader: ruleReader(context, parts.stored), pending: context.transaction?.pending };
    return {
      type,
      context,
      reader,
      testing,
      writes,
      through: this.through.bind(this),
      isWrapped: this.isWrapped.bind(this),
      showing: parts.middlewares.showing,
    };
  }

  private isWrapped(action: Action): boolean {
    return this.parts.middlewares.wraps(action, this.type.uid);
  }
}

/** The Document Service of one content type. */
export function serviceOf(
  type: ContentType,
  context: DocumentsContext,
  parts: ServiceParts,
): DocumentService {
  const calls = new TypeCalls(type, context, parts);
  const forRequests = calls.forRequests();
  return {
    ...onEntries(calls),
    ...(type.draftAndPublish && onVersions(calls)),
    ...(type.history && onHistory(calls)),
    forRequest: (request) => new ContentRequestService(forRequests, request),
  };
}

/** The methods of every type. */
function onEntries(calls: TypeCalls) {
  const { reader, writes, operations } = calls;
  return {
    findMany: calls.method('findMany', async (call) => [...(await reader.list(calls.request(call))).data]),
    findFirst: calls.method('findFirst', async (call) => (await reader.single(calls.request(call))).data),
    findOne: calls.method('findOne', async (call) => {
      const { documentId } = ofDocument(call);
      return (await reader.one(calls.request(call), documentId)).data;
    }),
    count: calls.method('count', (call) => reader.count(calls.request(call))),
    create: calls.method(
      'create',
      async (call) => (await writes.one(call, operations.create)) as RenderedEntry,
    ),
    update: calls.method('update', (call) => writes.one(ofDocument(call), operations.update)),
    delete: calls.method('delete', (call) => calls.removedIf(call, operations.remove)),
    clone: calls.method('clone', async (call): Promise<Copies> => {
      const copies = await writes.many(ofDocument(call), operations.clone);
      return copies.entries.length === 0 ? { entries: [] } : copies;
    }),
  };
}

/** Those of types with Draft & Publish. */
function onVersions(calls: TypeCalls): Partial<DocumentService> {
  const { type, context, writes, operations } = calls;
  return {
    publish: calls.orLater(
      'publish',
      calls.method('publish', (call) => writes.many(ofDocument(call), operations.publish)),
    ),
    unpublish: calls.orLater(
      'unpublish',
      calls.method('unpublish', (call) => calls.removedIf(call, operations.unpublish)),
    ),
    discardDraft: calls.method('discardDraft', (call) =>
      writes.many(ofDocument(call), operations.discardDraft),
    ),
    findScheduled: async ({ documentId } = {}) =>
      scheduledIn(context, type, documentId === undefined ? {} : { documentId: String(documentId) }),
    cancelScheduled: async ({ action, ...params }) => calls.schedule(action, params, null),
  };
}

/** Those of types with `options.history`. */
function onHistory(calls: TypeCalls): Partial<DocumentService> {
  const { context, reader, writes } = calls;
  const settings = querySettings(context.config, 'service');
  return {
    findVersions: async (params) => {
      const call = ofDocument(callOf(params));
      const { data } = await reader.versions(versionsRequest(calls.request(call), settings, call.documentId));
      return data.map(keptVersion);
    },
    findVersion: async (params) => {
      const call = ofDocument(callOf(params));
      const versions = { read: context.read, reader, settings };
      const found = await findVersion(versions, calls.request(call), call.documentId, params.version);
      return found && keptVersion(found);
    },
    restore: calls.method<VersionParams, Answers>('restore', async (call) => {
      const document = ofDocument(call);
      const id = versionId(call.query.params['version']);
      return id ? writes.many(document, restoring(id)) : { documentId: document.documentId, entries: [] };
    }),
  };
}
