import type { Budget } from '../../limits/budget.js';
import type { Doc } from '../../pipeline/types.js';
import type { CheckedQuery } from '../../query/checked.js';
import type { ReadPlan } from '../../query/read-plan.js';
import type { Output } from '../../render/bytes/output.js';
import type { VersionMark } from '../../store/history/versions.js';
import type { ReadScope } from '../../store/reads/read-scope.js';
import type { Prepared, QueryRequest, Timing } from './prepare-read.js';

/** A read of a content type. */
export interface ReadRequest extends Omit<QueryRequest, 'target'> {
  /** The limits of the request; absent for scripts. */
  readonly budget?: Budget;
  /** The read may be older than the last write, if the database URI prefers secondaries. */
  readonly mayLag?: boolean;
  /** What the read must not be older than. */
  readonly session?: ReadSession;
  /** Whether the client has the answer with this validator, which is not rendered then. */
  readonly hasAlready?: (validator: CacheValidator) => boolean;
}

/** What tells an answer with a single entry from earlier ones. */
export interface CacheValidator {
  readonly revision: string;
  /** Of how the entry is shown; null: the revision does not tell, since other entries or code change the answer. */
  readonly digest: string | null;
}

/** A session of the store, for the reads of one request. */
export type ReadSession = NonNullable<ReadScope['session']>;

export interface ListAnswer {
  readonly data: readonly Doc[];
  /** `meta.pagination`; null where the query has none. */
  readonly pagination: Doc | null;
  /**
   * Steps and their milliseconds: parse, check, plan, compile (none of these with a cached plan), read,
   * render.
   */
  readonly timings: readonly Timing[];
}

/** An answer as JSON text. */
export interface JsonAnswer {
  /** JSON of the entry or the list; null if there is no such entry. */
  readonly json: Output | null;
  readonly pagination: Doc | null;
  readonly timings: readonly Timing[];
  /** Of a single entry, if `rest.etags` is set and the entry has a revision. */
  readonly validator?: CacheValidator | null;
  /** The client has the answer already (see `hasAlready`), so `json` is null. */
  readonly unchanged?: boolean;
}

/** A version as it is shown, and what is stored about it. */
export interface ShownVersion {
  readonly mark: VersionMark;
  readonly locale: string | null;
  readonly entry: Doc;
}

export interface VersionsAnswer extends Pick<ListAnswer, 'pagination' | 'timings'> {
  readonly data: readonly ShownVersion[];
}

export interface OneAnswer {
  readonly data: Doc | null;
  readonly timings: readonly Timing[];
  readonly validator?: CacheValidator | null;
}

/** Renders the answer of a write. Its query is prepared once, before anything is written. */
export interface View {
  readonly query: CheckedQuery;
  readonly plan: ReadPlan;
  readonly populates: boolean;
  /** The steps of preparing the query. */
  readonly timings: readonly Timing[];
  /**
   * Called before a write. Rejects with a 400 if the server would refuse to read the answer, so that nothing is
   * stored then.
   */
  checkReadable(): Promise<void>;
  /** Reads and renders a document as it is stored now. */
  read(documentId: string): Promise<Doc | null>;
  /** Renders an entry as it will be stored after the write; reads it again only to populate it. */
  show(documentId: string, entry: Doc): Promise<Doc | null>;
}

export interface Reader {
  list(request: ReadRequest): Promise<ListAnswer>;
  one(request: ReadRequest, documentId: string): Promise<OneAnswer>;
  /** The entry of a single type, or the first of a list. */
  single(request: ReadRequest): Promise<OneAnswer>;
  /** The same as JSON, without objects. */
  json(request: ReadRequest, of: JsonOf): Promise<JsonAnswer>;
  /** The number of matching entries on all pages. */
  count(request: ReadRequest): Promise<number>;
  /** Whether an entry, were it stored as it is given, would be in the list. */
  holds(request: ReadRequest, entry: Doc): Promise<boolean>;
  view(request: ReadRequest): View;
  /** A page of the versions that `request.versions` chooses, the newest first. */
  versions(request: ReadRequest): Promise<VersionsAnswer>;
  /** All steps before the read itself. */
  prepare(request: QueryRequest): Prepared;
}

/** Which entries an answer contains. */
export type JsonOf = { readonly target: 'list' | 'single' } | { readonly documentId: string };
