/**
 * The Document Service for REST: validates what scripts may leave out, and answers with the caller's
 * permissions.
 */
import { errors } from '../errors.js';
import type { RawObject } from '../query/ast.js';
import { paramsQuery } from '../query/query.js';
import { Output } from '../render/bytes/output.js';
import type { ContentType } from '../schema/types.js';
import { singleDocument } from './claims/single.js';
import type { DocumentsContext } from './context.js';
import type { Action, Through } from './middleware.js';
import { operationsOf } from './operations/of-type.js';
import type { Writes } from './operations/run-writes.js';
import { type CreateParams, type ReadParams, type UpdateParams, withDocumentId } from './params.js';
import type { JsonAnswer, JsonOf, ListAnswer, OneAnswer, Reader, ReadRequest, View } from './read/reader.js';
import { FULL_ACCESS } from './read/script-request.js';
import type { ContentRequest, RequestService, VersionChange } from './request.js';
import { checkInputKeys } from './validate/input-keys.js';

interface RequestParts {
  readonly type: ContentType;
  readonly context: DocumentsContext;
  readonly reader: Reader;
  readonly writes: Writes;
  readonly through: Through;
  /** Whether a middleware applies to an action. */
  readonly isWrapped: (action: Action) => boolean;
}

/** The `data` of a write: an object, or a list (which validation rejects). Throws a 400 for anything else. */
function dataOf({ data }: ContentRequest): object {
  if (typeof data !== 'object' || data === null) throw errors.missingData();
  return data;
}

/**
 * A class because every request creates one: a closure per method would cost more than the rest of the work.
 */
export class ContentRequestService implements RequestService {
  private readonly parts: RequestParts;
  private readonly request: ContentRequest;
  private readonly readRequest: ReadRequest;

  constructor(parts: RequestParts, request: ContentRequest) {
    this.parts = parts;
    this.request = request;
    this.readRequest = { type: parts.type, ...request };
  }

  findMany(): Promise<ListAnswer> {
    return this.read('findMany', (request) => this.parts.reader.list(request));
  }

  findOne(documentId: string): Promise<OneAnswer> {
    return this.read('findOne', (request, id) => this.parts.reader.one(request, id), documentId);
  }

  findFirst(): Promise<OneAnswer> {
    return this.read('findFirst', (request) => this.parts.reader.single(request));
  }

  readJson(of: JsonOf): Promise<JsonAnswer> {
    const { isWrapped, reader } = this.parts;
    const action = 'documentId' in of ? 'findOne' : of.target === 'list' ? 'findMany' : 'findFirst';
    return isWrapped(action) ? this.readWrapped(action, of) : reader.json(this.readRequest, of);
  }

  count(): Promise<number> {
    const { isWrapped, reader, through } = this.parts;
    if (!isWrapped('count')) return reader.count(this.readRequest);
    return through('count', { ...this.request.query.params }, (params) =>
      reader.count({ ...this.readRequest, query: paramsQuery(params, 'rest') }),
    );
  }

  create(): Promise<OneAnswer> {
    return this.write(() => Promise.resolve(null));
  }

  update(documentId: string): Promise<OneAnswer> {
    return this.write(() => Promise.resolve(documentId));
  }

  updateSingle(): Promise<OneAnswer> {
    return this.write(() => this.single());
  }

  delete(documentId: string): Promise<void> {
    return this.remove(() => Promise.resolve(documentId));
  }

  deleteSingle(): Promise<void> {
    return this.remove(() => this.single());
  }

  async changeVersion(change: VersionChange, given: string | null): Promise<OneAnswer> {
    const { type, reader, writes, through } = this.parts;
    const { budget } = this.request;
    if (!type.draftAndPublish)
      throw errors.validation('drafts-not-enabled', `${type.uid} has no drafts: draftAndPublish is off`);
    const view = reader.view(this.written());
    const documentId = given ?? (await this.single());
    if (documentId === null) return { data: null, timings: [] };
    // Discarding would delete a draft that was never published.
    if (change === 'discardDraft' && !(await this.isPublished(documentId)))
      return { data: null, timings: [] };
    const run = change === 'unpublish' ? writes.removed : writes.many;
    const { entries } = await through(change, { documentId, locale: view.query.locale }, (params) =>
      run(withDocumentId(params), operationsOf(type)[change], { budget }),
    );
    return { data: entries.length === 0 ? null : await view.read(documentId), timings: [] };
  }

  /** The answer of a write must not be older than the write. */
  private written(): ReadRequest {
    return { ...this.readRequest, mayLag: false };
  }

  /** Runs a read inside its middlewares: they may change its parameters and its `data`. */
  private async read<T extends ListAnswer | OneAnswer>(
    action: Action,
    run: (request: ReadRequest, documentId: string) => Promise<T>,
    documentId = '',
  ): Promise<T> {
    const { isWrapped, through } = this.parts;
    if (!isWrapped(action)) return run(this.readRequest, documentId);
    let answer = { pagination: null, timings: [] } as unknown as T;
    const params = { ...this.request.query.params, ...(documentId !== '' && { documentId }) };
    const data = await through(action, params, async (changed) => {
      const { documentId: wanted = documentId, ...query } = changed as { documentId?: string } & RawObject;
      answer = await run({ ...this.readRequest, query: paramsQuery(query, 'rest') }, wanted);
      return answer.data;
    });
    return { ...answer, data };
  }

  /** Middlewares see objects and may change them. */
  private async readWrapped(action: 'findMany' | 'findOne' | 'findFirst', of: JsonOf): Promise<JsonAnswer> {
    const answer = await this[action]('documentId' in of ? of.documentId : '');
    return {
      json: answer.data === null ? null : Output.of(answer.data),
      pagination: 'pagination' in answer ? answer.pagination : null,
      timings: answer.timings,
    };
  }

  private async save(params: ReadParams, view: View): Promise<OneAnswer['data']> {
    const { type, writes } = this.parts;
    const { budget } = this.request;
    const operations = operationsOf(type);
    return params.documentId === undefined
      ? writes.one(params as CreateParams, operations.create, { view, budget })
      : writes.one(withDocumentId(params as UpdateParams), operations.update, { view, budget });
  }

  /**
   * Checks the query, `data` and the keys of the body, then runs the update or create inside its middlewares.
   */
  private async write(find: () => Promise<string | null>): Promise<OneAnswer> {
    const { type, context, reader, through, isWrapped } = this.parts;
    const { request } = this;
    const asWritten = this.written();
    const view = reader.view(asWritten);
    const data = dataOf(request);
    checkInputKeys(data, type, context.schema, request.caller);
    const documentId = await find();
    const own = { ...(documentId !== null && { documentId }), data };
    const params = { status: view.plan.status, locale: view.query.locale, ...own };
    const action = documentId === null ? 'create' : 'update';
    if (!isWrapped(action)) return { data: await this.save(params, view), timings: [] };
    const shown = await through(action, { ...request.query.params, ...params }, async (changed) => {
      const { data: _, documentId: __, ...query } = changed as ReadParams;
      return this.save(changed, reader.view({ ...asWritten, query: paramsQuery(query, 'rest') }));
    });
    return { data: shown, timings: [] };
  }

  /** Whether a version of a document matches `filters`. */
  private async matches(documentId: string): Promise<boolean> {
    const { type, reader } = this.parts;
    const { filters, locale } = this.request.query.params;
    const versions = (['published', 'draft'] as const).map((status) =>
      reader.count({
        type,
        caller: FULL_ACCESS,
        query: paramsQuery({ filters: { $and: [{ documentId }, filters] }, locale, status }),
      }),
    );
    return (await Promise.all(versions)).some((count) => count > 0);
  }

  private async isPublished(documentId: string): Promise<boolean> {
    const { type, reader } = this.parts;
    const { locale } = this.request.query.params;
    const query = paramsQuery({ filters: { documentId }, locale, status: 'published' });
    return (await reader.count({ type, caller: FULL_ACCESS, query })) > 0;
  }

  private async remove(find: () => Promise<string | null>): Promise<void> {
    const { type, reader, writes, through } = this.parts;
    const { budget } = this.request;
    const { node } = reader.prepare({ ...this.written(), target: 'locales' }).read;
    const documentId = await find();
    if (documentId === null) return;
    if (node.filters !== null && !(await this.matches(documentId))) return;
    const { locale, status } = node;
    await through('delete', { documentId, locale, status }, (given) =>
      writes.removed(withDocumentId(given), operationsOf(type).remove, { budget }),
    );
  }

  private single(): Promise<string | null> {
    const { type, context } = this.parts;
    return singleDocument({ ...context, type });
  }
}
