import type { Config } from '../config/types.js';
import { errors } from '../errors.js';
import type { RawObject } from '../query/ast.js';
import { parseQueryText } from '../query/parse.js';
import { querySettings } from '../query/settings.js';
import { contentTypeOf } from '../schema/find.js';
import type { ContentType, Schema } from '../schema/types.js';
import type { Store } from '../store/client.js';
import { openContext } from './context.js';
import { type Action, createMiddlewares, runThrough } from './middleware.js';
import { cloneDocument } from './operations/clone.js';
import { createDocument } from './operations/create.js';
import { deleteDocument } from './operations/delete.js';
import { discardDraft } from './operations/discard.js';
import { publishDocument } from './operations/publish.js';
import { createWrites } from './operations/run-writes.js';
import { unpublishDocument } from './operations/unpublish.js';
import { updateDocument } from './operations/update.js';
import { named } from './params.js';
import { findService } from './read/find.js';
import type { Query, Reader } from './read/reader.js';
import type { AroundRead, DocumentService, Documents } from './types.js';

export interface DocumentsOptions {
  readonly schema: Schema;
  readonly store: Store;
  readonly config: Config;
  readonly reader: Reader;
}

/**
 * The Document Service (rules G): `documents(uid)` has the methods of one content type, `documents.use` wraps them all. Opening it
 * also finishes what a crash left half written, where the server has no transactions.
 */
export async function createDocuments(options: DocumentsOptions): Promise<Documents> {
  const { schema, store, config, reader } = options;
  const context = await openContext({ schema, store, config });
  const middlewares = createMiddlewares();
  const services = new Map<string, DocumentService>();

  const serviceOf = (type: ContentType): DocumentService => {
    const writes = createWrites(context, reader, type);
    const finds = findService(reader, type);
    const call = <P extends object, T>(
      action: Action,
      params: P,
      run: (params: P) => Promise<T>,
    ): Promise<T> =>
      runThrough(
        middlewares.around(action),
        { uid: type.uid, contentType: type, action, params: params ?? {} },
        async (changed) => run(changed as P),
      ) as Promise<T>;
    return {
      findMany: (params = {}) => call('findMany', params, finds.findMany),
      findFirst: (params = {}) => call('findFirst', params, finds.findFirst),
      findOne: (params) => call('findOne', params, (given) => finds.findOne(named(given))),
      count: (params = {}) => call('count', params, finds.count),
      create: (params, show) =>
        call('create', params, (given) => writes.one(given, null, createDocument, show)),
      update: (params, show) =>
        call('update', params, (given) =>
          writes.one(named(given), String(given.documentId), updateDocument, show),
        ),
      delete: (params) => call('delete', params, (given) => writes.gone(named(given), deleteDocument)),
      clone: (params) => call('clone', params, (given) => writes.many(named(given), cloneDocument)),
      ...(type.draftAndPublish && {
        publish: (params) => call('publish', params, (given) => writes.many(named(given), publishDocument)),
        unpublish: (params) =>
          call('unpublish', params, (given) => writes.gone(named(given), unpublishDocument)),
        discardDraft: (params) =>
          call('discardDraft', params, (given) => writes.many(named(given), discardDraft)),
      }),
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
  const { limits } = querySettings(config, 'rest');
  return Object.assign(documents, {
    use: middlewares.use,
    around: <T>({ type, action, query, documentId }: AroundRead, run: (query: Query) => Promise<T>) => {
      const wraps = middlewares.around(action);
      if (wraps.length === 0) return run(query);
      const params = { ...parseQueryText(query, limits), ...(documentId !== undefined && { documentId }) };
      const last = (changed: object): Promise<T> => {
        const { documentId: _, ...asked } = changed as RawObject;
        return run(asked);
      };
      const context = { uid: type.uid, contentType: type, action, params };
      return runThrough(wraps, context, last) as Promise<T>;
    },
  });
}
