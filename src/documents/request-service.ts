/** The Document Service as REST calls it: what a script may leave out is checked first, and the answer is the caller's. */
import { errors } from '../errors.js';
import type { RawObject } from '../query/ast.js';
import { paramsQuery, type Query } from '../query/query.js';
import { Output } from '../render/bytes/output.js';
import type { ContentType } from '../schema/types.js';
import { singleDocument } from './claims/single.js';
import type { DocumentsContext } from './context.js';
import type { Action, Through } from './middleware.js';
import { operationsOf } from './operations/of-type.js';
import type { Writes } from './operations/run-writes.js';
import { type CreateParams, named, type ReadParams, type UpdateParams } from './params.js';
import { FULL_ACCESS } from './read/asked.js';
import type { Asked, JsonAnswer, JsonOf, ListAnswer, OneAnswer, Reader, View } from './read/reader.js';
import type { ContentRequest, RequestService, VersionChange } from './request.js';
import { checkInputKeys } from './validate/input-keys.js';

export interface RequestParts {
  readonly type: ContentType;
  readonly context: DocumentsContext;
  readonly reader: Reader;
  readonly writes: Writes;
  readonly through: Through;
  /** Whether a middleware wants to see calls of this action. */
  readonly isWrapped: (action: Action) => boolean;
}

/** The data of a write: an object, or a list (which validation refuses). Throws 400. */
function dataOf({ data }: ContentRequest): object {
  if (typeof data !== 'object' || data === null) throw errors.missingData();
  return data;
}

export function requestService(parts: RequestParts, request: ContentRequest): RequestService {
  const { type, context, reader, writes, through, isWrapped } = parts;
  const { budget } = request;
  const operations = operationsOf(type);
  const asked: Asked = { ...request, type };
  /** What a write shows may not be older than the write. */
  const written = (): Asked => ({ ...asked, mayLag: false });

  /** A read as its middlewares see it: `data` goes through them, by the query that they leave. */
  const read = async <T extends ListAnswer | OneAnswer>(
    action: Action,
    run: (asked: Asked, documentId: string) => Promise<T>,
    documentId = '',
  ): Promise<T> => {
    if (!isWrapped(action)) return run(asked, documentId);
    let answer = { pagination: null, timings: [] } as unknown as T;
    const params = { ...request.query.params, ...(documentId !== '' && { documentId }) };
    const data = await through(action, params, async (changed) => {
      const { documentId: wanted = documentId, ...query } = changed as { documentId?: string } & RawObject;
      answer = await run({ ...asked, query: paramsQuery(query, 'rest') }, wanted);
      return answer.data;
    });
    return { ...answer, data };
  };

  const readAs = {
    findMany: () => read('findMany', (query) => reader.list(query)),
    findOne: (documentId: string) => read('findOne', (query, id) => reader.one(query, id), documentId),
    findFirst: () => read('findFirst', (query) => reader.single(query)),
  };

  /** What middlewares see, and may change, are objects. */
  const readJson = async (of: JsonOf): Promise<JsonAnswer> => {
    const action = 'documentId' in of ? 'findOne' : of.target === 'list' ? 'findMany' : 'findFirst';
    if (!isWrapped(action)) return reader.json(asked, of);
    const answer = await readAs[action]('documentId' in of ? of.documentId : '');
    return {
      json: answer.data === null ? null : Output.of(answer.data),
      pagination: 'pagination' in answer ? answer.pagination : null,
      timings: answer.timings,
    };
  };

  const save = async (params: ReadParams, view: View): Promise<OneAnswer['data']> =>
    params.documentId === undefined
      ? writes.one(params as CreateParams, operations.create, { view, budget })
      : writes.one(named(params as UpdateParams), operations.update, { view, budget });

  /** Query, `data`, keys of the body, then the operation inside its middlewares: an update, or the making of what is not there. */
  const write = async (find: () => Promise<string | null>): Promise<OneAnswer> => {
    const asWritten = written();
    const view = reader.view(asWritten);
    const data = dataOf(request);
    checkInputKeys(data, type, context.schema, request.caller);
    const documentId = await find();
    const own = { ...(documentId !== null && { documentId }), data };
    const params = { status: view.plan.status, locale: view.query.locale, ...own };
    const action = documentId === null ? 'create' : 'update';
    if (!isWrapped(action)) return { data: await save(params, view), timings: [] };
    const shown = await through(action, { ...request.query.params, ...params }, async (changed) => {
      const { data: _, documentId: __, ...query } = changed as ReadParams;
      return save(changed, reader.view({ ...asWritten, query: paramsQuery(query, 'rest') }));
    });
    return { data: shown, timings: [] };
  };

  /** Whether a document has a version that `filters` let through. */
  const matches = async (documentId: string, query: Query): Promise<boolean> => {
    const { filters, locale } = query.params;
    const versions = (['published', 'draft'] as const).map((status) =>
      reader.count({
        type,
        caller: FULL_ACCESS,
        query: paramsQuery({ filters: { $and: [{ documentId }, filters] }, locale, status }),
      }),
    );
    return (await Promise.all(versions)).some((count) => count > 0);
  };

  const isPublished = async (documentId: string): Promise<boolean> => {
    const { locale } = request.query.params;
    const query = paramsQuery({ filters: { documentId }, locale, status: 'published' });
    return (await reader.count({ type, caller: FULL_ACCESS, query })) > 0;
  };

  const remove = async (find: () => Promise<string | null>): Promise<void> => {
    const { node } = reader.prepare({ ...written(), target: 'locales' }).read;
    const documentId = await find();
    if (documentId === null) return;
    if (node.filters !== null && !(await matches(documentId, request.query))) return;
    const { locale, status } = node;
    await through('delete', { documentId, locale, status }, (given) =>
      writes.gone(named(given), operations.remove, { budget }),
    );
  };

  const changeVersion = async (change: VersionChange, given: string | null): Promise<OneAnswer> => {
    if (!type.draftAndPublish)
      throw errors.validation('drafts-not-enabled', `${type.uid} has no drafts: draftAndPublish is off`);
    const view = reader.view(written());
    const documentId = given ?? (await single());
    if (documentId === null) return { data: null, timings: [] };
    // A draft that was never published would be deleted by that.
    if (change === 'discardDraft' && !(await isPublished(documentId))) return { data: null, timings: [] };
    const run = change === 'unpublish' ? writes.gone : writes.many;
    const { entries } = await through(change, { documentId, locale: view.query.locale }, (params) =>
      run(named(params), operations[change], { budget }),
    );
    return { data: entries.length === 0 ? null : await view.read(documentId), timings: [] };
  };

  const single = (): Promise<string | null> => singleDocument({ ...context, type });

  return {
    // Not spread: V8 makes an object of a spread and many more members fifty times slower, and each request has one.
    findMany: readAs.findMany,
    findOne: readAs.findOne,
    findFirst: readAs.findFirst,
    readJson,
    count: () =>
      isWrapped('count')
        ? through('count', { ...request.query.params }, (params) =>
            reader.count({ ...asked, query: paramsQuery(params, 'rest') }),
          )
        : reader.count(asked),
    create: () => write(() => Promise.resolve(null)),
    update: (documentId) => write(() => Promise.resolve(documentId)),
    updateSingle: () => write(single),
    delete: (documentId) => remove(() => Promise.resolve(documentId)),
    deleteSingle: () => remove(single),
    changeVersion,
  };
}
