/** The client's types, based on those of a project. */
import type { Answer, Nothing } from '../query-types/answer.js';
import type { ModelTypes, PublicTypes } from '../query-types/model.js';
import type { Fields, Populate, Selection, TypedSelection } from '../query-types/query.js';
import type { ApiTypes, LooseEntry } from './api-types.js';
import type { BatchOperation, BatchOptions, BatchOutcome, Into } from './batch-types.js';

export interface Meta {
  readonly [name: string]: unknown;
}

export interface PageMeta extends Meta {
  readonly pagination: {
    readonly page?: number;
    readonly pageSize?: number;
    readonly pageCount?: number;
    readonly start?: number;
    readonly limit?: number;
    readonly total?: number;
    /** Absent: the total is exact. */
    readonly exact?: false;
  };
}

export interface Envelope<Data, About = Meta> {
  readonly data: Data;
  readonly meta: About;
  /** The entity tag of a read, if the server sends them (`rest.etags`): for `ifMatch`. */
  readonly etag?: string;
}

/** What a write depends on; each is a header. */
export interface WriteOptions {
  /**
   * The document must not have changed since: the `etag` of a read, the revision in the `details` of a 412, or `*`. A
   * 412 otherwise.
   */
  readonly ifMatch?: string;
  /**
   * Unique to this write, such as `crypto.randomUUID()`: sent again with the same arguments within a day, the write is
   * not repeated and returns what it returned first.
   */
  readonly idempotencyKey?: string;
}

export interface WatchOptions {
  /** Ends the iteration, also while it waits. */
  readonly signal?: AbortSignal;
}

/** A version of a document, of types with `options.history`. */
export interface Version<Entry> {
  readonly id: string;
  readonly status: 'draft' | 'published';
  readonly locale: string | null;
  /** What made the entry so, such as `entry.update`; null if it was not seen. */
  readonly event: string | null;
  /** When the entry became so, and when it ceased to be; ISO 8601. */
  readonly from: string;
  readonly until: string | null;
  /** What removed the entry after this version. */
  readonly removed: string | null;
  readonly entry: Entry;
}

/** An action that is carried out later. */
export interface Schedule {
  readonly id: string;
  readonly action: 'publish' | 'unpublish';
  readonly documentId: string;
  readonly locale: string | null;
  /** ISO 8601. */
  readonly at: string;
  /** `failed`: it was refused when it was due, and is not tried again. */
  readonly state: 'waiting' | 'failed';
  readonly error: { readonly name: string; readonly message: string } | null;
  readonly createdAt: string;
}

/** When an action is carried out, in place of now. */
type PublishAt = Which & { readonly publishAt: string | Date };
type UnpublishAt = Which & { readonly unpublishAt: string | Date };

interface Pages {
  readonly pagination?:
    | { readonly page?: number; readonly pageSize?: number; readonly withCount?: boolean }
    | { readonly start?: number; readonly limit?: number; readonly withCount?: boolean };
}

type LooseQuery = Readonly<Record<string, unknown>>;

/** Stands for each type of a project without types. */
interface LooseModel extends ModelTypes {
  readonly entry: LooseEntry;
  readonly isLoose: true;
}

interface Which {
  readonly locale?: string;
}

type Typed<Model, Query> = Model extends LooseModel ? LooseQuery : Query;

/** Parameters that select entries, and those that select what is returned. */
type Query<Model extends ModelTypes, F, P> = Typed<Model, Selection<Model> & TypedSelection<Model, F, P>>;

type VersionQuery<Model extends ModelTypes, F, P> = Typed<
  Model,
  Which & TypedSelection<Model, F, P> & Pages & { readonly status?: 'draft' | 'published' }
>;

/** The action chooses the version that is returned. */
type Changing<Model extends ModelTypes, F, P> = Typed<Model, Which & TypedSelection<Model, F, P>>;

type Entry<Model extends ModelTypes, F = '*', P = Nothing> = Model extends LooseModel
  ? LooseEntry
  : Answer<Model, F, P>;

export interface Collection<Model extends ModelTypes> {
  find<const F extends Fields<Model> = '*', const P extends Populate<Model> = Nothing>(
    query?: Query<Model, F, P> & Pages,
  ): Promise<Envelope<Entry<Model, F, P>[], PageMeta>>;
  findOne<const F extends Fields<Model> = '*', const P extends Populate<Model> = Nothing>(
    documentId: string,
    query?: Query<Model, F, P>,
  ): Promise<Envelope<Entry<Model, F, P>>>;
  /**
   * Yields what `find` returns, and again after each change. Connects anew when the connection ends. Strapi has none of these.
   * @throws ApiError if the caller may not read this, or not any more
   */
  watch<const F extends Fields<Model> = '*', const P extends Populate<Model> = Nothing>(
    query?: Query<Model, F, P> & Pages,
    options?: WatchOptions,
  ): AsyncGenerator<Envelope<Entry<Model, F, P>[], PageMeta>>;
  /** As `watch`, of one entry; null while it does not exist, such as after it was deleted. */
  watchOne<const F extends Fields<Model> = '*', const P extends Populate<Model> = Nothing>(
    documentId: string,
    query?: Query<Model, F, P>,
    options?: WatchOptions,
  ): AsyncGenerator<Envelope<Entry<Model, F, P> | null>>;
  /**
   * Writes a draft with `status: 'draft'`; otherwise it is also published, if the type has Draft & Publish.
   */
  create<const F extends Fields<Model> = '*', const P extends Populate<Model> = Nothing>(
    data: Model['input'],
    query?: Query<Model, F, P>,
    options?: WriteOptions,
  ): Promise<Envelope<Entry<Model, F, P>>>;
  update<const F extends Fields<Model> = '*', const P extends Populate<Model> = Nothing>(
    documentId: string,
    data: Model['input'],
    query?: Query<Model, F, P>,
    options?: WriteOptions,
  ): Promise<Envelope<Entry<Model, F, P>>>;
  /** Updates the document that has the value of `data` for a unique attribute; creates it if there is none. */
  upsert(
    by: Model extends LooseModel ? string : keyof Model['input'] & string,
    data: Model['input'],
    options?: Into,
  ): Promise<Envelope<Entry<Model>>>;
  delete(documentId: string, query?: Which, options?: WriteOptions): Promise<void>;
  /** Publishes the draft, now or at `publishAt`. Types without Draft & Publish have none of these. */
  publish(documentId: string, query: PublishAt, options?: WriteOptions): Promise<Envelope<Schedule>>;
  publish<const F extends Fields<Model> = '*', const P extends Populate<Model> = Nothing>(
    documentId: string,
    query?: Changing<Model, F, P>,
    options?: WriteOptions,
  ): Promise<Envelope<Entry<Model, F, P>>>;
  /** Removes the published version, now or at `unpublishAt`; the response is the draft. */
  unpublish(documentId: string, query: UnpublishAt, options?: WriteOptions): Promise<Envelope<Schedule>>;
  unpublish<const F extends Fields<Model> = '*', const P extends Populate<Model> = Nothing>(
    documentId: string,
    query?: Changing<Model, F, P>,
    options?: WriteOptions,
  ): Promise<Envelope<Entry<Model, F, P>>>;
  /** Replaces the draft with the published version. */
  discardDraft<const F extends Fields<Model> = '*', const P extends Populate<Model> = Nothing>(
    documentId: string,
    query?: Changing<Model, F, P>,
    options?: WriteOptions,
  ): Promise<Envelope<Entry<Model, F, P>>>;
  /** What is scheduled, the next one first. */
  findScheduled(query?: Pages): Promise<Envelope<Schedule[], PageMeta>>;
  cancelPublish(documentId: string, query?: Which, options?: WriteOptions): Promise<void>;
  cancelUnpublish(documentId: string, query?: Which, options?: WriteOptions): Promise<void>;
  /** The versions that were kept, the newest first. Only types with `options.history` have these two. */
  findVersions<const F extends Fields<Model> = '*', const P extends Populate<Model> = Nothing>(
    documentId: string,
    query?: VersionQuery<Model, F, P>,
  ): Promise<Envelope<Version<Entry<Model, F, P>>[], PageMeta>>;
  /** Makes a version the draft again. */
  restore<const F extends Fields<Model> = '*', const P extends Populate<Model> = Nothing>(
    documentId: string,
    version: string,
    query?: Typed<Model, TypedSelection<Model, F, P>>,
    options?: WriteOptions,
  ): Promise<Envelope<Entry<Model, F, P>>>;
}

export interface Single<Model extends ModelTypes> {
  find<const F extends Fields<Model> = '*', const P extends Populate<Model> = Nothing>(
    query?: Query<Model, F, P>,
  ): Promise<Envelope<Entry<Model, F, P>>>;
  /** Yields what `find` returns, and again after each change; null while it does not exist. */
  watch<const F extends Fields<Model> = '*', const P extends Populate<Model> = Nothing>(
    query?: Query<Model, F, P>,
    options?: WatchOptions,
  ): AsyncGenerator<Envelope<Entry<Model, F, P> | null>>;
  update<const F extends Fields<Model> = '*', const P extends Populate<Model> = Nothing>(
    data: Model['input'],
    query?: Query<Model, F, P>,
    options?: WriteOptions,
  ): Promise<Envelope<Entry<Model, F, P>>>;
  delete(query?: Which, options?: WriteOptions): Promise<void>;
  /** Publishes the draft, now or at `publishAt`. Types without Draft & Publish have none of these. */
  publish(query: PublishAt, options?: WriteOptions): Promise<Envelope<Schedule>>;
  publish<const F extends Fields<Model> = '*', const P extends Populate<Model> = Nothing>(
    query?: Changing<Model, F, P>,
    options?: WriteOptions,
  ): Promise<Envelope<Entry<Model, F, P>>>;
  /** Removes the published version, now or at `unpublishAt`; the response is the draft. */
  unpublish(query: UnpublishAt, options?: WriteOptions): Promise<Envelope<Schedule>>;
  unpublish<const F extends Fields<Model> = '*', const P extends Populate<Model> = Nothing>(
    query?: Changing<Model, F, P>,
    options?: WriteOptions,
  ): Promise<Envelope<Entry<Model, F, P>>>;
  /** Replaces the draft with the published version. */
  discardDraft<const F extends Fields<Model> = '*', const P extends Populate<Model> = Nothing>(
    query?: Changing<Model, F, P>,
    options?: WriteOptions,
  ): Promise<Envelope<Entry<Model, F, P>>>;
  /** What is scheduled, the next one first. */
  findScheduled(query?: Pages): Promise<Envelope<Schedule[], PageMeta>>;
  cancelPublish(query?: Which, options?: WriteOptions): Promise<void>;
  cancelUnpublish(query?: Which, options?: WriteOptions): Promise<void>;
  /** The versions that were kept, the newest first. Only types with `options.history` have these two. */
  findVersions<const F extends Fields<Model> = '*', const P extends Populate<Model> = Nothing>(
    query?: VersionQuery<Model, F, P>,
  ): Promise<Envelope<Version<Entry<Model, F, P>>[], PageMeta>>;
  /** Makes a version the draft again. */
  restore<const F extends Fields<Model> = '*', const P extends Populate<Model> = Nothing>(
    version: string,
    query?: Typed<Model, TypedSelection<Model, F, P>>,
    options?: WriteOptions,
  ): Promise<Envelope<Entry<Model, F, P>>>;
}

type CollectionOf<Model> = [Model] extends [never]
  ? Collection<LooseModel>
  : Model extends ModelTypes
    ? Collection<PublicTypes<Model>>
    : Collection<LooseModel>;

type SingleOf<Model> = [Model] extends [never]
  ? Single<LooseModel>
  : Model extends ModelTypes
    ? Single<PublicTypes<Model>>
    : Single<LooseModel>;

export interface Client<Api extends ApiTypes> {
  /** A collection type by its plural name, such as `restaurants`. */
  collection<Name extends keyof Api['collections'] & string>(
    name: Name,
  ): CollectionOf<Api['collections'][Name]>;
  /** A single type by its singular name, such as `homepage`. */
  single<Name extends keyof Api['singles'] & string>(name: Name): SingleOf<Api['singles'][Name]>;
  /**
   * Several writes at once, in one transaction unless `atomic` is false. Outcomes are in the order of the operations.
   * @param keyed of an atomic batch, which is then not repeated if it is sent again
   * @throws ApiError if an operation of an atomic batch fails; `details.operation` is its position
   */
  batch(
    operations: readonly BatchOperation<Api>[],
    options?: BatchOptions,
    keyed?: Pick<WriteOptions, 'idempotencyKey'>,
  ): Promise<Envelope<BatchOutcome[]>>;
  /**
   * Sends a request to any other path of the API, such as `auth/local`. @throws ApiError for an error
   * response
   */
  request(method: string, path: string, body?: unknown): Promise<unknown>;
}
