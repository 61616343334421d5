import type { Budget } from '../../limits/budget.js';
import { paramsQuery } from '../../query/query.js';
import { collectionName } from '../../schema/stored/collections.js';
import type { ContentType } from '../../schema/types.js';
import type { Origin } from '../../store/outbox/outbox.js';
import type { Call, DocumentCall } from '../call.js';
import { takeSchedule } from '../carried-out.js';
import { commitWrite } from '../commit/commit.js';
import { type BuildContext, type DocumentsContext, newAttempt, type WriteContext } from '../context.js';
import { addKey, underKey, type WriteKey } from '../idempotency.js';
import { checkPrecondition, type Precondition } from '../precondition.js';
import type { Reader, View } from '../read/reader.js';
import { scriptRequest } from '../read/script-request.js';
import type { Answers, RenderedEntry } from '../types.js';
import type { ReturnedVersion } from '../versions.js';
import { documentLock } from './document-locks.js';
import { writeLocale } from './locales.js';
import { planAhead } from './plan-ahead.js';
import { retryOnConflict } from './retry-on-conflict.js';
import type { WriteRules } from './write-rules.js';

type Operation<C, T> = (write: WriteContext, call: C) => Promise<T>;

/** The request that a write belongs to; scripts pass none. */
interface WrittenFor {
  readonly view?: View;
  /** The rules of its caller; null: it has none. */
  readonly rules?: WriteRules | null | undefined;
  readonly budget?: Budget | undefined;
  readonly origin?: Origin | undefined;
  readonly precondition?: Precondition | null | undefined;
  readonly writeKey?: WriteKey | null | undefined;
}

/** A version with later changes of the same write, such as attributes shared between locales. */
const asWritten = ({ type, changes }: BuildContext, version: ReturnedVersion): ReturnedVersion => {
  const collection = collectionName(type, version.status);
  return { ...version, entry: changes.current(collection, version.entry) ?? version.entry };
};

/** The document of a version that an operation returns. */
const documentIn = (result: unknown): unknown =>
  typeof result === 'object' && result !== null && 'documentId' in result ? result.documentId : undefined;

interface RunOptions<T> extends Omit<WrittenFor, 'view'> {
  /** Called with the result of the operation before it is committed. */
  readonly beforeCommit?: (result: T) => Promise<unknown>;
}

type Returned = ReturnedVersion | null | readonly ReturnedVersion[];

interface Computed<T> {
  readonly result: T;
  /** What `beforeCommit` returned. */
  readonly before: unknown;
  /** Of the document that is written; undefined: of none. */
  readonly documentId: string | undefined;
}

/** Runs the operations of one type and renders their results. */
export class Writes {
  constructor(
    private readonly context: DocumentsContext,
    private readonly reader: Reader,
    private readonly type: ContentType,
  ) {}

  /** One entry, rendered by `view` or else with the `fields` and `populate` of the call. */
  async one<C extends Call>(
    call: C,
    operation: Operation<C, ReturnedVersion | null>,
    { view: given, ...request }: WrittenFor = {},
  ): Promise<RenderedEntry | null> {
    const { defaultLocale } = this.context.config.plugins.i18n;
    // As reads do, a type without Draft & Publish shows related drafts unless `status` says otherwise.
    const status = call.status === 'published' ? 'published' : 'draft';
    const locale = writeLocale(this.type, call.locale, defaultLocale);
    const view = given ?? this.viewOf(call, { status, locale });
    await view.checkReadable();
    const { result } = await this.run(call, operation, request);
    return result && (await this.show(view, result));
  }

  /** Entries, rendered as they are after the write. */
  async many(
    call: DocumentCall,
    operation: Operation<DocumentCall, ReturnedVersion[]>,
    request: WrittenFor = {},
  ): Promise<Answers> {
    await this.viewOf(call, { status: 'draft', locale: null }).checkReadable();
    const written: typeof operation = async (write, given) =>
      (await operation(write, given)).map((version) => asWritten(write, version));
    const { result } = await this.run(call, written, request);
    const documentId = result[0]?.documentId ?? call.documentId;
    return { documentId, entries: await this.showAll(result, call) };
  }

  /** What the operation returns, without entries. */
  async plain<T>(
    call: DocumentCall,
    operation: Operation<DocumentCall, T>,
    request?: WrittenFor,
  ): Promise<T> {
    let value!: T;
    const noVersions = async (write: WriteContext, given: DocumentCall): Promise<ReturnedVersion[]> => {
      value = await operation(write, given);
      return [];
    };
    await this.run(call, noVersions, request);
    return value;
  }

  /** All calls in one transaction, or none of them. They do not see each other's changes. */
  together<T>(
    calls: readonly { readonly call: Call; readonly operation: Operation<Call, T> }[],
  ): Promise<readonly T[]> {
    return retryOnConflict(async (attempt) => {
      const write = newAttempt(this.context, this.type, attempt);
      const planned = await planAhead(
        write,
        calls.map(({ call }) => call),
      );
      const results = [];
      for (const [at, { call, operation }] of calls.entries())
        results.push(await operation({ ...write, ...planned[at] }, call));
      await commitWrite(write);
      return results;
    });
  }

  /** Entries that the operation removes, rendered as they were before. */
  async removed(
    call: DocumentCall,
    operation: Operation<DocumentCall, ReturnedVersion[]>,
    request: WrittenFor = {},
  ): Promise<Answers> {
    this.viewOf(call, { status: 'draft', locale: null });
    const beforeCommit = (versions: readonly ReturnedVersion[]) => this.showAll(versions, call);
    const { before } = await this.run(call, operation, { ...request, beforeCommit });
    return { documentId: call.documentId, entries: before as RenderedEntry[] };
  }

  private async run<C extends Call, T extends Returned>(
    call: C,
    operation: Operation<C, T>,
    options: RunOptions<T> = {},
  ): Promise<Computed<T>> {
    const { context, type } = this;
    const { budget, origin, writeKey } = options;
    if (context.transaction)
      return context.transaction.add(type, (write) => this.compute(write, call, operation, options), {
        budget,
        origin,
      });
    const work = () =>
      retryOnConflict((attempt) =>
        underKey(context, writeKey, async (key) => {
          const write = newAttempt(context, type, attempt, { budget, origin });
          const computed = await this.compute(write, call, operation, options);
          const { documentId } = computed;
          if (key && documentId !== undefined && write.changes.steps().length > 0)
            addKey(write.changes, key, { documentId });
          await commitWrite(write);
          if (context.due) context.due.isDone = true;
          return computed;
        }),
      );
    const lock = documentLock(type, call.documentId);
    return lock === null ? work() : context.withDocumentLock(lock, work);
  }

  /** Runs an operation, with all that may still refuse its write. */
  private async compute<C extends Call, T extends Returned>(
    write: WriteContext,
    call: C,
    operation: Operation<C, T>,
    { beforeCommit, precondition, rules }: RunOptions<T>,
  ): Promise<Computed<T>> {
    const { due } = this.context;
    const { documentId } = call;
    if (documentId !== undefined) await rules?.checkDocument(String(documentId));
    if (due) await takeSchedule(write, due);
    const result = await operation(rules ? { ...write, readable: rules.readable } : write, call);
    // After the entries were read: a change of theirs since then makes the commit start again.
    const known = documentId ?? documentIn(result);
    const written = known === undefined ? undefined : String(known);
    if (written !== undefined) {
      await rules?.checkSteps(written, write.changes.steps());
      await rules?.checkInPlace(written, write.inPlace);
    }
    if (precondition) checkPrecondition(write, precondition, [result ?? []].flat());
    return { result, before: await beforeCommit?.(result), documentId: written };
  }

  /** The view for the query part of a call. Throws for an invalid query, before anything is written. */
  private viewOf({ query }: Call, { status, locale }: Pick<ReturnedVersion, 'status' | 'locale'>): View {
    return this.reader.view(scriptRequest(this.type, paramsQuery({ ...query.params, status, locale })));
  }

  /** A document of an adopted collection is read again. */
  private show(view: View, { documentId, entry }: ReturnedVersion): ReturnType<View['read']> {
    return this.type.storage ? view.read(documentId) : view.show(documentId, entry);
  }

  /** Each version in its own status and locale. */
  private async showAll(versions: readonly ReturnedVersion[], call: Call): Promise<RenderedEntry[]> {
    const shown = await Promise.all(
      versions.map((version) => this.show(this.viewOf(call, version), version)),
    );
    return shown.filter((entry) => entry !== null) as RenderedEntry[];
  }
}
