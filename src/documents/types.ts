import type { Budget } from '../limits/budget.js';
import type { Written } from '../store/entries/idempotency-keys.js';
import type { ScheduledAction } from '../store/entries/schedules.js';
import type { Origin } from '../store/outbox/outbox.js';
import type { DueSchedule } from './context.js';
import type { WriteKey } from './idempotency.js';
import type { Action, Concerns, DocumentMiddleware, InnerMiddleware, Showing } from './middleware.js';
import type {
  CloneParams,
  CreateParams,
  DocumentParams,
  ReadParams,
  UpdateParams,
  VersionParams,
} from './params.js';
import type { KeptVersion } from './read/kept-version.js';
import type { ContentRequest, RequestService } from './request.js';
import type { Schedule } from './scheduled.js';

export type RenderedEntry = Record<string, unknown>;

export interface Answers {
  readonly documentId: string;
  readonly entries: readonly RenderedEntry[];
  /** Of an action with a time, which is carried out later: what is scheduled, by locale. */
  readonly scheduled?: readonly Schedule[];
}

/** The copies of a document; without a documentId if there is no such document. */
export type Copies = Pick<Answers, 'entries'> & Partial<Pick<Answers, 'documentId'>>;

/** The Document Service of one content type. */
export interface DocumentService {
  /** @example findMany({ filters: { name: { $contains: 'Ann' } }, sort: 'name', populate: ['owner'], pagination: { limit: 10 } }) */
  findMany(params?: ReadParams): Promise<RenderedEntry[]>;
  findFirst(params?: ReadParams): Promise<RenderedEntry | null>;
  findOne(params: DocumentParams): Promise<RenderedEntry | null>;
  count(params?: ReadParams): Promise<number>;
  /** @example create({ data: { name: 'Ann’s', owner: { connect: [documentId] } }, status: 'published' }) */
  create(params: CreateParams): Promise<RenderedEntry>;
  update(params: UpdateParams): Promise<RenderedEntry | null>;
  delete(params: DocumentParams): Promise<Answers>;
  clone(params: CloneParams): Promise<Copies>;
  /** These exist only if the type has Draft & Publish. With a time it is done then, and `entries` are empty now. */
  publish?(params: DocumentParams & { readonly publishAt?: Date | string }): Promise<Answers>;
  unpublish?(params: DocumentParams & { readonly unpublishAt?: Date | string }): Promise<Answers>;
  discardDraft?(params: DocumentParams): Promise<Answers>;
  /** What is scheduled, the next one first. */
  findScheduled?(params?: { readonly documentId?: string }): Promise<readonly Schedule[]>;
  /** Cancels what is scheduled; returns it. */
  cancelScheduled?(
    params: DocumentParams & { readonly action: ScheduledAction },
  ): Promise<readonly Schedule[]>;
  /** These three exist only if the type has `options.history`. The versions are listed with the newest first. */
  findVersions?(params: DocumentParams): Promise<KeptVersion[]>;
  findVersion?(params: VersionParams): Promise<KeptVersion | null>;
  /** Makes a version the draft again; a deleted document exists again. No entries if there is no such version. */
  restore?(params: VersionParams): Promise<Answers>;
  /** The same for a request: with the permissions of its caller, its query and its response format. */
  forRequest(request: ContentRequest): RequestService;
}

/** The Document Services of the content types. */
export type ServiceByUid = (uid: string) => DocumentService;

/** The request that asks for a transaction; scripts have none. */
export interface TransactionOptions<T> {
  /** Its limits. */
  readonly budget?: Budget | undefined;
  readonly writeKey?: WriteKey | null | undefined;
  /** What the result of the work has written, to be stored with the key. */
  written?(result: T): Written;
}

/** A write of another module, as the call that it stands for. */
export interface WriteAround {
  /**
   * Gets the parameters as the middlewares leave them, and a service whose calls nothing wraps; returns what such a call
   * would.
   */
  run(params: object, documents: Documents): Promise<unknown>;
  /** Takes the write back, with what lifecycles have written, if one of those throws; absent: it stays. */
  undo?(): Promise<void>;
}

export interface Documents extends ServiceByUid {
  /**
   * Runs `work` with services whose writes are stored together when it has ended, or not at all if it throws. Each
   * write builds on those before it. `work` runs again if a document has changed meanwhile, so it should do nothing
   * else. Until the end, entries of a changed type can only be read by `findOne`, without filters and populate, and
   * writes cannot populate what they answer; documents of adopted collections cannot be written.
   *
   * Calls that middlewares make belong to the transaction of the call that they are around, so there it only runs `work`.
   * If that throws, nothing of the transaction is stored.
   * @example
   * await documents.transaction(async (inside) => {
   *   const { documentId } = await inside('api::chef.chef').create({ data: { name: 'Ann' } });
   *   await inside('api::restaurant.restaurant').create({ data: { name: 'Ann’s', owner: documentId } });
   * });
   */
  transaction<T>(work: (documents: ServiceByUid) => Promise<T>, options?: TransactionOptions<T>): Promise<T>;
  /** Calls `work` when the transaction is stored in whose middlewares it was called; in no transaction at once. */
  afterCommit(work: () => unknown): Promise<void>;
  /**
   * Creates and updates documents of one type in one transaction: all or none. Each call sees only what was
   * stored before, so the documents cannot refer to one another, and each call must be for a different
   * document. If middlewares wrap the calls, they run one by one.
   * @returns their documentIds
   * @example const [first] = await documents.together('api::chef.chef', [{ data: { name: 'Ann' } }, { documentId, data: { name: 'Bo' } }]);
   */
  together(uid: string, calls: readonly (CreateParams | UpdateParams)[]): Promise<readonly string[]>;
  /** The same service, whose writes the log of changes attributes to `origin`. */
  attributedTo(origin: Origin): Documents;
  /** The services for one write, which is stored together with the removal of the schedule that it carries out. */
  carryingOut(schedule: DueSchedule, origin: Origin): ServiceByUid;
  /** Whether middlewares wrap one of the actions on a type; creates and updates if none is named. */
  isWrapped(uid: string, actions?: readonly Action[]): boolean;
  /** Wraps every call, or only those of some actions and content types, in order of registration. */
  use(middleware: DocumentMiddleware, only?: readonly Action[], uids?: readonly string[]): void;
  /** Wraps every call, and the writes of other modules that stand for one (`around`). */
  useAround(middleware: DocumentMiddleware): void;
  /** Wraps the calls that it concerns inside all middlewares of `use`, whenever those are registered. */
  useInside(middleware: InnerMiddleware, concerns: Concerns): void;
  /**
   * What middlewares see of requests is whole, as for scripts, and they may ask for all of it; callers get what is shown
   * of their results.
   */
  showThrough(show: Showing): void;
  /** Whether anything is around an action on a type for which another module writes itself. */
  isAround(uid: string, action: Action): boolean;
  /**
   * Runs a write that another module makes itself inside the middlewares of `useAround` and `useInside`, as the call
   * that it stands for.
   */
  around(uid: string, action: Action, params: object, write: WriteAround): Promise<unknown>;
  /** What a caller may see of a result that the project's code may have changed; null: no such code runs. */
  showing(): Showing | null;
}
