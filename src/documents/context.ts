import type { Config } from '../config/types.js';
import type { Budget } from '../limits/budget.js';
import type { ContentType, Schema } from '../schema/types.js';
import type { AdoptedDocuments, InPlaceStep } from '../store/adopted/in-place.js';
import { Changes, type Entry } from '../store/entries/changes.js';
import type { EntryFilter } from '../store/entries/entries.js';
import type { Sequences } from '../store/entries/sequence.js';
import type { ChangeEvent } from '../store/outbox/outbox.js';
import type { Writer } from '../store/writes/write.js';
import type { WritePlan } from './plan/write-plan.js';
import type { WriteTrace } from './trace.js';

/** What a body is planned and checked by. */
export interface PlanContext {
  readonly schema: Schema;
  readonly config: Config;
}

/** What is looked up for a plan. */
export interface ResolveContext extends PlanContext {
  /** Entries as stored (see store/entries/entries.ts). The signal, which each attempt adds, ends the reading. */
  read(
    collection: string,
    filter: EntryFilter,
    fields?: readonly string[],
    signal?: AbortSignal,
  ): Promise<Entry[]>;
  /** Documents in the collections of other programs. */
  readonly adopted: AdoptedDocuments;
}

/** What writes of one document pass on to each other. */
export interface Turn {
  /** By collection and filter (see operations/turns.ts). */
  left: ReadonlyMap<string, LeftEntries>;
}

/** Entries as a write left them. */
interface LeftEntries {
  /** When they were last read, by `performance.now()`. */
  readonly readAt: number;
  /** As a read would give them. */
  entries(): readonly Entry[];
}

/** What the service of all content types works with. */
export interface DocumentsContext extends ResolveContext {
  readonly writer: Writer;
  readonly sequences: Sequences;
  /** Writes of one document, one after the other. */
  takeTurns<T>(key: string, work: (turn: Turn) => Promise<T>): Promise<T>;
  readonly trace?: WriteTrace;
}

/** What an attempt at a write of one content type has gathered, to be committed together. */
export interface Gathered {
  readonly type: ContentType;
  readonly changes: Changes;
  readonly events: ChangeEvent[];
  /** Writes of adopted documents, sent before the changes. */
  readonly inPlace: InPlaceStep[];
}

/** What an operation builds its changes with. It commits nothing. */
export interface BuildContext extends ResolveContext, Gathered {
  readonly sequences: Sequences;
  readonly trace?: WriteTrace;
  /** The plan of the body, where it was needed before the operation. */
  readonly plannedAhead?: WritePlan;
}

/** What commits the changes of an attempt. */
export interface CommitContext extends ResolveContext, Gathered {
  readonly writer: Writer;
  /** 1, and more after conflicts. */
  readonly attempt: number;
  /** What the request may cost; scripts have none. */
  readonly budget?: Budget;
}

/** One attempt at a write: an operation builds, what it gathered is committed. */
interface WriteContext extends BuildContext, CommitContext {}

/** The document that a write is about, in the locale it is written in. */
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

/** A further attempt at a write. Throws where its request is over, as does everything that it reads then. */
export const newAttempt = (
  context: DocumentsContext,
  type: ContentType,
  attempt: number,
  budget?: Budget,
): WriteContext => {
  budget?.signal.throwIfAborted();
  context.trace?.begin?.(attempt);
  const write = { ...context, type, changes: new Changes(), events: [], inPlace: [], attempt };
  if (!budget) return write;
  const read: ResolveContext['read'] = (collection, filter, fields) =>
    context.read(collection, filter, fields, budget.signal);
  return { ...write, read, budget };
};
