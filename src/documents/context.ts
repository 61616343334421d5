import type { Config } from '../config/types.js';
import type { Budget } from '../limits/budget.js';
import type { Doc } from '../pipeline/types.js';
import type { ContentType, Schema } from '../schema/types.js';
import type { AdoptedDocuments, InPlaceStep } from '../store/adopted/in-place.js';
import { Changes, type Entry } from '../store/entries/changes.js';
import type { EntryFilter } from '../store/entries/entries.js';
import type { Pending } from '../store/entries/pending.js';
import type { Sequences } from '../store/entries/sequence.js';
import type { ChangeEvent, Origin } from '../store/outbox/outbox.js';
import type { Writer } from '../store/writes/write.js';
import type { WritePlan } from './plan/write-plan.js';
import type { WriteTrace } from './trace.js';

/** What planning and validation need. */
export interface WritePlanContext {
  readonly schema: Schema;
  readonly config: Config;
}

/** What resolving the targets of a plan needs. */
export interface ResolveContext extends WritePlanContext {
  /**
   * Entries as stored (see store/entries/entries.ts). `signal` aborts the read; each attempt passes its
   * request's.
   */
  read(
    collection: string,
    filter: EntryFilter,
    fields?: readonly string[],
    signal?: AbortSignal,
  ): Promise<Entry[]>;
  /**
   * The entries of these documents that the caller may read, by rules on their type, each with its `id`, `documentId` and
   * `locale`; null if it has none. Absent: everything may be read.
   */
  readable?(type: ContentType, documentIds: readonly string[]): Promise<readonly Doc[] | null>;
  /** Documents in adopted collections. */
  readonly adopted: AdoptedDocuments;
}

/** What all content types share. */
export interface DocumentsContext extends ResolveContext {
  readonly writer: Writer;
  readonly sequences: Sequences;
  /** Where writes come from, unless a request says so itself. */
  readonly origin: Origin;
  /** Runs the writes of one document one after the other. */
  withDocumentLock<T>(key: string, work: () => Promise<T>): Promise<T>;
  readonly trace?: WriteTrace;
  /** What the writes belong to; absent: each is committed by itself. */
  readonly transaction?: Transaction;
  /** What the writes carry out; absent: nothing that was scheduled. */
  readonly due?: DueSchedule;
}

/** A schedule that is carried out, as it was read. */
export interface DueSchedule {
  readonly id: string;
  readonly revision: string;
  /** Whether it has been carried out. */
  isDone: boolean;
}

/** Operations that are committed together. Each builds on those before it. */
export interface Transaction {
  /** What they have changed so far. */
  readonly pending: Pending;
  /** Runs an operation after those before it; what it has gathered belongs to the transaction unless it throws. */
  add<T>(type: ContentType, operation: (write: WriteContext) => Promise<T>, request?: WrittenBy): Promise<T>;
  /** Whether nothing can be added any more. */
  readonly isOver: boolean;
  /** Calls `work` when the transaction is stored; never if it is not. */
  afterCommit(work: () => unknown): void;
  /** Runs `work`, and stores nothing if it throws, even if its error is handled. */
  nested<T>(work: () => Promise<T>): Promise<T>;
}

/** The request that a write belongs to; scripts have none. */
interface WrittenBy {
  readonly budget?: Budget | undefined;
  readonly origin?: Origin | undefined;
}

/** What an attempt at a write of one content type has gathered to commit together. */
export interface Gathered {
  readonly type: ContentType;
  readonly changes: Changes;
  readonly events: ChangeEvent[];
  /** Writes of adopted documents, which are sent before the changes. */
  readonly inPlace: InPlaceStep[];
}

/** What an operation builds its changes with. It commits nothing. */
export interface BuildContext extends ResolveContext, Gathered {
  readonly sequences: Sequences;
  readonly trace?: WriteTrace;
  /** The plan of the body, if it was made before the operation ran. */
  readonly plannedAhead?: WritePlan;
  /** The limits of the request; absent for scripts. */
  readonly budget?: Budget;
}

/** What committing an attempt needs. */
export interface CommitContext extends ResolveContext, Pick<Gathered, 'events' | 'inPlace'> {
  readonly changes: Pick<Changes, 'steps'>;
  readonly writer: Writer;
  readonly origin: Origin;
  /** Starts at 1 and grows with each conflict. */
  readonly attempt: number;
  /** The limits of the request; absent for scripts. */
  readonly budget?: Budget;
}

/** One attempt at a write: an operation builds its changes, then they are committed. */
export type WriteContext = BuildContext & CommitContext;

/** The document that is written, and the locale. */
export interface DocumentRef {
  readonly type: ContentType;
  readonly documentId: string;
  /** Null for types that are not localized. */
  readonly locale: string | null;
}

/** The document and locale of a stored entry. */
export const refOf = (type: ContentType, entry: Entry): DocumentRef => ({
  type,
  documentId: String(entry['documentId']),
  locale: typeof entry['locale'] === 'string' ? entry['locale'] : null,
});

/**
 * Begins another attempt at a write. Throws if its request has ended; later reads of the attempt then throw
 * too.
 */
export const newAttempt = (
  context: DocumentsContext,
  type: ContentType,
  attempt: number,
  { budget, origin = context.origin }: WrittenBy = {},
): WriteContext => {
  budget?.signal.throwIfAborted();
  context.trace?.begin?.(attempt);
  const write = { ...context, type, changes: new Changes(), events: [], inPlace: [], attempt, origin };
  if (!budget) return write;
  const read: ResolveContext['read'] = (collection, filter, fields) =>
    context.read(collection, filter, fields, budget.signal);
  return { ...write, read, budget };
};
