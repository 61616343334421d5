import { errors } from '../errors.js';
import type { ContentType } from '../schema/types.js';
import type { BuildContext } from './context.js';
import { type Action, createMiddlewares, type Through } from './middleware.js';
import { type ContextParts, openContext, openDryContext } from './open-context.js';
import { operationsOf } from './operations/of-type.js';
import { createWrites } from './operations/run-writes.js';
import { type CreateParams, type ReadParams, type UpdateParams, withDocumentId } from './params.js';
import type { Reader } from './read/reader.js';
import { scriptRequest } from './read/script-request.js';
import { ContentRequestService } from './request-service.js';
import type { WriteTrace } from './trace.js';
import type { Answer, DocumentService, Documents } from './types.js';

export interface DocumentsOptions extends ContextParts {
  readonly reader: Reader;
  /** Makes writes a dry run: all their steps run and are reported here, nothing is sent. */
  readonly dryRun?: WriteTrace;
}

/**
 * The Document Service (rules G): `documents(uid)` has the methods of one content type; `documents.use` wraps
 * the calls of all. Without transactions, opening it also completes or undoes what a crash left half-written.
 */
export async function createDocuments(options: DocumentsOptions): Promise<Documents> {
  const { schema, reader, dryRun } = options;
  const context = await (dryRun ? openDryContext(options, dryRun) : openContext(options));
  const middlewares = createMiddlewares();
  const services = new Map<string, DocumentService>();

  const serviceOf = (type: ContentType): DocumentService => {
    const writes = createWrites(context, reader, type);
    const operations = operationsOf(type);
    const request = (params: ReadParams) => scriptRequest(type, params);
    const through: Through = (action, params, run) =>
      // Scripts may omit the parameters.
      middlewares.run({ uid: type.uid, contentType: type, action, params: params ?? {} }, async (changed) =>
        run(changed as typeof params),
      ) as ReturnType<typeof run>;
    const isWrapped = (action: Action): boolean => middlewares.wraps(action, type.uid);
    const parts = { type, context, reader, writes, through, isWrapped };
    return {
      findMany: (params = {}) =>
        through('findMany', params, async (given) => [...(await reader.list(request(given))).data]),
      findFirst: (params = {}) =>
        through('findFirst', params, async (given) => (await reader.single(request(given))).data),
      findOne: (params) =>
        through('findOne', params, async (given) => {
          const { documentId, ...query } = withDocumentId(given);
          return (await reader.one(request(query), documentId)).data;
        }),
      count: (params = {}) => through('count', params, (given) => reader.count(request(given))),
      create: (params) =>
        through('create', params, async (given) => (await writes.one(given, operations.create)) as Answer),
      update: (params) =>
        through('update', params, (given) => writes.one(withDocumentId(given), operations.update)),
      delete: (params) =>
        through('delete', params, (given) => writes.removed(withDocumentId(given), operations.remove)),
      clone: (params) =>
        through('clone', params, (given) => writes.many(withDocumentId(given), operations.clone)),
      ...(type.draftAndPublish && {
        publish: (params) =>
          through('publish', params, (given) => writes.many(withDocumentId(given), operations.publish)),
        unpublish: (params) =>
          through('unpublish', params, (given) =>
            writes.removed(withDocumentId(given), operations.unpublish),
          ),
        discardDraft: (params) =>
          through('discardDraft', params, (given) =>
            writes.many(withDocumentId(given), operations.discardDraft),
          ),
      }),
      forRequest: (request) => new ContentRequestService(parts, request),
    };
  };

  const documents = (uid: string): DocumentService => {
    const known = services.get(uid);
    if (known) return known;
    const type = schema.contentTypes.get(uid);
    if (!type) throw errors.validation('content-type-unknown', `Content type ${uid} does not exist`);
    const service = serviceOf(type);
    services.set(uid, service);
    return service;
  };
  const isUpdate = (call: CreateParams | UpdateParams): call is UpdateParams =>
    call['documentId'] !== undefined;
  const isWrapped = (uid: string): boolean =>
    middlewares.wraps('create', uid) || middlewares.wraps('update', uid);
  const together: Documents['together'] = async (uid, calls) => {
    const service = documents(uid);
    const type = schema.contentTypes.get(uid);
    if (!type || isWrapped(uid)) {
      const ids: string[] = [];
      for (const call of calls) {
        const answer = await (isUpdate(call) ? service.update(withDocumentId(call)) : service.create(call));
        ids.push(String(answer?.['documentId']));
      }
      return ids;
    }
    const operations = operationsOf(type);
    const results = await createWrites(context, reader, type).together(
      calls.map((params) => ({
        params,
        operation: (write: BuildContext, given: typeof params) =>
          isUpdate(given) ? operations.update(write, withDocumentId(given)) : operations.create(write, given),
      })),
    );
    return results.map((version) => version?.documentId ?? '');
  };
  return Object.assign(documents, { use: middlewares.use, together, isWrapped });
}
