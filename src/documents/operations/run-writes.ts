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

/** Runs the operations of one type and renders their results. */
export interface Writes {
  /** One entry, rendered by `view` or else with the `fields` and `populate` of the call. */
  one<C extends Call>(
    call: C,
    operation: Operation<C, ReturnedVersion | null>,
    request?: WrittenFor,
  ): Promise<RenderedEntry | null>;
  /** Entries, rendered as they are after the write. */
  many(
    call: DocumentCall,
    operation: Operation<DocumentCall, ReturnedVersion[]>,
    request?: WrittenFor,
  ): Promise<Answers>;
  /** All calls in one transaction, or none of them. They do not see each other's changes. */
  together<T>(
    calls: readonly { readonly call: Call; readonly operation: Operation<Call, T> }[],
  ): Promise<readonly T[]>;
  /** What the operation returns, without entries. */
  plain<T>(call: DocumentCall, operation: Operation<DocumentCall, T>, request?: WrittenFor): Promise<T>;
  /** Entries that the operation removes, rendered as they were before. */
  removed(
    call: DocumentCall,
    operation: Operation<DocumentCall, ReturnedVersion[]>,
    request?: WrittenFor,
  ): Promise<Answers>;
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

export function createWrites(context: DocumentsContext, reader: Reader, type: ContentType): Writes {
  const { defaultLocale } = context.config.plugins.i18n;

  /** The view for the query part of a call. Throws for an invalid query, before anything is written. */
  const viewOf = ({ query }: Call, { status, locale }: Pick<ReturnedVersion, 'status' | 'locale'>): View =>
    reader.view(scriptRequest(type, paramsQuery({ ...query.params, status, locale })));

  const run = async <C extends Call, T extends Returned>(
    call: C,
    operation: Operation<C, T>,
    { beforeCommit, budget, origin, precondition, rules, writeKey }: RunOptions<T> = {},
  ): Promise<{ result: T; before: unknown }> => {
    const { documentId } = call;
    const compute = async (write: WriteContext, key: WriteKey | null) => {
      if (documentId !== undefined) await rules?.checkDocument(String(documentId));
      if (context.due) await takeSchedule(write, context.due);
      const result = await operation(rules ? { ...write, readable: rules.readable } : write, call);
      // After the entries were read: a change of theirs since then makes the commit start again.
      const written = documentId ?? documentIn(result);
      if (written !== undefined) {
        await rules?.checkSteps(String(written), write.changes.steps());
        await rules?.checkInPlace(String(written), write.inPlace);
      }
      if (precondition) checkPrecondition(write, precondition, [result ?? []].flat());
      const before = await beforeCommit?.(result);
      if (key && written !== undefined && write.changes.steps().length > 0)
        addKey(write.changes, key, { documentId: String(written) });
      return { result, before };
    };
    if (context.transaction)
      return context.transaction.add(type, (write) => compute(write, null), { budget, origin });
    const work = () =>
      retryOnConflict((attempt) =>
        underKey(context, writeKey, async (key) => {
          const write = newAttempt(context, type, attempt, { budget, origin });
          const computed = await compute(write, key);
          await commitWrite(write);
          if (context.due) context.due.isDone = true;
          return computed;
        }),
      );
    const lock = documentLock(type, documentId);
    return lock === null ? work() : context.withDocumentLock(lock, work);
  };

  /** A document of an adopted collection is read again. */
  const shown = (view: View, { documentId, entry }: ReturnedVersion): ReturnType<View['read']> =>
    type.storage ? view.read(documentId) : view.show(documentId, entry);

  /** Each version in its own status and locale. */
  const showAll = async (
    versions: readonly ReturnedVersion[],
    call: Call,
    show: (view: View, version: ReturnedVersion) => Promise<unknown>,
  ): Promise<RenderedEntry[]> => {
    const shown = await Promise.all(versions.map((version) => show(viewOf(call, version), version)));
    return shown.filter((entry) => entry !== null) as RenderedEntry[];
  };

  return {
    async one(call, operation, { view: given, ...request } = {}) {
      // As reads do, a type without Draft & Publish shows related drafts unless `status` says otherwise.
      const status = call.status === 'published' ? 'published' : 'draft';
      const view = given ?? viewOf(call, { status, locale: writeLocale(type, call.locale, defaultLocale) });
      await view.checkReadable();
      const { result } = await run(call, operation, request);
      return result && (await shown(view, result));
    },
    async many(call, operation, request = {}) {
      await viewOf(call, { status: 'draft', locale: null }).checkReadable();
      const written: typeof operation = async (write, given) =>
        (await operation(write, given)).map((version) => asWritten(write, version));
      const { result } = await run(call, written, request);
      const documentId = result[0]?.documentId ?? call.documentId;
      return { documentId, entries: await showAll(result, call, shown) };
    },
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
      await run(call, noVersions, request);
      return value;
    },
    together: (calls) =>
      retryOnConflict(async (attempt) => {
        const write = newAttempt(context, type, attempt);
        const planned = await planAhead(
          write,
          calls.map(({ call }) => call),
        );
        const results = [];
        for (const [at, { call, operation }] of calls.entries())
          results.push(await operation({ ...write, ...planned[at] }, call));
        await commitWrite(write);
        return results;
      }),
    async removed(call, operation, request = {}) {
      viewOf(call, { status: 'draft', locale: null });
      const beforeCommit = (versions: readonly ReturnedVersion[]) => showAll(versions, call, shown);
      const { before } = await run(call, operation, { ...request, beforeCommit });
      return { documentId: call.documentId, entries: before as RenderedEntry[] };
    },
  };
}
