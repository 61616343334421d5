import type { Config } from '../config/types.js';
import { errors } from '../errors.js';
import { contentTypeOf } from '../schema/find.js';
import type { ContentType, Schema } from '../schema/types.js';
import type { Store } from '../store/client.js';
import { openContext, openDryContext, type WriteContext } from './context.js';
import { type Action, createMiddlewares, runThrough, type Through } from './middleware.js';
import { operationsOf } from './operations/of-type.js';
import { createWrites } from './operations/run-writes.js';
import { type CreateParams, named, type UpdateParams } from './params.js';
import { findService } from './read/find.js';
import type { Reader } from './read/reader.js';
import { requestService } from './request-service.js';
import type { WriteTrace } from './trace.js';
import type { Answer, DocumentService, Documents } from './types.js';

export interface DocumentsOptions {
  readonly schema: Schema;
  readonly store: Store;
  readonly config: Config;
  readonly reader: Reader;
}

const NO_TRACE: WriteTrace = {
  begin: () => undefined,
  planned: () => undefined,
  resolved: () => undefined,
  validated: () => undefined,
  built: () => undefined,
};

/**
 * The Document Service (rules G): `documents(uid)` has the methods of one content type, `documents.use` wraps them all. Opening it
 * also finishes what a crash left half written, where the server has no transactions.
 */
export async function createDocuments(
  options: DocumentsOptions & {
    /** Writes go through all their steps and are not sent. */ readonly dryRun?: boolean;
  },
): Promise<Documents> {
  const { schema, store, config, reader } = options;
  const parts = { schema, store, config };
  const context = await (options.dryRun
    ? openDryContext(parts, NO_TRACE, { sent: () => undefined })
    : openContext(parts));
  const middlewares = createMiddlewares();
  const services = new Map<string, DocumentService>();

  const serviceOf = (type: ContentType): DocumentService => {
    const writes = createWrites(context, reader, type);
    const operations = operationsOf(type);
    const finds = findService(reader, type);
    const through: Through = (action, params, run) =>
      runThrough(
        middlewares.around(action, type.uid),
        { uid: type.uid, contentType: type, action, params: params ?? {} },
        async (changed) => run(changed as typeof params),
      ) as ReturnType<typeof run>;
    const isWrapped = (action: Action): boolean => middlewares.around(action, type.uid).length > 0;
    return {
      findMany: (params = {}) => through('findMany', params, finds.findMany),
      findFirst: (params = {}) => through('findFirst', params, finds.findFirst),
      findOne: (params) => through('findOne', params, (given) => finds.findOne(named(given))),
      count: (params = {}) => through('count', params, finds.count),
      create: (params) =>
        through('create', params, async (given) => (await writes.one(given, operations.create)) as Answer),
      update: (params) => through('update', params, (given) => writes.one(named(given), operations.update)),
      delete: (params) => through('delete', params, (given) => writes.gone(named(given), operations.remove)),
      clone: (params) => through('clone', params, (given) => writes.many(named(given), operations.clone)),
      ...(type.draftAndPublish && {
        publish: (params) =>
          through('publish', params, (given) => writes.many(named(given), operations.publish)),
        unpublish: (params) =>
          through('unpublish', params, (given) => writes.gone(named(given), operations.unpublish)),
        discardDraft: (params) =>
          through('discardDraft', params, (given) => writes.many(named(given), operations.discardDraft)),
      }),
      forRequest: (request) => requestService({ type, context, reader, writes, through, isWrapped }, request),
    };
  };

  const documents = (uid: string): DocumentService => {
    const known = services.get(uid);
    if (known) return known;
    const type = contentTypeOf(schema, uid);
    if (!type) throw errors.validation('content-type-unknown', `Content type ${uid} does not exist`);
    const service = serviceOf(type);
    services.set(uid, service);
    return service;
  };
  const isUpdate = (call: CreateParams | UpdateParams): call is UpdateParams =>
    call['documentId'] !== undefined;
  const isWrapped = (uid: string): boolean =>
    (['create', 'update'] as const).some((action) => middlewares.around(action, uid).length > 0);
  const together: Documents['together'] = async (uid, calls) => {
    const service = documents(uid);
    const type = contentTypeOf(schema, uid);
    if (!type || isWrapped(uid)) {
      const ids: string[] = [];
      for (const call of calls) {
        const answer = await (isUpdate(call) ? service.update(named(call)) : service.create(call));
        ids.push(String(answer?.['documentId']));
      }
      return ids;
    }
    const operations = operationsOf(type);
    const results = await createWrites(context, reader, type).together(
      calls.map((params) => ({
        params,
        operation: (write: WriteContext, given: typeof params) =>
          isUpdate(given) ? operations.update(write, named(given)) : operations.create(write, given),
      })),
    );
    return results.map((version) => version?.documentId ?? '');
  };
  return Object.assign(documents, { use: middlewares.use, together, isWrapped });
}
