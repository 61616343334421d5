import type { Origin } from '../store/outbox/outbox.js';
import type { Action, Concerns, DocumentMiddleware } from './middleware.js';
import type { CloneParams, CreateParams, DocumentParams, ReadParams, UpdateParams } from './params.js';
import type { ContentRequest, RequestService } from './request.js';

export type RenderedEntry = Record<string, unknown>;

export interface Answers {
  readonly documentId: string;
  readonly entries: readonly RenderedEntry[];
}

/** The Document Service of one content type. */
export interface DocumentService {
  findMany(params?: ReadParams): Promise<RenderedEntry[]>;
  findFirst(params?: ReadParams): Promise<RenderedEntry | null>;
  findOne(params: DocumentParams): Promise<RenderedEntry | null>;
  count(params?: ReadParams): Promise<number>;
  create(params: CreateParams): Promise<RenderedEntry>;
  update(params: UpdateParams): Promise<RenderedEntry | null>;
  delete(params: DocumentParams): Promise<Answers>;
  clone(params: CloneParams): Promise<Answers>;
  /** These three exist only if the type has Draft & Publish. */
  publish?(params: DocumentParams): Promise<Answers>;
  unpublish?(params: DocumentParams): Promise<Answers>;
  discardDraft?(params: DocumentParams): Promise<Answers>;
  /** The same for a request: with the permissions of its caller, its query and its response format. */
  forRequest(request: ContentRequest): RequestService;
}

export interface Documents {
  (uid: string): DocumentService;
  /**
   * Creates and updates documents of one type in one transaction: all or none. Each call sees only what was
   * stored before, so the documents cannot refer to one another, and each call must be for a different
   * document. If middlewares wrap the calls, they run one by one.
   * @returns their documentIds
   */
  together(uid: string, calls: readonly (CreateParams | UpdateParams)[]): Promise<readonly string[]>;
  /** The same service, whose writes the log of changes attributes to `origin`. */
  attributedTo(origin: Origin): Documents;
  /** Whether middlewares wrap one of the actions on a type; creates and updates if none is named. */
  isWrapped(uid: string, actions?: readonly Action[]): boolean;
  /** Wraps every call, or only those of some actions and content types, in order of registration. */
  use(middleware: DocumentMiddleware, only?: readonly Action[], uids?: readonly string[]): void;
  /** Wraps the calls that it concerns inside all middlewares of `use`, whenever those are registered. */
  useInside(middleware: DocumentMiddleware, concerns: Concerns): void;
}
