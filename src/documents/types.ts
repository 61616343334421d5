import type { ContentType } from '../schema/types.js';
import type { Action, DocumentMiddleware } from './middleware.js';
import type { Version } from './operations/versions.js';
import type { CloneParams, CreateParams, DocumentParams, ReadParams, UpdateParams } from './params.js';
import type { Query } from './read/reader.js';

/** Shows one version of a document; REST gives its own, which knows the caller and the query string. */
export type Show = (version: Version) => Promise<unknown>;

export type Answer = Record<string, unknown>;

export interface Answers {
  readonly documentId: string;
  readonly entries: readonly Answer[];
}

/** The Document Service of one content type (rules G.1). */
export interface DocumentService {
  findMany(params?: ReadParams): Promise<Answer[]>;
  findFirst(params?: ReadParams): Promise<Answer | null>;
  findOne(params: DocumentParams): Promise<Answer | null>;
  count(params?: ReadParams): Promise<number>;
  create(params: CreateParams, show?: Show): Promise<Answer>;
  update(params: UpdateParams, show?: Show): Promise<Answer | null>;
  delete(params: DocumentParams): Promise<Answers>;
  clone(params: CloneParams): Promise<Answers>;
  /** These three only where the type has Draft & Publish. */
  publish?(params: DocumentParams): Promise<Answers>;
  unpublish?(params: DocumentParams): Promise<Answers>;
  discardDraft?(params: DocumentParams): Promise<Answers>;
}

/** A read that REST makes with its caller's rights, as a middleware sees it. */
export interface AroundRead {
  readonly type: ContentType;
  readonly action: Action;
  /** The query string, without `?`. */
  readonly query: string;
  readonly documentId?: string;
}

export interface Documents {
  (uid: string): DocumentService;
  /** Wraps every call of every type, or of some actions only, in the order of registration (rules G.10). */
  use(middleware: DocumentMiddleware, only?: readonly Action[]): void;
  /** Runs a read of REST inside the middlewares. Without any, `run` gets the query string as it is. */
  around<T>(read: AroundRead, run: (query: Query) => Promise<T>): Promise<T>;
}
