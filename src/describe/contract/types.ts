/**
 * The contract of a server as data: its operations and what they return. OpenAPI (`describe/openapi`) is
 * derived from it, as are the tools for agents.
 */
import type { Config } from '../../config/types.js';
import type { VersionChange } from '../../documents/request.js';
import type { ErrorCode } from '../../error-codes.js';
import type { Caller } from '../../query/read-plan.js';
import type { Schema } from '../../schema/types.js';
import type { PathPattern } from '../../values/path-pattern.js';

/** JSON Schema 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;
export type Schemas = Readonly<Record<string, JsonSchema>>;

export type ContentAction =
  | 'find'
  | 'findOne'
  | 'create'
  | 'update'
  | 'delete'
  | VersionChange
  | 'findVersions'
  | 'findVersion'
  | 'restore'
  | 'findScheduled'
  | 'cancelPublish'
  | 'cancelUnpublish';

/** What a route does, independent of its path, which a project's code may change. */
export type RouteOperation =
  | { readonly kind: 'content'; readonly uid: string; readonly action: ContentAction }
  /** A row of `built-in/`, such as `POST /auth/local`. */
  | { readonly kind: 'builtIn'; readonly name: string }
  | { readonly kind: 'own'; readonly described: RouteDescription }
  /** Used by clients of an older version of Strapi, in its formats. */
  | { readonly kind: 'compat' };

/** The description that a project gives for its own route. Nothing is validated against it. */
export interface RouteDescription {
  readonly summary?: string;
  readonly description?: string;
  /** Query parameters by name, each a JSON Schema. */
  readonly query?: Schemas;
  /** JSON Schema of the body. */
  readonly body?: JsonSchema;
  /** JSON Schema of the answer with status 200. */
  readonly answer?: JsonSchema;
}

/** The part of a route table's row that is described. */
export interface DescribedRoute {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Below the prefix: `/restaurants/:documentId`. */
  readonly path: string;
  /** What is matched, if it is not every value of the path's parameters. */
  readonly pattern?: PathPattern;
  /** The path is complete, without the prefix. */
  readonly outsidePrefix?: true;
  /** Null: open to everyone. */
  readonly action: string | null;
  /** The route only answers with an error, so grants are not checked. */
  readonly closed?: true;
  readonly operation?: RouteOperation;
}

export interface ContractParts {
  readonly config: Config;
  readonly schema: Schema;
  readonly routes: readonly DescribedRoute[];
  /** The project has its own code, which may reject requests. */
  readonly hasOwnCode: boolean;
}

/** Variants of a contract, each accurate for the requests that it describes. */
export interface ContractForm {
  /** With `grants` null, everything is described. */
  readonly caller: Caller;
  /** Includes private attributes that can be written, for readers who have the schema files anyway. */
  readonly privateInput: boolean;
  /** Answers with `Strapi-Response-Format: v4`. */
  readonly v4: boolean;
  /** Answers with `populate[…][count]=true`, which contain `{ count }` in place of entries. */
  readonly counts: boolean;
  /** Writes with `status=draft`, to which only types, enumerations and maxima apply. */
  readonly drafts: boolean;
}

/** Everything, for ordinary requests. */
export const WHOLE: ContractForm = {
  caller: { grants: null },
  privateInput: true,
  v4: false,
  counts: false,
  drafts: false,
};

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly deprecated?: boolean;
  readonly description?: string;
  /**
   * `deepObject`: nested in brackets as qs does, `filters[title][$eq]=x`. `members`: the same for an object
   * without nested objects.
   */
  readonly style?: 'deepObject' | 'members';
  readonly schema: JsonSchema;
}

export interface RequestBody {
  readonly required: boolean;
  /** By media type. */
  readonly content: Schemas;
}

export interface ResponseDescription {
  readonly description: string;
  /** By media type; absent: no body. */
  readonly content?: Schemas;
}

/** The credentials that a route accepts. */
export type Credential = 'apiToken' | 'userToken' | 'refreshCookie';

export interface Operation {
  /** Unique, such as `listArticle`. */
  readonly id: string;
  readonly method: DescribedRoute['method'];
  /** With the prefix: `/api/articles/{documentId}`. */
  readonly path: string;
  /** The grant that it requires; null: none. */
  readonly action: string | null;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** The content type that it reads or writes. */
  readonly uid?: string;
  /** The action on that type. */
  readonly does?: ContentAction;
  readonly parameters: readonly Parameter[];
  readonly body?: RequestBody;
  /** Successful answers by status. */
  readonly answers: Readonly<Record<number, ResponseDescription>>;
  /** Error codes by status; `4XX` if the project's own code chooses the status. */
  readonly refusals: Readonly<Record<string, readonly ErrorCode[]>>;
  readonly credentials: readonly Credential[];
  /** May be used without a credential, as the public role. */
  readonly anonymous: boolean;
}

export interface Contract {
  /** Changes when the content types do. */
  readonly version: string;
  /** Referred to as `#/components/schemas/<name>`. */
  readonly schemas: Schemas;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly operations: readonly Operation[];
}
