import type { ScheduledAction } from '../store/entries/schedules.js';
import type { Origin } from '../store/outbox/outbox.js';
import type { WriteKey } from './idempotency.js';
import type { Precondition } from './precondition.js';
import type {
  JsonAnswer,
  JsonOf,
  ListAnswer,
  OneAnswer,
  ReadRequest,
  ShownVersion,
  VersionsAnswer,
} from './read/reader.js';
import type { Schedule } from './scheduled.js';

/** A request to the content API as a value. */
export interface ContentRequest extends Omit<ReadRequest, 'type'> {
  /** `data` of the body; undefined if there is none. */
  readonly data?: unknown;
  /** What a write requires of the entries that it changes. */
  readonly precondition?: Precondition | null;
  /** The key of a client that may send the request again. */
  readonly writeKey?: WriteKey | null;
  readonly withdrawal?: Withdrawal;
  /** Where its writes come from, for the log of changes. */
  readonly origin?: Origin;
}

/** What an update takes back in the same commit: what is published. */
export interface Withdrawal {
  /** Whether the update has done it. */
  isDone: boolean;
}

/** An action that changes versions of a document without a body. */
export type VersionChange = 'publish' | 'unpublish' | 'discardDraft';

export interface ScheduledAnswer extends Pick<ListAnswer, 'pagination'> {
  readonly data: readonly Schedule[];
}

/**
 * What REST can do with a content type. Every method throws an `ApiError`. As in Strapi, the query is checked
 * before the body, and both before the entry is looked for.
 */
export interface RequestService {
  findMany(): Promise<ListAnswer>;
  findOne(documentId: string): Promise<OneAnswer>;
  /** The entry of a single type. */
  findFirst(): Promise<OneAnswer>;
  /** A read, as JSON. */
  readJson(of: JsonOf): Promise<JsonAnswer>;
  count(): Promise<number>;
  /**
   * The document with the value that the data has for a unique attribute, in the locale of the query; null if there
   * is none. Throws a 400 if there are several, or if the value cannot be one.
   */
  documentWith(attribute: string): Promise<string | null>;
  create(): Promise<OneAnswer>;
  update(documentId: string): Promise<OneAnswer>;
  /** Updates the document of a single type; the first write creates it. */
  updateSingle(): Promise<OneAnswer>;
  /** Does nothing if `filters` do not match. */
  delete(documentId: string): Promise<void>;
  deleteSingle(): Promise<void>;
  /** `documentId` null: the document of a single type. The answer is the version that the query selects. */
  changeVersion(change: VersionChange, documentId: string | null): Promise<OneAnswer>;
  /** Schedules an action on a document; `documentId` null: on that of a single type. Throws a 404 if there is none. */
  schedule(action: ScheduledAction, documentId: string | null, at: Date): Promise<Schedule>;
  /** Throws a 404 if nothing is scheduled. */
  cancelScheduled(action: ScheduledAction, documentId: string | null): Promise<void>;
  /** A page of what is scheduled for the documents that the caller may read, the next one first. */
  findScheduled(): Promise<ScheduledAnswer>;
  /** The versions of a document that were kept; `documentId` null: of the document of a single type. */
  findVersions(documentId: string | null): Promise<VersionsAnswer>;
  /** One of them. Throws a 404 if there is none that the caller may read. */
  findVersion(documentId: string | null, version: string): Promise<ShownVersion>;
  /** Makes a version the draft again. The answer is the draft. */
  restore(documentId: string | null, version: string): Promise<OneAnswer>;
}
