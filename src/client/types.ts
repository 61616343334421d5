/** What a client gives and takes, by the types of a project. */
import type { Answer, Nothing } from '../typed/answer.js';
import type { ModelTypes, PublicTypes } from '../typed/model.js';
import type { Fields, Populate, Selection, Shown } from '../typed/query.js';

/** The content types of a project by the names that their addresses have; `mangrove types` makes one. */
export interface ApiTypes {
  readonly collections: object;
  readonly singles: object;
}

/** A project without types: any name, any query. */
export interface UntypedApi {
  readonly collections: Readonly<Record<string, never>>;
  readonly singles: Readonly<Record<string, never>>;
}

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
}

interface Pages {
  readonly pagination?:
    | { readonly page?: number; readonly pageSize?: number; readonly withCount?: boolean }
    | { readonly start?: number; readonly limit?: number; readonly withCount?: boolean };
}

type LooseQuery = Readonly<Record<string, unknown>>;
type LooseEntry = { id: number; documentId: string } & Record<string, unknown>;

export interface LooseCollection {
  find(query?: LooseQuery): Promise<Envelope<LooseEntry[], PageMeta>>;
  findOne(documentId: string, query?: LooseQuery): Promise<Envelope<LooseEntry>>;
  create(data: object, query?: LooseQuery): Promise<Envelope<LooseEntry>>;
  update(documentId: string, data: object, query?: LooseQuery): Promise<Envelope<LooseEntry>>;
  delete(documentId: string, query?: LooseQuery): Promise<void>;
}

export interface LooseSingle {
  find(query?: LooseQuery): Promise<Envelope<LooseEntry>>;
  update(data: object, query?: LooseQuery): Promise<Envelope<LooseEntry>>;
  delete(query?: LooseQuery): Promise<void>;
}

interface Which {
  readonly locale?: string;
}

/** A query: what is meant, and what is shown of it. */
type Asked<Model extends ModelTypes, F, P> = Selection<Model> & Shown<Model, F, P>;

export interface Collection<Model extends ModelTypes> {
  find<const F extends Fields<Model> = '*', const P extends Populate<Model> = Nothing>(
    query?: Asked<Model, F, P> & Pages,
  ): Promise<Envelope<Answer<Model, F, P>[], PageMeta>>;
  findOne<const F extends Fields<Model> = '*', const P extends Populate<Model> = Nothing>(
    documentId: string,
    query?: Asked<Model, F, P>,
  ): Promise<Envelope<Answer<Model, F, P>>>;
  /** A draft with `status: 'draft'`; published otherwise, where the type has Draft & Publish. */
  create<const F extends Fields<Model> = '*', const P extends Populate<Model> = Nothing>(
    data: Model['input'],
    query?: Asked<Model, F, P>,
  ): Promise<Envelope<Answer<Model, F, P>>>;
  update<const F extends Fields<Model> = '*', const P extends Populate<Model> = Nothing>(
    documentId: string,
    data: Model['input'],
    query?: Asked<Model, F, P>,
  ): Promise<Envelope<Answer<Model, F, P>>>;
  delete(documentId: string, query?: Which): Promise<void>;
}

export interface Single<Model extends ModelTypes> {
  find<const F extends Fields<Model> = '*', const P extends Populate<Model> = Nothing>(
    query?: Asked<Model, F, P>,
  ): Promise<Envelope<Answer<Model, F, P>>>;
  update<const F extends Fields<Model> = '*', const P extends Populate<Model> = Nothing>(
    data: Model['input'],
    query?: Asked<Model, F, P>,
  ): Promise<Envelope<Answer<Model, F, P>>>;
  delete(query?: Which): Promise<void>;
}

type CollectionOf<Model> = [Model] extends [never]
  ? LooseCollection
  : Model extends ModelTypes
    ? Collection<PublicTypes<Model>>
    : LooseCollection;

type SingleOf<Model> = [Model] extends [never]
  ? LooseSingle
  : Model extends ModelTypes
    ? Single<PublicTypes<Model>>
    : LooseSingle;

export interface Client<Api extends ApiTypes> {
  /** A collection type by its plural name, such as `restaurants`. */
  collection<Name extends keyof Api['collections'] & string>(
    name: Name,
  ): CollectionOf<Api['collections'][Name]>;
  /** A single type by its singular name, such as `homepage`. */
  single<Name extends keyof Api['singles'] & string>(name: Name): SingleOf<Api['singles'][Name]>;
  /** Any other route below the address, such as `auth/local`. @throws ApiError as the answer says */
  request(method: string, path: string, body?: unknown): Promise<unknown>;
}
