/**
 * The Document Service for REST: validates what scripts may leave out, and answers with the caller's
 * permissions.
 */
import { errors } from '../errors.js';
import type { ReadTarget } from '../query/plan.js';
import { paramsQuery } from '../query/query.js';
import { type QuerySettings, querySettings } from '../query/settings.js';
import { Output } from '../render/bytes/output.js';
import type { ContentType } from '../schema/types.js';
import type { ScheduledAction } from '../store/entries/schedules.js';
import { type Call, ofDocument } from './call.js';
import { singleDocument } from './claims/single.js';
import type { DocumentsContext } from './context.js';
import { checkKeySupported, writtenBefore } from './idempotency.js';
import type { Action, Middlewares, Through } from './middleware.js';
import { answering } from './operations/answering.js';
import { documentWith } from './operations/document-with.js';
import { operationsOf } from './operations/of-type.js';
import { restoring } from './operations/restore.js';
import type { Writes } from './operations/run-writes.js';
import { withdrawing } from './operations/withdraw.js';
import { type WriteRules, writeRulesOf } from './operations/write-rules.js';
import { checkSupported, refusalOf } from './precondition.js';
import { findVersion } from './read/kept-version.js';
import { matchesFilters } from './read/matches.js';
import type {
  JsonAnswer,
  JsonOf,
  ListAnswer,
  OneAnswer,
  Reader,
  ReadRequest,
  ShownVersion,
  VersionsAnswer,
  View,
} from './read/reader.js';
import { FULL_ACCESS } from './read/script-request.js';
import { type SeenWindow, seenWindow } from './read/seen-window.js';
import { versionsRequest } from './read/version-requests.js';
import type { ContentRequest, RequestService, ScheduledAnswer, VersionChange } from './request.js';
import { changeSchedules, type SchedulingParts, scheduledPage } from './schedule-requests.js';
import { type Schedule, shownSchedule } from './scheduled.js';
import { checkInputKeys } from './validate/input-keys.js';
import { permittedData } from './validate/permitted-data.js';

interface RequestParts {
  readonly type: ContentType;
  readonly context: DocumentsContext;
  readonly reader: Reader;
  /** How rules test entries. */
  readonly testing: Parameters<typeof writeRulesOf>[1];
  readonly writes: Writes;
  readonly through: Through;
  /** Whether a middleware applies to an action. */
  readonly isWrapped: (action: Action) => boolean;
  readonly showing: Middlewares['showing'];
}

/** Of actions whose answer the parameters do not affect. */
const NO_QUERY = paramsQuery({}, 'rest');

/** The `data` of a write: an object, or a list (which validation rejects). Throws a 400 for anything else. */
function dataOf({ data }: Pick<ContentRequest, 'data'>): object {
  if (typeof data !== 'object' || data === null) throw errors.missingData();
  return data;
}

const TARGETS = { findMany: 'list', findFirst: 'single', findOne: 'one' } as const;

/** What middlewares see of a request's content. */
interface Seen {
  readonly read: ReadRequest;
  /** What the caller is shown of what they leave. */
  readonly shown: <T>(data: T) => T;
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
    const { reader, through } = this.parts;
    const { read } = this.seenBy('count', 'list');
    return through('count', this.call(), (call) => reader.count(this.reading(call, read)));
  }

  documentWith(name: string): Promise<string | null> {
    const { type, context } = this.parts;
    const { data, query } = this.request;
    return documentWith(
      { ...context, type },
      { name, data: dataOf({ data }), locale: query.params['locale'] },
    );
  }

  create(): Promise<OneAnswer> {
    return this.write('create', () => Promise.resolve(null));
  }

  update(documentId: string): Promise<OneAnswer> {
    return this.write('update', () => Promise.resolve(documentId));
  }

  updateSingle(): Promise<OneAnswer> {
    return this.write('update', () => this.single());
  }

  delete(documentId: string): Promise<void> {
    return this.remove(() => Promise.resolve(documentId));
  }

  deleteSingle(): Promise<void> {
    return this.remove(() => this.single());
  }

  async changeVersion(change: VersionChange, given: string | null): Promise<OneAnswer> {
    const { type, reader, writes, through } = this.parts;
    if (!type.draftAndPublish)
      throw errors.validation('drafts-not-enabled', `${type.uid} has no drafts: draftAndPublish is off`);
    const view = reader.view(this.written());
    const before = await this.answeredBefore(view);
    if (before) return before;
    await view.checkReadable();
    const documentId = given ?? (await this.single());
    if (documentId === null) return { data: null, timings: [] };
    const rules = this.rulesFor(change);
    const how = { ...this.conditions(false), rules };
    const operation = answering(operationsOf(type)[change], change, rules);
    const run = change === 'unpublish' ? 'removed' : 'many';
    const { entries } = await through(
      change,
      this.call({ documentId, locale: view.query.locale, query: NO_QUERY }),
      (call) => writes[run](ofDocument(call), operation, how),
    );
    return { data: entries.length === 0 ? null : await view.read(documentId), timings: [] };
  }

  async schedule(action: ScheduledAction, documentId: string | null, at: Date): Promise<Schedule> {
    const rules = this.rulesFor(action, false);
    const [schedule] = await changeSchedules(this.scheduling(rules), { action, documentId, at });
    if (!schedule) throw rules ? errors.entryRefused() : errors.notFound();
    return shownSchedule(schedule);
  }

  async cancelScheduled(action: ScheduledAction, documentId: string | null): Promise<void> {
    const isRepeated = (this.request.writeKey?.written ?? null) !== null;
    const parts = this.scheduling(this.rulesFor(action, false));
    const cancelled = await changeSchedules(parts, { action, documentId, at: null });
    if (cancelled.length === 0 && !isRepeated) throw errors.notFound();
  }

  findScheduled(): Promise<ScheduledAnswer> {
    const { context, reader, testing } = this.parts;
    const paging = { context, reader, testing: testing.reader, settings: this.settings() };
    return scheduledPage(this.readRequest, paging);
  }

  private scheduling(rules: WriteRules | null): SchedulingParts {
    const conditions = () => this.conditions(false);
    return { ...this.parts, request: this.written(), rules, conditions, single: () => this.single() };
  }

  findVersions(documentId: string | null): Promise<VersionsAnswer> {
    const { reader } = this.parts;
    return reader.versions(versionsRequest(this.readRequest, this.settings(), documentId));
  }

  async findVersion(documentId: string | null, version: string): Promise<ShownVersion> {
    const { context, reader } = this.parts;
    const versions = { read: context.read, reader, settings: this.settings() };
    const found = await findVersion(versions, this.readRequest, documentId, version);
    if (!found) throw errors.notFound();
    return found;
  }

  async restore(given: string | null, version: string): Promise<OneAnswer> {
    const { type, reader, writes, through } = this.parts;
    const own = { ...this.request, query: NO_QUERY };
    const { mark, locale } = await new ContentRequestService(this.parts, own).findVersion(given, version);
    const { params, mode } = this.request.query;
    if (type.localized && params['locale'] !== undefined && params['locale'] !== locale)
      throw errors.notFound();
    const inLocale = paramsQuery({ ...params, ...(type.localized && { locale }) }, mode);
    const view = reader.view({ ...this.written(), query: inLocale });
    const before = await this.answeredBefore(view);
    if (before) return before;
    await view.checkReadable();
    const documentId = given ?? (await this.single()) ?? '';
    const how = { ...this.conditions(false), rules: this.rulesFor('restore') };
    const { entries, documentId: restored } = await through(
      'restore',
      this.call({ documentId, query: paramsQuery({ version }, mode) }),
      (call) => writes.many({ ...ofDocument(call), query: NO_QUERY }, restoring(mark.id), how),
    );
    if (entries.length === 0) throw errors.notFound();
    return { data: await view.read(restored), timings: [] };
  }

  /** The document that was written for the key of the request; null if none was, or if there is no key. */
  private async answeredBefore(view: View): Promise<OneAnswer | null> {
    const written = writtenBefore(this.request.writeKey);
    return written === null ? null : { data: await view.read(written), timings: [] };
  }

  private settings(): QuerySettings {
    return querySettings(this.parts.context.config, this.request.query.mode);
  }

  /** What a write depends on besides its call. Throws a 400 for a precondition or key that the type cannot have. */
  private conditions(creates: boolean) {
    const { budget, origin, precondition, writeKey } = this.request;
    const { type } = this.parts;
    if (precondition) checkSupported(type, precondition, creates);
    if (writeKey) checkKeySupported(type);
    return { budget, origin, precondition, writeKey };
  }

  /** The request as a call. */
  private call(given: Partial<Call> = {}): Call {
    const none = { documentId: undefined, data: undefined, status: undefined, locale: undefined };
    return { ...none, query: this.request.query, ...given };
  }

  /** The read of a call that middlewares may have changed. */
  private reading({ query }: Call, read: ReadRequest): ReadRequest {
    return query === this.request.query ? read : { ...read, query };
  }

  /**
   * What the middlewares of an action see, and what the caller is shown of it. Throws a 400 if the caller may not ask
   * what the request asks.
   */
  private seenBy(action: Action, target: ReadTarget): Seen {
    const { type, reader, isWrapped, showing } = this.parts;
    const { readRequest: read } = this;
    const show = isWrapped(action) && !read.v4 && read.query.params['at'] === undefined ? showing() : null;
    if (!show) return { read, shown: (data) => data };
    reader.prepare({ ...read, target });
    const { caller } = read;
    const seesAll = { ...read, caller: { ...caller, seesAll: true } };
    return { read: seesAll, shown: <T>(data: T) => show(data, type, caller) as T };
  }

  /** The answer of a write must not be older than the write. */
  private written(): ReadRequest {
    return { ...this.readRequest, mayLag: false };
  }

  /** Runs a read inside its middlewares: they may change its parameters and its `data`. */
  private async read<T extends ListAnswer | OneAnswer>(
    action: keyof typeof TARGETS,
    run: (request: ReadRequest, documentId: string) => Promise<T>,
    documentId?: string,
  ): Promise<T> {
    let answer = { pagination: null, timings: [] } as unknown as T;
    const { read, shown } = this.seenBy(action, TARGETS[action]);
    // As in Strapi, middlewares see which version is asked for.
    const { status = 'published' } = read.query.params;
    const isWrapped = this.parts.isWrapped(action);
    const given = isWrapped ? { documentId, status } : { documentId };
    const window = isWrapped && action === 'findMany' ? this.windowOf(read) : null;
    const call = this.call({ ...given, ...(window && { query: window.seen }) });
    const data = await this.parts.through(action, call, async (left) => {
      answer = await run(
        this.reading(window ? window.left(left) : left, read),
        documentId === undefined ? '' : ofDocument(left).documentId,
      );
      return answer.data;
    });
    return { ...answer, ...window?.shown(answer), data: shown(data ?? null) };
  }

  private windowOf(read: ReadRequest): SeenWindow | null {
    const { plan } = this.parts.reader.prepare({ ...read, target: 'list' }).read;
    return seenWindow(read.query, plan.page);
  }

  /** Middlewares see objects and may change them. */
  private async readWrapped(action: 'findMany' | 'findOne' | 'findFirst', of: JsonOf): Promise<JsonAnswer> {
    const answer = await this[action]('documentId' in of ? of.documentId : '');
    return {
      json: answer.data === null ? null : Output.of(answer.data),
      pagination: 'pagination' in answer ? answer.pagination : null,
      timings: answer.timings,
      validator: 'validator' in answer && answer.validator ? { ...answer.validator, digest: null } : null,
    };
  }

  /**
   * Checks the query, `data` and the keys of the body, then runs the update or create inside its middlewares.
   * @param granted the action whose rules apply
   */
  private async write(granted: 'create' | 'update', find: () => Promise<string | null>): Promise<OneAnswer> {
    const { type, context, reader, testing, writes, through } = this.parts;
    const { request } = this;
    const asWritten = this.written();
    const view = reader.view(asWritten);
    const before = await this.answeredBefore(view);
    if (before) return before;
    const sent = dataOf(request);
    checkInputKeys(sent, type, context.schema, request.caller);
    const { data, rules: allowing } = permittedData(sent, `${type.uid}.${granted}`, request.caller);
    const rules = writeRulesOf({ type, caller: request.caller, rules: allowing }, testing);
    const documentId = (await find()) ?? undefined;
    const given = this.call({ documentId, data, status: view.plan.status, locale: view.query.locale });
    const action = documentId === undefined ? 'create' : 'update';
    const unpublishRules = () => this.rulesFor('unpublish');
    const { create, update } = withdrawing(operationsOf(type), request.withdrawal, unpublishRules);
    const conditions = this.conditions(documentId === undefined);
    const { read, shown } = this.seenBy(action, 'written');
    const answer = await through(action, given, (call) => {
      const how = {
        ...conditions,
        view: call === given ? view : reader.view({ ...read, mayLag: false, query: call.query }),
        rules,
      };
      return call.documentId === undefined
        ? writes.one(call, create, how)
        : writes.one(ofDocument(call), update, how);
    }).catch((error: unknown) => {
      throw action === 'create' && request.precondition ? refusalOf(error, request.precondition) : error;
    });
    return { data: shown(answer ?? null), timings: [] };
  }

  private async remove(find: () => Promise<string | null>): Promise<void> {
    const { type, reader, writes, through } = this.parts;
    const { node } = reader.prepare({ ...this.written(), target: 'locales' }).read;
    if (writtenBefore(this.request.writeKey) !== null) return;
    const documentId = await find();
    if (documentId === null) return this.requireNothing();
    const { caller, query } = this.request;
    const asked = { reader, type, caller: { grants: caller.grants }, query };
    if (!(await matchesFilters(documentId, asked))) return;
    const { locale, status = 'published' } = node;
    const how = { ...this.conditions(false), rules: this.rulesFor('delete') };
    let removed = 0;
    await through('delete', this.call({ documentId, locale, status, query: NO_QUERY }), async (call) => {
      const document = ofDocument(call);
      const { documentId, query } = document;
      const byCode = { reader, type, caller: { ...FULL_ACCESS, seesAll: true }, query };
      if (!(await matchesFilters(documentId, byCode))) return { documentId, entries: [] };
      const answers = await writes.removed(document, operationsOf(type).remove, how);
      removed = answers.entries.length;
      return answers;
    });
    if (removed === 0) this.requireNothing();
  }

  /** Throws a 412 if what was to be deleted had to exist. */
  private requireNothing(): void {
    if (this.request.precondition?.match) throw errors.preconditionFailed({ revision: null });
  }

  /** What an action without a body must keep to. */
  private rulesFor(
    action: VersionChange | 'delete' | 'restore',
    showsDraft = action === 'unpublish',
  ): WriteRules | null {
    const { type, testing } = this.parts;
    const { caller } = this.request;
    const rules = caller.grants?.rulesOf?.(`${type.uid}.${action}`) ?? null;
    return writeRulesOf({ type, caller, rules, showsDraft, mayBeGone: action === 'restore' }, testing);
  }

  private single(): Promise<string | null> {
    const { type, context } = this.parts;
    return singleDocument({ ...context, type });
  }
}
